"""Tells which changed files may mean something else now: the opposite of a change in words only.

Comments, docstrings, layout, the order of imports and annotations of undecorated functions mean nothing
to a program. Everything else may, and so does any other language or data file that ships.
"""

from __future__ import annotations

import ast
from collections import Counter

from bot.judge.integrity.inspection import TextReader, is_gone, is_new, old_path
from bot.judge.integrity.kinds import is_test_file
from bot.judge.paths import is_source_path
from sandbox.models import Diff, FileChange

_PROGRAM = "100755"  # git's mode of a file that can be executed


def changed_meanings(diff: Diff, base: TextReader, head: TextReader) -> tuple[str, ...]:
    """The changed files that ship and whose code, as far as can be seen, does not stay the same."""
    return tuple(
        change.path for change in diff.files if _ships(change) and not _is_same(change, base, head)
    )


def _ships(change: FileChange) -> bool:
    if _PROGRAM in (change.old_mode, change.new_mode) and not is_test_file(change.path):
        return True
    paths = {change.path, old_path(change)}
    return any(is_source_path(path) and not is_test_file(path) for path in paths)


def _is_same(change: FileChange, base: TextReader, head: TextReader) -> bool:
    if is_new(change) or is_gone(change) or change.binary or change.path != old_path(change):
        return False
    before, after = base.read(change.path), head.read(change.path)
    if before is None or after is None or change.old_mode != change.new_mode:
        return False
    return before == after or (change.path.endswith(".py") and is_same_program(before, after))


def is_same_program(before: str, after: str) -> bool:
    """Whether two Python texts differ in nothing that runs."""
    old, new = _normal(before), _normal(after)
    return old is not None and old == new


def _normal(source: str) -> tuple[Counter[str], list[str]] | None:
    """A module's imports in any order, and its other statements in their order."""
    try:
        tree = _Stripped().visit(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    imports, others = Counter[str](), list[str]()
    for node in tree.body:
        text = ast.dump(node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports[text] += 1
        else:
            others.append(text)
    return imports, others


class _Stripped(ast.NodeTransformer):
    """Takes docstrings out, and annotations where nothing can read them."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        return self._without_docstring(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._without_docstring(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not node.decorator_list:
            node.returns = None
            for argument in ast.walk(node.args):
                if isinstance(argument, ast.arg):
                    argument.annotation = None
        return self._without_docstring(node)

    def _without_docstring(self, node: ast.Module | ast.ClassDef | ast.FunctionDef) -> ast.AST:
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)
