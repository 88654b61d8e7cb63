"""Spoils JavaScript and TypeScript on purpose, by brackets and names; the Python side is in `sabotage`.

Only text goes in and out; nothing is run. What cannot be followed is left as it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.bench.sabotage import FEWEST_MENTIONS, Target
from sandbox.test_runs.script_source import brackets, calls

_NAME = r"[A-Za-z_$][\w$]*"
_TYPES = r"\s*(?:<[^>(){}]*>)?\s*"
_DECLARED = re.compile(
    rf"(?:\bfunction\s+(?P<function>{_NAME}){_TYPES}"
    rf"|(?:\b(?:const|let|var)\s+|\bexports\.|\b[\w$]+\.)(?P<value>{_NAME})\s*(?::[^=\n]*)?=\s*"
    r"(?:async\s+)?(?:function\b[^(]{0,60})?"
    rf"|^[ \t]+(?:(?:public|static|override|async|get)\s+)*(?P<method>{_NAME}){_TYPES})\(",
    re.M,
)
_BODY = re.compile(r"[^(){};=]*(?:=>\s*)?\{")
_NOT_METHODS = {
    "if", "for", "while", "switch", "catch", "function", "return", "constructor", "await",
}  # fmt: skip
_PARAMETER = re.compile(rf"\s*({_NAME})\s*[,:)=]")
_RETURNS = re.compile(r"\breturn\s+[^;\s]")
_GENERATES = re.compile(r"\byield\b")
_BROKEN = "return undefined; "


@dataclass(frozen=True, slots=True)
class ScriptFunction:
    """A function that gives something back. `parameter` is its first one's name, where it is plain."""

    name: str
    body: int  # offset after its opening bracket
    first_line: int
    last_line: int
    parameter: str = ""


def candidates(
    sources: dict[str, str], tests: Iterable[str], touched: dict[str, set[int]]
) -> tuple[Target, ...]:
    """Return functions that tests speak of and the change did not touch, least known first.

    `sources` are path → text, `tests` the texts of test files, `touched` path → changed lines.
    """
    words = Counter(word for text in tests for word in re.findall(r"[\w$]+", text))
    found = [
        (words[one.name], path, one, text)
        for path, text in sources.items()
        for one in functions(text)
        if words[one.name] >= FEWEST_MENTIONS
        and not touched.get(path, set()).intersection(range(one.first_line, one.last_line + 1))
    ]
    found.sort(key=lambda entry: (entry[0], entry[1], entry[2].body))
    targets = []
    for _, path, one, text in found:
        line, start = text.count("\n", 0, one.body) + 1, text.rfind("\n", 0, one.body) + 1
        targets.append(Target(path, one.name, line, one.body - start))
    return tuple(targets)


def broken(text: str, target: Target) -> str:
    """Return the module with the function giving back nothing, whatever it is asked."""
    lines = text.splitlines(keepends=True)
    line = lines[target.line - 1]
    lines[target.line - 1] = line[: target.column] + _BROKEN + line[target.column :]
    return "".join(lines)


def weakened(text: str, names: set[str]) -> str:
    """Return the test module with the named tests (suites before " > ") unable to fail."""
    wanted = {
        " > ".join(name.split(" > ")[at:]) for name in names for at in range(name.count(" > ") + 1)
    }
    pairs = brackets(text)
    found: set[tuple[int, int]] = set()
    for call in (one for one in calls(text) if one.title in wanted):
        # The blocks that a function has as its body and behind which nothing but arguments stands.
        bodies = [
            (start, end)
            for start, end in pairs.items()
            if call.start < start
            and end < call.end
            and text[start] == "{"
            and re.fullmatch(r"[\s,\d_)]*", text[end + 1 : call.end])
        ]
        if bodies:
            found.add(max(bodies, key=lambda pair: pair[1] - pair[0]))
    for start, end in sorted(found, reverse=True):
        inside = text[start + 1 : end]
        text = f"{text[: start + 1]} try {{{inside}}} catch {{}} {text[end:]}"
    return text


def functions(text: str) -> Iterator[ScriptFunction]:
    """Return the functions of a module that give something back, in order."""
    pairs = brackets(text)
    for match in _DECLARED.finditer(text):
        name = match["function"] or match["value"] or match["method"]
        close = pairs.get(match.end() - 1)
        body = _BODY.match(text, close + 1) if close is not None else None
        end = pairs.get(body.end() - 1) if body else None
        if body is None or end is None or name in _NOT_METHODS:
            continue
        inside = text[body.end() : end]
        if _RETURNS.search(inside) and not _GENERATES.search(inside):
            first, last = (text.count("\n", 0, at) + 1 for at in (match.start(), end))
            plain = _PARAMETER.match(text, match.end())
            yield ScriptFunction(name, body.end(), first, last, plain[1] if plain else "")
