"""Takes out of a Python module what nothing uses: imports, and branches for releases long gone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from sandbox.changes.inside.project import ChangedProject

_FOR_EFFECT = frozenset(("readline", "rlcompleter", "antigravity", "this"))
"""Modules of the standard library that are imported for what that does."""
_WORD = re.compile(r"\w+")
_Import = ast.Import | ast.ImportFrom


def fold_versions(tree: ast.Module, lowest: int) -> None:
    """Leave of each branch on the release of Python what all releases from 3.`lowest` on run."""
    if lowest:
        _Folding(lowest).visit(tree)


class _Folding(ast.NodeTransformer):
    def __init__(self, lowest: int) -> None:
        self._lowest = lowest

    def visit_If(self, node: ast.If | ast.IfExp) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        holds = self._holds(node.test)
        return node if holds is None else node.body if holds else node.orelse

    visit_IfExp = visit_If  # noqa: N815  ast names it

    def _holds(self, test: ast.expr) -> bool | None:
        """Whether `sys.version_info >= (3, 9)` holds with every supported release; None in doubt."""
        if not isinstance(test, ast.Compare) or ast.unparse(test.left) != "sys.version_info":
            return None
        (operator, *others), (other, *_) = test.ops, test.comparators
        try:
            version = ast.literal_eval(other)
        except ValueError:
            return None
        is_release = isinstance(version, tuple) and all(isinstance(one, int) for one in version)
        if others or not is_release or not 1 <= len(version) <= 2 or version > (3, self._lowest):
            return None
        # What is compared is longer, so that (3, 9, 1, …) > (3, 9).
        return {ast.GtE: True, ast.Gt: True, ast.Lt: False, ast.LtE: False}.get(type(operator))


@dataclass(frozen=True, slots=True)
class IdleImports:
    """Imports of the module at `path` that it does not use. `library` has the standard library's modules."""

    path: str
    project: ChangedProject
    library: frozenset[str]

    def drop(self, old: ast.Module, new: ast.Module) -> None:
        """Take out what only one of two versions imports.

        What is new may come from the standard library, or from where base, or the package itself, imports
        something, too: that is loaded anyway. What went was of the standard library, and nobody imports it
        from here.
        """
        before, after = ({name for _, name in _imported(tree)} for tree in (old, new))
        known = {_module(node) for node, _ in _imported(old) if isinstance(node, ast.ImportFrom)}
        for tree, others in ((old, after), (new, before)):
            busy = _busy(tree)
            for node, name in [*_imported(tree)]:
                is_alone = name not in others and name not in busy
                if tree is old:
                    may_go = self._is_of_library(node, name) and self._is_own(name)
                else:
                    is_loaded = _module(node) in known or self._is_of_package(node)
                    may_go = is_loaded or self._is_of_library(node, name)
                if is_alone and may_go:
                    node.names = [one for one in node.names if (one.asname or one.name) != name]
            tree.body = [one for one in tree.body if not isinstance(one, _Import) or one.names]

    def _is_of_library(self, node: _Import, name: str) -> bool:
        if isinstance(node, ast.ImportFrom):
            loaded = _module(node)
        else:
            loaded = next(one.name for one in node.names if (one.asname or one.name) == name)
        return loaded.partition(".")[0] in self.library and loaded not in _FOR_EFFECT

    def _is_of_package(self, node: _Import) -> bool:
        """Whether the package that the module stands in imports something from there, too."""
        module = _module(node)
        folder = PurePosixPath(self.path).parent
        is_near = re.fullmatch(r"\.\w+", module) is not None
        return is_near and self.project.loads(str(folder / "__init__.py"), module)

    def _is_own(self, name: str) -> bool:
        """Whether nobody else takes a name from this module."""
        module = PurePosixPath(self.path)
        return module.name != "__init__.py" and not self.project.imports_from(module.stem, name)


def _imported(tree: ast.Module) -> Iterator[tuple[_Import, str]]:
    """Yield the names that imports at the top of a module bind, each with its import."""
    for node in (one for one in tree.body if isinstance(one, _Import)):
        for one in node.names:
            if one.name != "*" and (one.asname or "." not in one.name):
                yield node, one.asname or one.name


def _module(node: _Import) -> str:
    """The module that names are imported from, as it is written: `.chord`; "" of a plain import."""
    return f"{'.' * node.level}{node.module or ''}" if isinstance(node, ast.ImportFrom) else ""


def _busy(tree: ast.Module) -> set[str]:
    """The names that a module uses, binds otherwise or more than once, or has in a text."""
    names = [name for _, name in _imported(tree)]
    found = {name for name in names if names.count(name) > 1}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.update(_WORD.findall(node.value))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
    return found
