"""Finds the tests that regressed nothing: base's file cannot be imported on head, for want of a private name.

And those of which that cannot be told, for want of a whole file. Of the first, the test itself, and all that
it uses of its file, must stand on head as on base, without the name that is gone, and pass there with head's
imports. What is left out of a `conftest.py` must be about such names too. And tests of scripts that read as
on base, where their file only loads newer packages otherwise.
"""

from __future__ import annotations

import ast
import copy
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from bot.diff.lines import TextReader, Texts, is_gone, is_new, old_path
from bot.diff.python_source import Definition, parse_python, path_to
from bot.integrity.reading.imported_names import imports_in
from bot.integrity.reading.public_use import ENDINGS
from bot.text.json_reading import json_object
from bot.text.words import whole_name
from bot.values import AdaptedTest, RetiredTest, TestChange, TestComparison
from sandbox.values import Diff, Outcome

_LACKS = re.compile(
    r"ModuleNotFoundError: No module named '(?P<whole>[\w.]+)'|"
    r"ImportError: cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'"
)
Alike = Callable[[Sequence[ast.AST], Sequence[ast.AST]], bool]
"""Compares statements of base with those of head."""
_HELD = (
    "Base's file cannot be imported on head, where a private name is gone. The test itself is unchanged, "
    "and passes with head's imports."
)
_UNKNOWN = (
    "Base's version of this test could not be run with head's code: its file cannot be imported there, where "
    "a private name is gone."
)
_LACKS_FILE = re.compile(
    r"Cannot find module '(?P<script>[^'\n]{1,300})'|No module named '(?P<whole>[\w.]{1,200})'"
    r"|module '(?P<module>[\w.]{1,200})' has no attribute '(?P<name>\w{1,100})'"
)
EDITED = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED)
_SET_UPS = (
    "setUpModule", "tearDownModule", "setup_module", "teardown_module", "setup_function",
    "teardown_function",
)  # fmt: skip
_PLAIN = (ast.If, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


def without_lost_imports(
    tests: Sequence[TestComparison], base: Texts, head: Texts
) -> tuple[TestComparison, ...]:
    """Return the tests, of which those that held but for an import are told as held.

    Of one that was edited too, nobody knows what base's version would do.
    """
    files: dict[str, ModuleVersions | None] = {}
    told = list(tests)
    for at, test in enumerate(tests):
        is_own = test.path.endswith(".py") and test.head_on_head is Outcome.PASSED
        may_be = is_own and test.change in EDITED and test.base_on_head is Outcome.ERROR
        lacks = _LACKS.search(test.message) if may_be else None
        if lacks is None:
            continue
        paths = [test.path, *(f"{one}/conftest.py" for one in PurePosixPath(test.path).parents)]
        files |= {path: both_sides(path, base, head) for path in paths if path not in files}
        concerned = [both for path in paths if (both := files[path]) and both.differs]
        own, name = files[test.path], test.place
        leaves_out = all(one is own or one.only_leaves_out for one in concerned)
        # what is lacking must be a private name that one of these files no longer imports
        wanted = lacks["whole"] or f"{lacks['module']}.{lacks['name']}"
        origins = (origin for one in concerned for origin in one.gone.values())
        is_of = any(origin == wanted or origin.startswith(f"{wanted}.") for origin in origins)
        if own is None or not name or not leaves_out or not is_of:
            continue
        if not own.differs or own.holds(name):
            told[at] = replace(test, change=TestChange.PASS_TO_PASS, message=_HELD)
        elif test.change is TestChange.PASS_TO_FAIL:
            told[at] = replace(test, change=TestChange.UNKNOWN, message=_UNKNOWN)
    return tuple(told)


def find_bereft(
    tests: Iterable[TestComparison], diff: Diff
) -> tuple[tuple[str, ...], tuple[RetiredTest, ...]]:
    """The tests whose base version fails on head as it loads a file that the change takes away.

    First the ids of those that were edited. Of those that were deleted a person says whether the file may go.
    """
    left = {change.path for change in diff.files if not is_gone(change)}
    taken = {old_path(change) for change in diff.files} - left
    edited: list[str] = []
    deleted: list[RetiredTest] = []
    for test in tests if taken else ():
        lost = _lost_file(test, taken) if test.change in EDITED else ""
        if lost and test.is_edited:
            edited.append(test.id)
        elif lost and test.head_on_head is None:
            stem = PurePosixPath(lost).stem
            may_test_more = whole_name(stem).search(test.path.replace("_", " ")) is None
            deleted.append(RetiredTest(test.id, (lost,), True, may_test_more))
    return tuple(edited), tuple(deleted)


def _lost_file(test: TestComparison, taken: set[str]) -> str:
    """Return which of these files a test lacks, by its message; "" where it fails for something else."""
    lacks = _LACKS_FILE.search(test.message)
    if lacks is None:
        return ""
    place = lacks["script"] or "/".join(
        part.replace(".", "/")
        for part in (lacks["whole"] or lacks["module"], lacks["name"])
        if part
    )
    if place.startswith("."):
        place = posixpath.normpath(posixpath.join(posixpath.dirname(test.path), place))
    names = [f"/{place}{ending}" for ending in (*ENDINGS, ".py", "/__init__.py")]
    found = (o for o in taken if any(n.endswith(f"/{o}") or f"/{o}".endswith(n) for n in names))
    return next(found, "")


def both_sides(path: str, base: Texts, head: Texts) -> ModuleVersions | None:
    """Read a file of Python on both sides; None where base has none that can be read."""
    texts = base.read(path.removeprefix("./")), head.read(path.removeprefix("./"))
    before, after = map(parse_python, texts)
    if before is None or (after is None and texts[1] is not None):
        return None
    return ModuleVersions(
        _PythonModule(before), _PythonModule(after or ast.Module([], [])), texts[0] != texts[1]
    )


@dataclass(frozen=True)
class _PythonModule:
    """A module's statements, by the names that they bind."""

    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)  # bound name: where it is from
    modules: set[str] = field(default_factory=set)  # what is loaded: it may do something by itself

    def __post_init__(self) -> None:
        for bound, module, name in imports_in(self.tree):
            self.modules.add(module)
            self.imports[bound] = f"{module}.{name}" if name else module

    @cached_property
    def bound(self) -> dict[str, list[ast.stmt]]:
        """The statements of the module that bind each name; imports are looked at by themselves."""
        found: dict[str, list[ast.stmt]] = {}
        for node in self.tree.body:
            for name in bound_by(node):
                found.setdefault(name, []).append(node)
        return found

    @cached_property
    def implicit(self) -> list[ast.stmt]:
        """What has a part in every test of the file, whether or not it names it.

        That is what does something by itself, or is a fixture of every test.
        """
        found: list[ast.stmt] = []
        for node in self.tree.body:
            if isinstance(node, Definition):
                marks = (ast.dump(one) for one in node.decorator_list)
                is_implicit = node.name in _SET_UPS or any("autouse" in one for one in marks)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                does = any(isinstance(inner, ast.Call) for inner in ast.walk(node))
                is_plain = all(isinstance(target, ast.Name) for target in targets) and not does
                is_implicit = not is_plain or "pytestmark" in bound_by(node)
            else:
                is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                is_implicit = not (_is_import(node) or is_text)
            found += [node] if is_implicit else []
        return found


@dataclass(frozen=True)
class ModuleVersions:
    """One file on both sides."""

    base: _PythonModule
    head: _PythonModule
    differs: bool

    @cached_property
    def gone(self) -> dict[str, str]:
        """The private names that only base's version imports, and where from."""
        return {
            name: origin
            for name, origin in self.base.imports.items()
            if name not in self.head.imports
            and any(part.startswith("_") for part in origin.lstrip(".").split("."))
        }

    @cached_property
    def only_leaves_out(self) -> bool:
        """Whether head's version only lacks statements that need the names that are gone."""
        kept = [one for one in self.base.tree.body if not self._needs_gone(one)]
        is_same = _equal(kept, self.head.tree.body) and self.head.modules <= self.base.modules
        return is_same and self._same_imports(set(self.base.imports) | set(self.head.imports))

    def base_test(self, test: str) -> ast.AST | None:
        """A test as base has it; None where it is not there once."""
        path = path_to(self.base.tree, test)
        return path[-1] if path else None

    def holds(self, test: str, alike: Alike | None = None) -> bool:
        """Whether a test stands on both sides alike, with all that it uses of its file.

        A `skipif` that asks for a name that is gone may go too: the test runs all the more.
        """
        agree = alike or _equal
        before = [copy.copy(one) for one in path_to(self.base.tree, test)]
        for one in before:
            one.decorator_list = [
                decorator
                for decorator in one.decorator_list
                if "skipif" not in ast.unparse(decorator)
                or _used([decorator]).isdisjoint(self.gone)
            ]
        after = path_to(self.head.tree, test)
        if not before or not after or not agree([before[-1]], [after[-1]]):
            return False
        implicit = [one for one in self.base.implicit if not self._needs_gone(one)]
        around = _of_classes(before[:-1])
        is_alike = agree(around, _of_classes(after[:-1])) and agree(implicit, self.head.implicit)
        if not is_alike or not self.head.modules <= self.base.modules:
            return False
        waiting, seen = _used([before[-1], *implicit, *around]), set[str]()
        while waiting:
            name = waiting.pop()
            seen.add(name)
            bound = self.base.bound.get(name, [])
            if name in self.gone or not agree(bound, self.head.bound.get(name, [])):
                return False
            waiting |= _used(bound) - seen
        return self._same_imports(seen)

    def _needs_gone(self, node: ast.stmt) -> bool:
        return isinstance(node, _PLAIN) and not _used([node]).isdisjoint(self.gone)

    def _same_imports(self, names: set[str]) -> bool:
        return all(
            self.base.imports.get(name) == self.head.imports.get(name)
            for name in names - self.gone.keys()
        )


def _equal(before: Sequence[ast.AST], after: Sequence[ast.AST]) -> bool:
    both = ([ast.dump(one) for one in side if not _is_import(one)] for side in (before, after))
    return next(both) == next(both)


def _of_classes(classes: Sequence[Definition]) -> list[ast.AST]:
    """What the classes round a test are, without their tests."""
    found: list[ast.AST] = []
    for one in classes:
        found += one.decorator_list
        found += one.bases if isinstance(one, ast.ClassDef) else []
        found += [
            node
            for node in one.body
            if not (isinstance(node, Definition) and node.name.lower().startswith("test"))
        ]
    return found


def _used(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that some code mentions; a parameter may be a fixture's name."""
    found: set[str] = set()
    for node in (inner for one in nodes for inner in ast.walk(one)):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # pytest.mark.usefixtures("name")
    return found


def bound_by(node: ast.stmt) -> set[str]:
    """The names that a statement binds; of a definition, its own alone."""
    if isinstance(node, Definition):
        return {node.name}
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.add(inner.id)
        elif isinstance(inner, Definition):
            found.add(inner.name)
    return found


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


# --- tests of scripts that load newer packages: base's version says nothing of head's code ----


_PLACE = r"['\"](?P<%s>[^'\"\n]{1,200})['\"]"
_END = r"[ \t]{0,9};?[ \t]{0,9}$"
_IMPORT = re.compile(
    rf"^import\b(?P<names>[^'\";()]{{1,500}}?)\bfrom[ \t]*{_PLACE % 'place'}{_END}"
    rf"|^(?:const|import)[ \t]+(?P<name>\w+)[ \t]*=[ \t]*require\({_PLACE % 'path'}\){_END}",
    re.MULTILINE,
)
_MEMBERS = re.compile(r"\{([^{}]*)\}")
_WHOLE = ("", "*", "default")
"""What an import names for all that a package exports."""
_MANIFEST = "package.json"
_DEPENDENCIES = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")


def loading_packages_otherwise(
    tests: Iterable[TestComparison], diff: Diff, base: TextReader, head: TextReader
) -> tuple[AdaptedTest, ...]:
    """Return the edited tests of whose files nothing changes but how such packages are imported."""
    changes = {one.path: one for one in diff.files if not (is_new(one) or is_gone(one))}
    manifests = [path for path in changes if posixpath.basename(path) == _MANIFEST]
    newer = {
        name.removeprefix("@types/")
        for path in manifests
        for name, version in _asked(head.read(path)).items()
        if _asked(base.read(old_path(changes[path]))).get(name, version) != version
    }
    if newer:  # of others: what the repository's own packages export is its own code
        named = (path for path in head.paths() if posixpath.basename(path) == _MANIFEST)
        newer -= {str(json_object(head.read(path)).get("name")) for path in named}
    found: list[AdaptedTest] = []
    alike: dict[str, bool] = {}
    for test in tests:
        change = changes.get(test.path)
        if not (change and newer and test.is_edited and test.only_loads_otherwise):
            continue
        if test.path not in alike:
            before, after = base.read(old_path(change)), head.read(change.path)
            alike[test.path] = _is_alike(before or "", after or "", newer)
        if alike[test.path]:
            found.append(AdaptedTest(test.id, only_moved=True, is_of_package=True))
    return tuple(found)


def _is_alike(before: str, after: str, newer: set[str]) -> bool:
    """Whether files differ in imports of these packages alone, and each name stands for what it did."""
    left = (_IMPORT.sub(_without(newer), before), _IMPORT.sub(_without(newer), after))
    return left[0] == left[1] and _imported(before) == _imported(after)


def _without(places: set[str]) -> Callable[[re.Match[str]], str]:
    return lambda one: "" if (one["place"] or one["path"]) in places else one.group()


def _imported(text: str) -> dict[str, tuple[str, str]]:
    """Return what each name stands for: a place, and what it exports, or "" for all of it."""
    found: dict[str, tuple[str, str]] = {}
    for one in _IMPORT.finditer(text):
        place = one["place"] or one["path"]
        members = " , ".join(_MEMBERS.findall(one["names"] or "")).split(",")
        alone = _MEMBERS.sub("", one["names"] or one["name"]).split(",")
        for part, is_member in [*((p, True) for p in members), *((p, False) for p in alone)]:
            words = part.replace("*", " * ").split()
            if words and words[0] != "type":
                said = words[0] if is_member or "as" in words else ""
                found[words[-1]] = (place, "" if said in _WHOLE else said)
    return found


def _asked(text: str | None) -> Mapping[str, str]:
    """Return the packages that a manifest asks for, with their versions."""
    tables = map(json_object(text).get, _DEPENDENCIES)
    return {str(k): str(v) for table in tables if isinstance(table, dict) for k, v in table.items()}
