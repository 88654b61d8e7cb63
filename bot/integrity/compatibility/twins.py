"""Finds what changes in one of two functions that do the same, of which one waits, and not in the other.

`Client.get` and `AsyncClient.get`, say, or `read` and `readSync`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.diff.lines import old_path
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.values.rules import TWIN_LEFT
from sandbox.values import Finding

_ALL = re.compile(r"(?i)\b(?:both|each|every|everywhere|all|any|always)\b")
_OF_WAITING = re.compile(
    r"(?i)\b(?:a?sync\w*|await\w*|corout\w*|promis\w*|callbacks?)\b|(?-i:[Aa]sync[A-Z]|Sync\b)"
)
_MARK = re.compile(
    r"(?<![a-z])async_?|_?async(?![a-z])|Async|(?<![a-z])sync_?|_?sync(?![a-z])|Sync"
)
"""What tells the names of two such functions apart."""
_WAITS = re.compile(r"\b(?:await|async)\s+|(?<=__)a(?=enter|exit|iter|next)|\basyncio\.")
_SCRIPT_FUNCTION = re.compile(
    r"^(?P<indent>[ \t]{0,40})(?:export\s{1,9})?(?:static\s{1,9})?(?P<waits>async\s{1,9})?"
    r"(?:function\s{0,9}|(?:const|let)\s{1,9})?(?P<name>[A-Za-z_$][\w$]{0,80})\s{0,9}"
    r"(?:=\s{0,9}(?P<later>async\s{1,9})?)?\([^\n]{0,300}\{[ \t]{0,9}$",
    re.MULTILINE,
)
_NOTE = ("//", "*", "/*")
_LEAST, _ALIKE = 8, 0.8
_MOST_SOURCE = 400_000


@dataclass(frozen=True, slots=True)
class _Body:
    """A function's name and first line, its lines as if it waited for nothing, and whether it does."""

    name: str
    line: int
    lines: tuple[str, ...]
    waits: bool


def left_twins(inspection: Inspection) -> Iterator[Finding]:
    """Functions that change while their twin is as on base, where the task does not speak of one alone."""
    said = words_of_task(inspection)
    if inspection.diff.truncated or (_OF_WAITING.search(said) and not _ALL.search(said)):
        return
    changes = {one.path: one for one in inspection.left()}
    trees = inspection.trees
    for change in inspection.shipped():
        old = _bodies(old_path(change), inspection.before(change), trees)
        new = _bodies(change.path, inspection.after(change), trees)
        edited = [(old[o], new[o]) for o in old.keys() & new.keys() if old[o].lines != new[o].lines]
        paths = [o for o in inspection.head.paths() if edited and _bare(o) == _bare(change.path)]
        for path in filter(ships, paths):
            other, head = changes.get(path), inspection.head.read(path)
            base = _bodies(path, inspection.before(other) if other else head, trees)
            for twin in _bodies(path, head, trees).values():
                if twin.name not in base or base[twin.name].lines != twin.lines:
                    continue
                for before, after in edited:
                    if twin.waits == before.waits or _bare(twin.name) != _bare(before.name):
                        continue
                    alike = SequenceMatcher(None, twin.lines, before.lines, autojunk=False).ratio()
                    if alike >= _ALIKE and _is_left(twin, before, after):
                        message = (
                            f"`{after.name}` changed. `{twin.name}` ({path}:{twin.line}), which does the "
                            "same but for waiting, is as on base."
                        )
                        yield make_finding(TWIN_LEFT, change, after.line, message)


def _is_left(twin: _Body, before: _Body, after: _Body) -> bool:
    """Whether a twin has the lines that are gone from a function, and none of those that came."""
    gone = [one for one in before.lines if one not in after.lines and len(one) >= _LEAST]
    came = [one for one in after.lines if one not in before.lines and len(one) >= _LEAST]
    has_all = all(one in twin.lines for one in gone)
    return bool(gone or came) and has_all and not any(one in twin.lines for one in came)


def _bare(name: str) -> str:
    return _MARK.sub("", name).lower()


def _bodies(path: str, text: str | None, trees: Trees) -> dict[str, _Body]:
    found: dict[str, _Body] = {}
    text = text if text and len(text) <= _MOST_SOURCE else ""
    for name, node in trees.functions(text) if path.endswith(".py") else ():
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        waits = isinstance(node, ast.AsyncFunctionDef)
        found[name] = _Body(name, node.lineno, _plain("\n".join(map(ast.unparse, body))), waits)
    for match in _SCRIPT_FUNCTION.finditer(text) if path.endswith(SCRIPT.suffixes) else ():
        name, end = match["name"], text.find(f"\n{match['indent']}}}", match.end())
        line = text.count("\n", 0, match.start()) + 1
        waits = bool(match["waits"] or match["later"])
        found[name] = _Body(name, line, _plain(text[match.end() : max(end, 0)]), waits)
    return found


def _plain(code: str) -> tuple[str, ...]:
    lines = (line.strip() for line in code.splitlines())
    return tuple(_MARK.sub("", _WAITS.sub("", o)) for o in lines if o and not o.startswith(_NOTE))
