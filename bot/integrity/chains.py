"""Takes one written assertion apart: what is called, on what, and whether it waits for an error."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STRING = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)")
_WAITS = re.compile(r"(?i)throw|raises|reject|panic")
_FORBIDS = re.compile(r"(?i)(?:not|never|no)_?throw|\.not\.|\.resolves\b|notpanic")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Chain:
    """An assertion's calls. `chain` is its text with nothing inside round brackets: `expect().toBe()`.

    `subject` is the first argument of its first call; `names_error` says that it tells which error.
    """

    chain: str
    subject: str
    wants_error: bool
    names_error: bool


def take_apart(assertion: str) -> Chain:
    """The calls of one assertion; brackets inside its strings are no brackets."""
    bare = _STRING.sub(lambda m: m[0][0] + "x" * (len(m[0]) - 2) + m[0][-1], assertion)
    calls = _calls(bare)
    chain, last = "", 0
    for start, end in calls:
        chain += bare[last : start + 1]
        last = end
    chain += bare[last:]
    arguments = [_arguments(bare, start, end) for start, end in calls]
    first = arguments[0] if arguments else []
    subject = assertion[first[0][0] : first[0][1]].strip() if first else ""
    wants = bool(_WAITS.search(chain)) and not _FORBIDS.search(chain)
    return Chain(chain, subject or assertion, wants, wants and _names_error(chain, arguments))


def _names_error(chain: str, arguments: list[list[tuple[int, int]]]) -> bool:
    """`throws(what, Error)` tells it beside the code that runs; `expect(what).toThrow(Error)` alone."""
    needed = 1 if chain.lstrip().startswith("expect") else 2
    return bool(arguments) and len(arguments[-1]) >= needed


def _calls(bare: str) -> list[tuple[int, int]]:
    """Where the outermost round brackets open and close; an unclosed one ends with the text."""
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    for at, mark in enumerate(bare):
        if mark == "(":
            if depth == 0:
                start = at
            depth += 1
        elif mark == ")" and depth:
            depth -= 1
            if depth == 0:
                found.append((start, at))
    return [*found, (start, len(bare))] if depth else found


def _arguments(bare: str, start: int, end: int) -> list[tuple[int, int]]:
    """The arguments of one call, blank ones left out."""
    depth, first = 0, start + 1
    found: list[tuple[int, int]] = []
    for at in range(start + 1, end + 1):
        mark = bare[at] if at < end else ","
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if mark == "," and (depth <= 0 or at == end):
            found.append((first, at))
            first = at + 1
    return [(a, b) for a, b in found if bare[a:b].strip()]
