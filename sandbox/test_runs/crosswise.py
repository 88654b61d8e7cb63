"""Finds what of two trees belongs to the tests and differs, so that it can be run crosswise."""

from __future__ import annotations

import ast
import filecmp
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import TREE, Mount
from sandbox.test_runs.four_runs import is_below
from sandbox.test_runs.path_kinds import (
    PathKind,
    classify,
    loaded_by_configuration,
    runner_configuration,
    scope,
    speaks_by_absence,
)
from sandbox.toolchains import layers
from sandbox.toolchains.layers import DEPENDENCIES, PROJECT
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment, TestRun


@dataclass(frozen=True, slots=True)
class Crosswise:
    """`swapped` are the paths that travel with the tests; the others are what has to run.

    `base_paths` run with base's tests on head's code, `head_paths` the other way round; files or
    folders, "" is everything, and an empty tuple means that nothing differs.
    """

    swapped: tuple[str, ...]
    base_paths: tuple[str, ...]
    head_paths: tuple[str, ...]


Made = Mapping[str, Path]
"""Files that a build wrote among the tests, by their paths in the tree."""


def find_crosswise(
    base_tree: Path, head_tree: Path, made: tuple[Made, Made] = ({}, {})
) -> Crosswise:
    """Compare the tests, their support files and the runner's configuration of two trees.

    The trees speak, not the diff: a diff is capped, and renames do not matter here. `made` is what the
    builds of base and head added to them; it is not swapped here, but it decides what has to run.
    """
    base, head = _test_side(base_tree), _test_side(head_tree)
    sides = ((base_tree, base), (head_tree, head))
    found = (loaded_by_configuration(tree, path) for tree, paths in sides for path in paths)
    loaded = {one for paths in found for one in paths}
    base |= {path for path in loaded if (base_tree / path).is_file()}
    head |= {path for path in loaded if (head_tree / path).is_file()}
    swapped = {path for path in base | head if _differs(base_tree, head_tree, path)}
    made_alike = {
        path
        for path, file in made[0].items()
        if path in made[1] and filecmp.cmp(file, made[1][path], shallow=False)
    }
    made_apart = {*made[0], *made[1]} - made_alike
    base_paths: set[str] = set()
    head_paths: set[str] = set()
    for path in swapped | made_apart:
        kind = classify(path)
        reach = path if kind is PathKind.TEST else scope(path)
        if path in loaded and kind is PathKind.SOURCE:
            reach = ""
        # Data that one side does not have changes nothing for that side's tests; code might.
        always = speaks_by_absence(path)
        if path in base or path in made[0] or always:
            base_paths.add(reach)
        if path in head or path in made[1] or always:
            head_paths.add(reach)
    return Crosswise(tuple(sorted(swapped)), _least(base_paths, base), _least(head_paths, head))


def _test_side(tree: Path) -> set[str]:
    """Return every file that is not source, as paths relative to the tree."""
    found = set()
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), tree)  # noqa: PTH118
            if classify(path) is not PathKind.SOURCE:
                found.add(path)
    return found


def _differs(base_tree: Path, head_tree: Path, path: str) -> bool:
    if classify(path) is PathKind.RUNNER_CONFIG:
        return runner_configuration(base_tree, path) != runner_configuration(head_tree, path)
    one, other = base_tree / path, head_tree / path
    if one.is_symlink() or other.is_symlink():
        return not (one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink())
    if not (one.is_file() and other.is_file()):
        return True
    return not filecmp.cmp(one, other, shallow=False)


def _least(paths: set[str], files: set[str]) -> tuple[str, ...]:
    """Drop what another entry holds already, and what has no file on this side."""
    kept = {path for path in paths if not any(is_below(path, (other,)) for other in paths - {path})}
    return tuple(sorted(path for path in kept if any(is_below(file, (path,)) for file in files)))


# --- what surrounds the tests beside the tree ------------------------------------------------------
# All of it comes out of a build, which the side under test can bend. Where the two sides differ in
# it, base's tests run once more with base's, on head's code.


_SILENT = str(Path(__file__).parent.parent / "harness" / "silent.py")
_SITE = "lib/python3*/site-packages"
_GROUP = "pytest11"
_RUNNER = {"pytest": ("pytest", "_pytest"), "pluggy": ("pluggy",), "iniconfig": ("iniconfig",)}
_MOST = 2000
_NAME = re.compile(r"[\w.:-]{1,100}")
_AT_START = ("sitecustomize*", "usercustomize*", "sitecustomize/*", "usercustomize/*", "*.pth")
# What an installation in place needs: a folder of the tree, or the finder that its build backend wrote.
_IN_PLACE = re.compile(
    rf"{re.escape(TREE)}(/[^\n]*)?|import (?P<finder>__editable__\w+_finder); (?P=finder)\.install\(\)"
    r"|import _virtualenv|import _assay_project"
)


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point that pytest loads by itself: its name, its module, and is it the project's own."""

    name: str
    module: str
    is_own: bool


def plugins(environment: Environment) -> frozenset[Plugin]:
    """Return what pytest loads by itself in an environment."""
    found: set[Plugin] = set()
    both = ((environment.project_layer, True), (environment.dependencies_layer, False))
    for layer, is_own in both:
        files = Path(layer).glob(f"{_SITE}/*-info/entry_points.txt") if layer else ()
        for file in sorted(files)[:_MOST]:
            listed = Tree(file.parent).ini(file.name)
            pairs = listed.items(_GROUP) if listed.has_section(_GROUP) else ()
            found |= {Plugin(*pair, is_own) for pair in pairs if all(map(_NAME.fullmatch, pair))}
    return frozenset(found)


def plugin_arguments(base: Environment, head: Environment) -> tuple[str, ...] | None:
    """Return what loads base's plug-ins on head by name; None where head's are the same.

    A name of base's dependencies that head's own project claims is loaded as base's module.
    """
    wanted, there = plugins(base), plugins(head)
    if wanted == there:
        return None
    claimed = {one.name for one in there if one.is_own} - {one.name for one in wanted if one.is_own}
    names = sorted(one.module if one.name in claimed else one.name for one in wanted)
    return tuple(word for name in dict.fromkeys(names) for word in ("-p", name))


def silenced_at_start(base: Environment, head: Environment) -> tuple[Mount, ...]:
    """Return mounts that lay nothing over what runs when head's Python starts and not in base's."""
    known = {digest for _, digest in _at_start(base)}
    return tuple(Mount(_SILENT, path) for path, digest in _at_start(head) if digest not in known)


def runner_of_base(base: Environment, head: Environment) -> tuple[Mount, ...]:
    """Return mounts of base's pytest where head's is the same version and code of head ran beside it."""
    layers_differ = base.dependencies_layer != head.dependencies_layer
    if not (head.recipe.runs_tree and layers_differ and base.dependencies_layer):
        return ()
    theirs = {name.name for name in Path(head.dependencies_layer).glob(f"{_SITE}/*.dist-info")}
    found = []
    for info in Path(base.dependencies_layer).glob(f"{_SITE}/*.dist-info"):
        for name in _RUNNER.get(info.name.partition("-")[0], ()) if info.name in theirs else ():
            place = info.with_name(name).relative_to(base.dependencies_layer)
            if (Path(head.dependencies_layer) / place).is_dir():
                found.append(Mount(str(info.with_name(name)), f"{DEPENDENCIES}/{place}"))
    return tuple(found)


def _at_start(environment: Environment) -> Iterator[tuple[str, str]]:
    places = ((environment.project_layer, PROJECT), (environment.dependencies_layer, DEPENDENCIES))
    for layer, target in places:
        files = (f for name in _AT_START for f in Path(layer).glob(f"{_SITE}/{name}") if layer)
        for file in files:
            if not file.is_file() or file.is_symlink():
                continue
            folder = Tree(file.parent)
            lines = folder.read(file.name).splitlines()
            bare = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
            if file.suffix == ".pth" and all(map(_IN_PLACE.fullmatch, bare)):
                continue
            content = folder.read_bytes(file.name)
            digest = hashlib.sha256(file.name.encode() + b"\0" + content).hexdigest()
            yield f"{target}/{file.relative_to(layer)}", digest


def made_for_tests(environment: Environment) -> dict[str, Path]:
    """Return the files that a build wrote among the tests, by their paths in the tree."""
    found: dict[str, Path] = {}
    for layer in (environment.dependencies_layer, environment.project_layer):
        for mount in layers.kept(layer, of_tests=True):
            path, source = mount.target.removeprefix(f"{TREE}/"), Path(mount.source)
            files = [f for f in source.rglob("*") if f.is_file()] if source.is_dir() else []
            found |= {f"{path}/{f.relative_to(source).as_posix()}": f for f in files[:_MOST]}
            if source.is_file():
                found[path] = source
    return found


# --- one side's doctests on the other side's code: examples in docstrings stand inside the source --
# A text file of examples travels whole, as a test file does. Of a module only the docstrings with
# examples travel; where the other code lacks the function, a stand-in fails as a missing name would.


_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, order=True)
class _DocstringEdit:
    """Bytes to put in; where two start at one place, what stands deeper comes first."""

    start: int
    above: int
    end: int
    put: bytes


@dataclass(frozen=True, slots=True)
class Doctests:
    """What of both sides' doctests differs.

    `files` are texts to swap whole. `base_on_head` are modules of head with base's docstrings by
    path, `head_on_base` the other way round.
    """

    files: tuple[str, ...] = ()
    base_on_head: dict[str, str] = field(default_factory=dict)
    head_on_base: dict[str, str] = field(default_factory=dict)


def find_doctests(base_tree: Path, head_tree: Path, base: TestRun, head: TestRun) -> Doctests:
    """Compare the files in which doctests ran on either side, and are no test files anyway."""
    results = (*base.results, *head.results)
    paths = {
        one.path for one in results if one.is_doctest and classify(one.path) is PathKind.SOURCE
    }
    before, after = Tree(base_tree), Tree(head_tree)
    differing = sorted(p for p in paths if before.read_bytes(p) != after.read_bytes(p))
    modules = [path for path in differing if path.endswith(".py")]
    texts = {path: (before.read(path), after.read(path)) for path in modules}
    return Doctests(
        files=tuple(path for path in differing if not path.endswith(".py")),
        base_on_head={
            p: text for p, (b, h) in texts.items() if h and (text := with_doctests(h, b))
        },
        head_on_base={
            p: text for p, (b, h) in texts.items() if (text := with_doctests(b, h, stand_ins=True))
        },
    )


def with_doctests(code: str, other: str, stand_ins: bool = False) -> str:
    """Return `code` with the examples of `other`'s docstrings; "" when nothing differs."""
    try:
        own, theirs = _Module(code), _Module(other)
        edits = list(_edits(own, theirs, stand_ins))
        text = own.data
        for edit in sorted(edits, reverse=True):
            text = text[: edit.start] + edit.put + text[edit.end :]
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return text.decode() if edits else ""


class _Module:
    """A module's definitions by qualified name, and where they stand in its bytes."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        tree = ast.parse(self.data)
        self.definitions: dict[str, ast.Module | _Definition] = {"": tree}
        for name, node in _named(tree.body, ""):
            while name in self.definitions:  # a second one, such as an overload or a setter
                name += "'"  # noqa: PLW2901
            self.definitions[name] = node

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def after(self, line: int) -> int:
        return self._starts[min(line, len(self._starts) - 1)]

    def place(self, name: str) -> tuple[int, int]:
        """Return where a definition's docstring stands; an empty place before its body for none."""
        body = self.definitions[name].body
        if not body:
            return len(self.data), len(self.data)
        first = body[0]
        start = self.offset(first.lineno, first.col_offset)
        value = first.value if isinstance(first, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return start, self.offset(first.end_lineno or 0, first.end_col_offset or 0)
        decorators = getattr(first, "decorator_list", [])
        lines = [first.lineno, *(one.lineno for one in decorators)]
        start = self.offset(min(lines), first.col_offset)
        return start, start

    def docstring(self, name: str) -> bytes:
        """Return a docstring as it is written, quotes and all; b"" for none."""
        start, end = self.place(name)
        return self.data[start:end]

    def indent(self, offset: int) -> bytes | None:
        """Return what stands on the line before, None when that is more than blanks."""
        before = self.data[:offset].rpartition(b"\n")[2]
        return before if not before.strip() else None


def _named(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, _Definition]]:
    for node in body:
        if isinstance(node, _Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _named(node.body, f"{prefix}{node.name}.")
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _named(getattr(node, part, None) or [], prefix)


def _edits(own: _Module, theirs: _Module, stand_ins: bool) -> Iterator[_DocstringEdit]:
    missing: set[str] = set()
    for name in theirs.definitions:
        said = theirs.docstring(name)
        if b">>>" not in said and name in own.definitions:
            continue
        if name in own.definitions:
            start, end = own.place(name)
            if own.data[start:end] != said:
                put = said
                if end == start:  # there is none yet: it comes before the body
                    indent = own.indent(start)
                    put += b"; " if indent is None else b"\n" + indent
                yield _DocstringEdit(start, 0, end, put)
        elif stand_ins and "'" not in name and name.rpartition(".")[0] not in missing:
            missing.add(name)
            yield from _stand_in(own, theirs, name)
        elif stand_ins:
            missing.add(name)  # stands in its class's stand-in


def _stand_in(own: _Module, theirs: _Module, name: str) -> Iterator[_DocstringEdit]:
    """Append what only the other side defines, if there are examples in it."""
    lines = _lines_of(theirs, name, "")
    if not any(b">>>" in line for line in lines):
        return
    holder = name.rpartition(".")[0]
    if not holder:
        yield _DocstringEdit(len(own.data), 0, len(own.data), b"\n\n" + b"\n".join(lines) + b"\n")
        return
    body = own.definitions[holder].body
    indent = own.indent(own.offset(body[0].lineno, body[0].col_offset))
    if indent:
        end = own.after(body[-1].end_lineno or 0)
        lines = _lines_of(theirs, name, indent.decode())
        lead = b"" if own.data[:end].endswith(b"\n") else b"\n"
        yield _DocstringEdit(end, -len(indent), end, lead + b"\n".join(lines) + b"\n")


def _lines_of(theirs: _Module, name: str, indent: str) -> list[bytes]:
    node, last = theirs.definitions[name], name.rpartition(".")[2]
    said = theirs.docstring(name) or b"''"
    fails = f"raise NameError(\"name '{last}' is not defined\")"
    if not isinstance(node, ast.ClassDef):
        head = f"{indent}def {last}(*_arguments, **_named):\n{indent}    "
        return [head.encode() + said, f"{indent}    {fails}".encode()]
    new = f"{indent}    def __new__(cls, *_arguments, **_named):\n{indent}        {fails}"
    lines = [f"{indent}class {last}:\n{indent}    ".encode() + said, new.encode()]
    for inner, _ in _named(node.body, f"{name}."):
        if inner.count(".") == name.count(".") + 1 and not inner.endswith(".__new__"):
            lines += _lines_of(theirs, inner, f"{indent}    ")
    return lines
