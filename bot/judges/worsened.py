"""Makes a solution worse in ways that anybody must see: what a good criterion is tried on.

Works on the text of a unified diff (only added lines are touched) or of a plain file, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_OPENS = re.compile(
    r"^(\s*)(?:(?:export|public|private|static|async|pub)\s+)*"
    r"(?:def|function|func|fn|class|void|int)\b.*[:{]\s*$"
)
_SWAPS = {
    "==": "!=", "!=": "==", "<=": ">", ">=": "<", " < ": " >= ", " > ": " <= ", " + ": " - ", " - ": " + ",
    " * ": " + ", " and ": " or ", " or ": " and ", "&&": "||", "||": "&&", "True": "False",
    "False": "True", "true": "false", "false": "true",
}  # fmt: skip
_SWAPPED = re.compile("|".join(re.escape(one) for one in sorted(_SWAPS, key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Worsened:
    """A worsened solution, and in a word how."""

    how: str
    text: str


def worsened(text: str) -> tuple[Worsened, ...]:
    """Every way to make it worse that changes this solution, always in the same order."""
    ways: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("half of it dropped", _dropped),
        ("functions emptied", _emptied),
        ("operators swapped", _swapped),
    )
    found = [Worsened(how, way(text)) for how, way in ways]
    return tuple(one for one in found if one.text.strip() != text.strip())


def is_diff(text: str) -> bool:
    """Whether the text is a unified diff."""
    return any(line.startswith("@@ -") for line in text.splitlines())


def _dropped(text: str) -> str:
    """Without every second hunk; a single one, or a file, loses its second half."""
    lines = text.splitlines()
    hunks = [number for number, line in enumerate(lines) if line.startswith("@@ -")]
    if len(hunks) < 2:
        diff = is_diff(text)
        ours = [number for number, line in enumerate(lines) if _is_ours(line, diff)]
        gone = set(ours[(len(ours) + 1) // 2 :])
        return "\n".join(line for number, line in enumerate(lines) if number not in gone)
    kept, is_kept, count = [], True, 0
    for line in lines:
        if line.startswith("@@ -"):
            is_kept, count = count % 2 == 0, count + 1
        elif line.startswith("--- "):
            is_kept = True
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


def _emptied(text: str) -> str:
    """The bodies of functions and classes become three dots."""
    diff, inside, kept = is_diff(text), -1, []
    for line in text.splitlines():
        body = line[1:] if diff else line
        indent = len(body) - len(body.lstrip())
        if not _is_ours(line, diff) or (body.strip() and indent <= inside):
            inside = -1
        if inside >= 0:
            continue
        kept.append(line)
        if _is_ours(line, diff) and _OPENS.match(body):
            inside = indent
            kept.append(("+" if diff else "") + " " * (indent + 4) + "...")
    return "\n".join(kept)


def _swapped(text: str) -> str:
    diff = is_diff(text)
    return "\n".join(
        line[:1] + _SWAPPED.sub(lambda found: _SWAPS[found[0]], line[1:])
        if _is_ours(line, diff)
        else line
        for line in text.splitlines()
    )


def _is_ours(line: str, diff: bool) -> bool:
    return not diff or (line.startswith("+") and not line.startswith("+++ "))
