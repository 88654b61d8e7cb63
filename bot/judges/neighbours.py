"""The neighbours of the literals in the author's tests: inputs that a special-cased answer gets wrong.

They are suggestions for whoever writes a test beside the visible ones; nothing is decided here.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.diff.python_source import parse_python

MOST_LITERALS = 14
MOST_NEIGHBOURS = 7
_LONGEST = 60
_LARGEST = 10**15
_WRITTEN = re.compile(
    r"(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?(?![\w.])|\"([^\"\\\n]{0,60})\"|'([^'\\\n]{0,60})'"
)
Value = str | int | float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A literal of a test and values near it, each as it is written in code."""

    literal: str
    near: tuple[str, ...]


def neighbours(sources: Iterable[str]) -> tuple[Neighbours, ...]:
    """The literals of the tests' sources (any language) in their order, each with its neighbours."""
    seen: dict[str, Value] = {}
    for source in sources:
        for value in _literals(source):
            seen.setdefault(repr(value), value)
    visible = set(seen)
    found = []
    for text, value in list(seen.items())[:MOST_LITERALS]:
        near = (repr(one) for one in _near(value))
        new = tuple(one for one in dict.fromkeys(near) if one not in visible)
        found.append(Neighbours(text, new[:MOST_NEIGHBOURS]))
    return tuple(found)


def _literals(source: str) -> Iterator[Value]:
    tree = parse_python(textwrap.dedent(source))
    if tree is None:
        yield from _written(source)
        return
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documentation:
            yield from _usable(node.value)


def _written(source: str) -> Iterator[Value]:
    """Numbers and strings as most languages write them."""
    for match in _WRITTEN.finditer(source):
        quoted = match[1] if match[1] is not None else match[2]
        if quoted is not None:
            yield quoted
        else:
            yield float(match[0]) if "." in match[0] else int(match[0])


def _usable(value: object) -> Iterator[Value]:
    if isinstance(value, str):
        yield from [value] if len(value) <= _LONGEST else []
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST:
        yield value


def _near(value: Value) -> tuple[Value, ...]:
    if isinstance(value, str):
        return _near_text(value)
    if isinstance(value, int):
        return (value + 1, value - 1, 0, -value, 2 * value + 3, 10 * value + 7, 1_000_003)
    return (value + 1, value - 1, 0.0, -value, value / 2, value + 0.01, 1e12)


def _near_text(text: str) -> tuple[str, ...]:
    return (
        "",
        f"{text}x",
        text[::-1] or " ",
        text.swapcase() or "0",
        f" {text} ",
        "äß 日本 🙂",
        f"{text}\n{text}",
    )
