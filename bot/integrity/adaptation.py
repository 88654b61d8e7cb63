"""Tells whether an edited test only follows a moved interface and still demands the same.

It does when nothing differs but where names of the same package are imported from, and the parameter
names of functions defined inside the test. Inputs, calls, assertions and fixtures stand as they were.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.diff.python_source import parse_python

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_only_adapted(base_source: str, head_source: str, test: str) -> bool:
    """Compare one test (`TestA::test_b`) and all that its file shares with it, on both sides."""
    base, head = parse_python(base_source), parse_python(head_source)
    if base is None or head is None:
        return False
    if not _agree(_imported(base), _imported(head)):
        return False
    before, after = _path_to(base, test), _path_to(head, test)
    if not before or not after:
        return False
    return _shared(base, test) == _shared(head, test) and _normal(before[-1]) == _normal(after[-1])


def _imported(tree: ast.Module) -> dict[str, str]:
    """Every name that an import binds, with the package it comes from."""
    return {
        bound: f"{package}:{name}"
        for node in ast.walk(tree)
        for bound, package, name in _bindings(node)
    }


def _bindings(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    if isinstance(node, ast.ImportFrom):
        package = "." * node.level + (node.module or "").split(".", 1)[0]
        if node.level:
            package = "." * node.level + (node.module or "")
        yield from ((a.asname or a.name, package, a.name) for a in node.names)
    elif isinstance(node, ast.Import):
        yield from ((a.asname or a.name.split(".", 1)[0], a.name, "") for a in node.names)


def _agree(base: dict[str, str], head: dict[str, str]) -> bool:
    """No name means something of another package now."""
    return all(head[name] == meaning for name, meaning in base.items() if name in head)


def _path_to(tree: ast.Module, test: str) -> list[_Definition]:
    """The classes round a test and the test itself; empty when it is not there."""
    path: list[_Definition] = []
    body: list[ast.stmt] = tree.body
    for part in test.split("::"):
        found = [n for n in body if isinstance(n, _Definition) and n.name == part]
        if len(found) != 1:
            return []
        path.append(found[0])
        body = found[0].body
    return path


def _shared(tree: ast.Module, test: str) -> list[str]:
    """All code of the file that is no test and no import, outside other test classes."""
    parts = test.split("::")
    shared: list[str] = []
    scopes: list[ast.Module | _Definition] = [tree, *_path_to(tree, test)[:-1]]
    for depth, scope in enumerate(scopes):
        for node in scope.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if isinstance(node, _Definition) and node.name.lower().startswith("test"):
                shared += [ast.dump(d) for d in node.decorator_list if node.name == parts[depth]]
            else:
                shared.append(ast.dump(node))
    return shared


def _normal(node: _Definition) -> str:
    copy = ast.parse(ast.unparse(node)).body[0]
    return ast.dump(_Normaliser(node.name).visit(copy))


class _Normaliser(ast.NodeTransformer):
    """Drops imports, and the parameters and annotations of functions inside the test."""

    def __init__(self, test: str) -> None:
        self._test = test

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name != self._test:
            defaults, kw_defaults = node.args.defaults, node.args.kw_defaults
            node.args = ast.arguments([], [], None, [], kw_defaults, None, defaults)
            node.returns = None
        self.generic_visit(node)
        return node
