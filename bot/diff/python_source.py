"""Parses Python that nobody trusts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

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


def last_name(node: ast.AST | None) -> str:
    """Return the name that is used or called, without what it belongs to: `get` of `cache.get`; or ""."""
    found: str = getattr(node, "attr", getattr(node, "id", ""))
    return found


def called_names(node: ast.AST) -> dict[str, int]:
    """Return the last names of what is called, with their first lines."""
    found: dict[str, int] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name | ast.Attribute):
            found.setdefault(last_name(one.func), one.lineno)
    return found


def named_functions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, Function]]:
    """Yield the functions of a module or a class and of the classes in it, by name (`Cache.get`)."""
    for one in body:
        if isinstance(one, Function):
            yield f"{owner}{one.name}", one
        elif isinstance(one, ast.ClassDef):
            yield from named_functions(one.body, f"{owner}{one.name}.")
