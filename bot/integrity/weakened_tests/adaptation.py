"""Tells whether an edited test only follows a moved interface and still demands the same.

It does when nothing differs but where names of the same package are imported from, what one of them is called
there, and the parameter names of functions defined inside the test. Inputs, calls, assertions and fixtures
stand as they were. So does what only gives a stand-in the member that head's code lacked in it, and, in any
language, what only calls something private by its new name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeGuard

from bot.diff.lines import Texts, is_gone, is_new, old_path
from bot.diff.python_source import Definition, parse_python, path_to
from bot.evidence.tests.results import lacks_private
from bot.integrity.reading.imported_names import Imported, imports_in
from bot.values import AdaptedTest, TestComparison
from sandbox.values import Diff, FileChange

Read = Callable[[str], str | None]
"""The text of a module (dotted name, absolute) on one side, None when it is not there."""
_LACKS = re.compile(
    r"AttributeError: (?:type object )?'(?:\w+\.)*(\w+)' object has no attribute '(\w+)'"
)
_USED = 2  # times that a name stands somewhere which something calls


def find_adapted(
    tests: Iterable[TestComparison], diff: Diff, base: Texts, head: Texts
) -> tuple[AdaptedTest, ...]:
    """The edited tests whose base version fails on head, and that demand what they demanded."""
    changes = {one.path: one for one in diff.files if not (is_new(one) or is_gone(one))}
    on_base, on_head = _modules(base, diff.changed_paths), _modules(head, diff.changed_paths)
    found: list[AdaptedTest] = []
    for test in tests:
        change = changes.get(test.path)
        if change is None or not (test.is_edited and test.place):
            continue
        source, now = base.read(old_path(change)), head.read(change.path)
        if (
            source
            and now
            and _follows_private_name(test, (source, now), changes.values(), base, head)
        ):
            found.append(AdaptedTest(test.id, only_moved=True))
            continue
        before, after = parse_python(source), parse_python(now)
        if not source or before is None or after is None:
            continue
        rename = _rename(before, after, source)
        before = parse_python(rename.of(source)) or before
        if _is_only_adapted(before, after, test.place):
            is_moved = _is_only_moved(before, after, rename.seen_by(on_base), on_head, rename.new)
            found.append(AdaptedTest(test.id, is_moved))
        elif member := _new_member(before, after, test):
            found.append(AdaptedTest(test.id, only_moved=False, new_member=member))
    return tuple(found)


def _follows_private_name(
    test: TestComparison,
    texts: tuple[str, str],
    changed: Iterable[FileChange],
    base: Texts,
    head: Texts,
) -> bool:
    """Whether a private name has another one now, and nothing else differs in the file of a test.

    In all other files that the change touches, the new name stands as often as the old one did on base: what
    a test calls by it is not there for the test alone.
    """
    lacks, (before, after) = lacks_private(test), texts
    come = {*re.findall(r"\w+", after)} - {*re.findall(r"\w+", before)}
    if not lacks or len(come) != 1 or not (new := come.pop()).startswith("_"):
        return False
    named = re.compile(rf"(?<!\w){lacks}(?!\w)")
    files = [one for one in changed if one.path != test.path]
    on_base = "\n".join(base.read(old_path(one)) or "" for one in files)
    on_head = "\n".join(head.read(one.path) or "" for one in files)
    counts = [len(re.findall(rf"(?<!\w){new}(?!\w)", text)) for text in (on_base, on_head)]
    is_renamed = counts == [0, len(named.findall(on_base))] and counts[1] >= _USED
    return is_renamed and not named.search(on_head) and named.sub(new, before) == after


def _new_member(before: ast.Module, after: ast.Module, test: TestComparison) -> str:
    """Return what a stand-in of base's version lacks on head, where head's has only that more; else ""."""
    lacks = _LACKS.search(test.message)
    own = parse_python(ast.unparse(after)) if lacks else None
    if lacks is None or own is None:
        return ""
    without = _WithoutMember(*lacks.groups()).visit(own)
    return lacks[2] if _is_only_adapted(before, without, test.place) else ""


class _WithoutMember(ast.NodeTransformer):
    """Takes a member out of all stand-ins of one kind: out of its class, and out of calls that make one."""

    def __init__(self, kind: str, member: str) -> None:
        self._kind, self._member = kind, member

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if node.name == self._kind:
            node.body = [one for one in node.body if not self._gives(one)] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if ast.unparse(node.func).rpartition(".")[2] == self._kind:
            node.keywords = [one for one in node.keywords if one.arg != self._member]
        return self.generic_visit(node)

    def _gives(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            return statement.name == self._member
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        return [one.id for one in targets if isinstance(one, ast.Name)] == [self._member]


@dataclass(frozen=True, slots=True)
class _Rename:
    """A name that a test file imports by another one now; both are empty where there is none."""

    old: str = ""
    new: str = ""

    def of(self, text: str) -> str:
        """Write a text of base with the new name."""
        return re.sub(rf"\b{self.old}\b", self.new, text) if self.old else text

    def seen_by(self, read: Read) -> Read:
        """Read the modules of base with the new name."""
        return lambda module: None if (text := read(module)) is None else self.of(text)


def _rename(base: ast.Module, head: ast.Module, base_source: str) -> _Rename:
    """The one name that a test file takes from the same module by another name than on base.

    The new one must mean nothing on base, and the old one stand in no text that a test may expect.
    """
    before, after = (
        {(one.module, one.name) for one in _origins(tree).values()} for tree in (base, head)
    )
    gone, new = before - after, after - before
    if len(gone) != 1 or [module for module, _ in gone] != [module for module, _ in new]:
        return _Rename()
    ((_, old),), ((_, now),) = gone, new
    texts = (n.value for n in ast.walk(base) if isinstance(n, ast.Constant))
    is_expected = any(isinstance(t, str) and re.search(rf"\b{old}\b", t) for t in texts)
    if is_expected or re.search(rf"\b{now}\b", base_source):
        return _Rename()
    return _Rename(old, now)


def _is_only_adapted(base: ast.Module, head: ast.Module, test: str) -> bool:
    """Compare one test (`TestA::test_b`) and all that its file shares with it, on both sides."""
    imported = _imported(head)
    # no name means something of another package now
    if any(imported.get(name, meaning) != meaning for name, meaning in _imported(base).items()):
        return False
    before, after = path_to(base, test), path_to(head, test)
    if not before or not after:
        return False
    return _shared(base, test) == _shared(head, test) and _normal(before[-1]) == _normal(after[-1])


def _imported(tree: ast.Module) -> dict[str, str]:
    """Every name that an import binds, with the package it comes from."""
    found: dict[str, str] = {}
    for bound, module, name in imports_in(tree):
        is_whole = not name or module.startswith(".")
        found[bound] = f"{module if is_whole else module.partition('.')[0]}:{name}"
    return found


def _shared(tree: ast.Module, test: str) -> list[str]:
    """All code of the file that is no import and no test, nor in test classes that nothing else uses."""
    parts = test.split("::")
    shared: list[str] = []
    scopes: list[ast.Module | Definition] = [tree, *path_to(tree, test)[:-1]]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for depth, scope in enumerate(scopes):
        for node in scope.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if not _holds_tests(node):
                shared.append(ast.dump(node))
            elif node.name == parts[depth] or node.name in used:
                is_own = node.name == parts[depth]
                shared += [ast.dump(one) for one in _around(node, is_own=is_own)]
    return shared


def _holds_tests(node: ast.stmt) -> TypeGuard[Definition]:
    """Whether a statement is a test, or a class of tests by its own name or by those of its methods."""
    if not isinstance(node, Definition):
        return False
    inside = node.body if isinstance(node, ast.ClassDef) else []
    named = [node, *(one for one in inside if isinstance(one, Definition))]
    return any(one.name.lower().startswith("test") for one in named)


def _around(node: Definition, *, is_own: bool) -> list[ast.AST]:
    """Return what a test or a class of tests is made of beside tests: of a test's own class, its head."""
    found: list[ast.AST] = [*node.decorator_list]
    if isinstance(node, ast.ClassDef):
        found += [*node.bases, *node.keywords]
        found += [] if is_own else [one for one in node.body if not _holds_tests(one)]
    return found


def _normal(node: Definition) -> str:
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


# --- tells whether what an adapted test imports was moved, and is no decoy ------------------------


def _modules(tree: Texts, paths: tuple[str, ...]) -> Read:
    """Read modules by their dotted names, where the change touches their files."""

    def read(module: str) -> str | None:
        stem = module.replace(".", "/")
        for path in paths:
            folders = f"/{path}"
            if folders.endswith((f"/{stem}.py", f"/{stem}/__init__.py")):
                text = tree.read(path)
                if text is not None:
                    return text
        return None

    return read


def _is_only_moved(
    base_test: ast.Module, head_test: ast.Module, on_base: Read, on_head: Read, renamed: str
) -> bool:
    """Whether every name that two versions of a test file import from different places was moved there.

    What was `renamed` must be the same, too. A name whose place cannot be found, or that is defined in no
    plain way, is not.
    """
    before, after = _origins(base_test), _origins(head_test)
    moved = [n for n in before if n in after and (before[n] != after[n] or n == renamed)]
    return bool(moved) and all(
        _is_same(_found(before[name], on_base), _found(after[name], on_head))
        or _is_followed(before[name], after[name], on_head)
        for name in moved
    )


@dataclass(frozen=True, slots=True)
class _Defined:
    """One name in its module; an empty name is the whole module."""

    module: ast.Module
    name: str


def _origins(tree: ast.Module) -> dict[str, Imported]:
    """What a file imports from modules that are named in full."""
    named = (one for one in imports_in(tree) if one.name)
    return {one.bound: one for one in named if not one.module.startswith(".")}


def _found(origin: Imported, read: Read) -> _Defined | None:
    tree = parse_python(read(origin.module))
    if tree is not None and origin.name in _defined(tree):
        return _Defined(tree, origin.name)
    module = parse_python(read(f"{origin.module}.{origin.name}"))
    return _Defined(module, "") if module is not None else None


def _is_same(before: _Defined | None, after: _Defined | None) -> bool:
    """Compare a definition, and all that it uses of its module, on both sides."""
    if before is None or after is None or bool(before.name) != bool(after.name):
        return False
    if not before.name:
        return ast.dump(before.module) == ast.dump(after.module)
    if before.name != after.name:
        return False
    old, new = _defined(before.module), _defined(after.module)
    imported_before, imported_after = _names_imported(before.module), _names_imported(after.module)
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


def _is_followed(before: Imported, after: Imported, on_head: Read) -> bool:
    """Whether the code that had a name now takes it from the new place, and calls it there."""
    old, new = parse_python(on_head(before.module)), parse_python(on_head(after.module))
    if old is None or new is None or before.name != after.name:
        return False
    if before.name in _defined(old) or len(_defined(new).get(after.name, ())) != 1:
        return False
    places: set[str] = set()
    for node in ast.walk(old):
        if isinstance(node, ast.ImportFrom) and any(
            a.name == after.name and a.asname is None for a in node.names
        ):
            # read as seen from a plain module (no package's own)
            package = before.module.rsplit(".", node.level)[0] if node.level else ""
            places.add(".".join(part for part in (package, node.module) if part))
    calls = (node.func for node in ast.walk(old) if isinstance(node, ast.Call))
    is_called = any(isinstance(called, ast.Name) and called.id == after.name for called in calls)
    return is_called and places == {after.module}


def _defined(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    found: dict[str, list[ast.stmt]] = {}
    for node in tree.body:
        if isinstance(node, Definition):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append(node)
    return found


def _names_imported(tree: ast.Module) -> dict[str, str]:
    """What each import binds: package and name; the modules of one package count as one."""
    found: dict[str, str] = {}
    for bound, module, name in imports_in(tree):
        package = "." if module.startswith(".") else module.partition(".")[0]
        found[bound] = f"{package}:{name}" if name else module
    return found
