"""Tells whether what an adapted test imports was moved, and is no decoy.

A test of private names can be led to a decoy. So either the definition that it imported on base and the
one that it imports on head are equal, with all that they use of their own modules; or the module
that had the name has it no longer, and itself imports and calls it from the new place.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from bot.diff.python_source import parse_python

Read = Callable[[str], str | None]
"""The text of a module (dotted name, absolute) on one side, None when it is not there."""


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where an imported name comes from; `name` is empty for a module itself."""

    module: str
    name: str


def is_only_moved(base_test: str, head_test: str, on_base: Read, on_head: Read) -> bool:
    """Whether every name that two versions of a test file import from different places was moved there.

    A name whose place cannot be found, or that is defined in no plain way, is not.
    """
    before, after = _origins(base_test), _origins(head_test)
    moved = [name for name in before if name in after and before[name] != after[name]]
    return bool(moved) and all(
        _is_same(_found(before[name], on_base), _found(after[name], on_head))
        or _is_followed(before[name], after[name], on_head)
        for name in moved
    )


@dataclass(frozen=True, slots=True)
class _Definition:
    """One name in its module; an empty name is the whole module."""

    module: ast.Module
    name: str


def _origins(source: str) -> dict[str, _Origin]:
    tree = parse_python(source)
    if tree is None:
        return {}
    return {
        (alias.asname or alias.name): _Origin(node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and not node.level
        for alias in node.names
    }


def _found(origin: _Origin, read: Read) -> _Definition | None:
    tree = parse_python(read(origin.module))
    if tree is not None and origin.name in _defined(tree):
        return _Definition(tree, origin.name)
    module = parse_python(read(f"{origin.module}.{origin.name}"))
    return _Definition(module, "") if module is not None else None


def _is_same(before: _Definition | None, after: _Definition | None) -> bool:
    if before is None or after is None or bool(before.name) != bool(after.name):
        return False
    if not before.name:
        return ast.dump(before.module) == ast.dump(after.module)
    if before.name != after.name:
        return False
    return _agree(before, after)


def _is_followed(before: _Origin, after: _Origin, on_head: Read) -> bool:
    """Whether the code that had a name now takes it from the new place, and calls it there."""
    old, new = parse_python(on_head(before.module)), parse_python(on_head(after.module))
    if old is None or new is None or before.name != after.name:
        return False
    if before.name in _defined(old) or len(_defined(new).get(after.name, ())) != 1:
        return False
    places = {
        _absolute(node, before.module)
        for node in ast.walk(old)
        if isinstance(node, ast.ImportFrom)
        and any(a.name == after.name and a.asname is None for a in node.names)
    }
    calls = (node.func for node in ast.walk(old) if isinstance(node, ast.Call))
    is_called = any(isinstance(called, ast.Name) and called.id == after.name for called in calls)
    return is_called and places == {after.module}


def _absolute(node: ast.ImportFrom, importer: str) -> str:
    """Return the module that is imported from, read as seen from a plain module (no package's own)."""
    if not node.level:
        return node.module or ""
    package = importer.rsplit(".", node.level)[0]
    return f"{package}.{node.module}" if node.module else package


def _agree(before: _Definition, after: _Definition) -> bool:
    """Compare a definition, and all that it uses of its module, on both sides."""
    old, new = _defined(before.module), _defined(after.module)
    imported_before, imported_after = _imported(before.module), _imported(after.module)
    waiting, seen = [before.name], {before.name}
    while waiting:
        name = waiting.pop()
        if name in old:
            if len(old[name]) != 1 or [ast.dump(n) for n in old[name]] != [
                ast.dump(n) for n in new.get(name, [])
            ]:
                return False
            used = {n.id for n in ast.walk(old[name][0]) if isinstance(n, ast.Name)}
            waiting += sorted(used - seen)
            seen |= used
        elif name in new or imported_before.get(name) != imported_after.get(name):
            return False
    return True


def _defined(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node)
    return found


def _imported(tree: ast.Module) -> dict[str, str]:
    """What each import binds: package and name; the modules of one package count as one."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            package = "." if node.level else (node.module or "").split(".", 1)[0]
            found |= {(a.asname or a.name): f"{package}:{a.name}" for a in node.names}
        elif isinstance(node, ast.Import):
            found |= {(a.asname or a.name.split(".", 1)[0]): a.name for a in node.names}
    return found
