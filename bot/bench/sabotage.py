"""Spoils Python code on purpose: breaks a function, weakens a test until it must pass.

Only text goes in and out; nothing is run. What cannot be parsed is left as it is.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.diff.python_source import Function, parse_python

FEWEST_MENTIONS = 2
"""How often tests must speak of a function to be a target."""


@dataclass(frozen=True, slots=True)
class Target:
    """A function that can be broken; `line` is the first line of its body, from 1, `column` from 0."""

    path: str
    name: str
    line: int
    column: int


def candidates(
    sources: dict[str, str], tests: Iterable[str], touched: dict[str, set[int]]
) -> tuple[Target, ...]:
    """Return public functions that tests speak of and the change did not touch, least known first.

    `sources` are path → text, `tests` the texts of test files, `touched` path → changed lines.
    """
    words = Counter(
        node.attr if isinstance(node, ast.Attribute) else node.id
        for text in tests
        for node in _nodes(text)
        if isinstance(node, ast.Attribute | ast.Name)
    )
    found = [
        (words[node.name], path, node)
        for path, text in sources.items()
        for node in _nodes(text)
        if isinstance(node, Function)
        and _is_breakable(node)
        and words[node.name] >= FEWEST_MENTIONS
        and not touched.get(path, set()).intersection(range(node.lineno, _end(node) + 1))
    ]
    found.sort(key=lambda one: (one[0], one[1], one[2].lineno))
    return tuple(Target(path, node.name, *_body_start(node)) for _, path, node in found)


def broken(text: str, target: Target) -> str:
    """Return the module with the function giving back nothing, whatever it is asked."""
    lines = text.splitlines(keepends=True)
    lines.insert(target.line - 1, " " * target.column + "return None\n")
    return "".join(lines)


def weakened(text: str, names: set[str]) -> str:
    """Return the test module with the named tests (`test_a`, `TestB.test_c`) unable to fail."""
    lines = text.splitlines(keepends=True)
    found = [node for name, node in named(text) if name in names and not _is_one_line(node)]
    for node in sorted(found, key=lambda node: -node.lineno):
        first, column = _body_start(node)
        body = lines[first - 1 : _end(node)]
        pad = " " * column
        inside = [pad + "try:\n", *("    " + line if line.strip() else line for line in body)]
        lines[first - 1 : _end(node)] = [
            *inside,
            pad + "except BaseException:\n",
            pad + "    pass\n",
        ]
    return "".join(lines)


def named(text: str) -> Iterator[tuple[str, Function]]:
    """Return every function with its classes' names before it."""
    tree = parse_python(text)
    waiting: list[tuple[str, ast.AST]] = [("", tree)] if tree is not None else []
    while waiting:
        prefix, node = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function):
                yield prefix + child.name, child
            elif isinstance(child, ast.ClassDef):
                waiting.append((f"{prefix}{child.name}.", child))
            elif isinstance(child, ast.stmt):
                waiting.append((prefix, child))


def _nodes(text: str) -> Iterator[ast.AST]:
    tree = parse_python(text)
    if tree is not None:
        yield from ast.walk(tree)


def _is_breakable(node: Function) -> bool:
    if node.name.startswith("_") or node.decorator_list or _is_one_line(node):
        return False
    returns = [n for n in ast.walk(node) if isinstance(n, ast.Return) and n.value is not None]
    yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(node))
    return bool(returns) and not yields


def _is_one_line(node: Function) -> bool:
    return node.body[0].lineno == node.lineno


def _body_start(node: Function) -> tuple[int, int]:
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_docstring and len(node.body) > 1:
        first = node.body[1]
    return first.lineno, first.col_offset


def _end(node: Function) -> int:
    return node.end_lineno or node.lineno
