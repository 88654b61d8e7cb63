"""Parses Python that nobody trusts."""

from __future__ import annotations

import ast

_TRIES = 3
Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


def parse_python(source: str | None) -> ast.Module | None:
    """Return the syntax tree; None where there is no source, or none that can be parsed."""
    if source is None:
        return None
    for _ in range(_TRIES):
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        except SystemError:  # CPython 3.11 when a finalizer parses in the middle (gh-106905)
            continue
    return None


def path_to(tree: ast.Module, test: str) -> list[Definition]:
    """Return the classes round a test (`TestA::test_b`) and the test; empty where it is not there once."""
    path: list[Definition] = []
    body: list[ast.stmt] = tree.body
    for part in test.split("::"):
        found = [node for node in body if isinstance(node, Definition) and node.name == part]
        if len(found) != 1:
            return []
        path.append(found[0])
        body = found[0].body
    return path
