"""Finds the projects of a repository: the folders that are built and tested by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

from sandbox.errors import must_exist
from sandbox.toolchains import ECOSYSTEMS
from sandbox.toolchains.node_workspace import TABLES, is_workspace, packages_tested
from sandbox.toolchains.python_project import read_project, requirement_name
from sandbox.toolchains.tree import Tree

MOST_PROJECTS = 12
"""How many projects one evaluation builds and runs at most."""
# Projects inside these are material of tests or documentation, not what the change is about.
_MATERIAL = {"test", "tests", "__tests__", "spec", "fixtures", "__fixtures__", "docs", "testdata"}
# So are those of a template, whose files are none before somebody fills them in.
_OF_TEMPLATE = re.compile(r"\{[{%]")
_MANIFESTS = {
    "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "package.json", "go.mod",
    "Cargo.toml", "pom.xml", "CMakeLists.txt", "Makefile",
}  # fmt: skip
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc")
_SETTINGS = (".json", ".toml", ".yaml", ".yml", ".cfg", ".ini", ".lock")
_LOCKS = {
    "uv.lock", "poetry.lock", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "Cargo.lock",
}  # fmt: skip
_LINKING = ("lerna.json", "rush.json", "nx.json")  # tools that link packages, too
# A range, and no protocol (`file:`, `link:`, `workspace:`), address or tag.
_VERSION = re.compile(r"[\^~<>= v]*\d[\w.^~<>=| *+-]*")


class Projects:
    """The projects of a repository, those of base that head still has: "" is the whole repository.

    A folder counts as a project of its own when it has a project file, and tests that can be run
    there. Base says so: a change that takes a project file away is still judged by its tests. Folders
    that the configuration lists are the projects, and no others are.
    """

    def __init__(self, base: Path, head: Path, listed: tuple[str, ...] = ()) -> None:
        self._sides = (must_exist(base), must_exist(head))
        self._listed = listed
        self._known: dict[str, bool] = {}
        self._from_registry: dict[tuple[PurePosixPath, bool], frozenset[str]] = {}

    def of(self, path: str) -> str:
        """Return the innermost project that a file belongs to."""
        for folder in PurePosixPath(path).parents:
            name = folder.as_posix()
            if name == "." or ".." in folder.parts or folder.is_absolute():
                return ""
            if self._is_project(folder):
                return name
        return ""

    def touched(self, changed: Iterable[str]) -> tuple[str, ...]:
        """Return the projects that a change is about, the one with the most changed files first."""
        paths = tuple(changed)
        found = [self.of(path) for path in paths]
        counted = {one: found.count(one) for one in found}
        if "" in counted and self.all:
            outside = tuple(path for path in paths if not self.of(path))
            counted = self._without_the_top(counted, outside)
        return tuple(sorted(counted, key=lambda one: (-counted[one], one))) or ("",)

    def _without_the_top(self, counted: dict[str, int], outside: tuple[str, ...]) -> dict[str, int]:
        """Decide what a change above the projects is about: the top, all of them, or none more."""
        others = {one: count for one, count in counted.items() if one}
        if self._listed:
            concerns_all = not others or not all(map(_is_aside, outside))
            return dict.fromkeys(self.all, 0) | others if concerns_all else others
        if self.has_top:
            return counted if not others or not all(map(_is_aside, outside)) else others
        # A file above all projects that is no code may speak of each of them.
        is_shared = all(_is_aside(one) or PurePosixPath(one).suffix in _SETTINGS for one in outside)
        if others or not is_shared or len(self.all) > MOST_PROJECTS:
            return others or counted
        return dict.fromkeys(self.all, 0)

    @cached_property
    def all(self) -> tuple[str, ...]:
        """All projects below the top."""
        if self._listed:
            return self._listed
        files = (PurePosixPath(path) for path in Tree(self._sides[0]).files())
        folders = dict.fromkeys(path.parent for path in files if path.name in _MANIFESTS)
        return tuple(one.as_posix() for one in folders if one.parts and self._is_project(one))

    @cached_property
    def has_top(self) -> bool:
        """Whether there are tests above all projects, too: the top may only run those of projects."""
        top, own = Tree(self._sides[0]), Tree(self._sides[0], without=self.all)
        tested = packages_tested(top)
        if (
            tested is not None
            and set(tested) <= set(self.all)
            and not ECOSYSTEMS["node"].runs_alone(top)
        ):
            return False
        weighed = (one.weigh(own) for one in ECOSYSTEMS.values())
        return not self._listed and any(found is not None and found.tests for found in weighed)

    @cached_property
    def names(self) -> dict[str, str]:
        """Return the folders of packages, with or without tests, by the name they are imported by."""
        found: dict[str, str] = {}
        for tree in map(Tree, self._sides):
            for path in map(PurePosixPath, tree.files()):
                name = _declared_name(tree, path) if path.parent.parts else ""
                if name:
                    found.setdefault(name, path.parent.as_posix())  # head takes no name from base
        return found

    def from_registry(self, path: str) -> frozenset[str]:
        """Return what the packages around a file take from a registry by a version, on both sides.

        Of Node these are names of packages, of Python names to import. In a workspace a version may mean the
        package beside it, so no name of one counts there. Other languages, and Python without a workspace of
        uv, resolve names by what is installed, which is not asked here.
        """
        found: set[str] = set()
        is_python = path.endswith(".py")
        for folder in PurePosixPath(path).parents:
            key = folder, is_python
            if key not in self._from_registry:
                own = frozenset(self.names)
                taken = [
                    _taken_by_python(tree, folder)
                    if is_python
                    else _taken_by_version(tree, folder, own)
                    for tree in map(Tree, self._sides)
                ]
                here = [one for one in taken if one is not None]
                self._from_registry[key] = frozenset.intersection(*here) if here else frozenset()
            found |= self._from_registry[key]
        return frozenset(found)

    def _is_project(self, folder: PurePosixPath) -> bool:
        name = folder.as_posix()
        if self._listed:
            return name in self._listed
        if name not in self._known:
            base, head = map(Tree, self._sides)
            self._known[name] = _is_project(base, folder) and head.is_plain(name)
        return self._known[name]


def _is_project(tree: Tree, folder: PurePosixPath) -> bool:
    is_material = _MATERIAL.intersection(folder.parts) or _OF_TEMPLATE.search(folder.as_posix())
    if is_material or not tree.is_plain(folder.as_posix()):
        return False
    place = Tree(tree.root / folder)
    weighed = ((one, one.weigh(place)) for one in ECOSYSTEMS.values())
    return any(
        found and found.declared and found.tests and one.runs_alone(place) for one, found in weighed
    )


def _taken_by_version(
    tree: Tree, folder: PurePosixPath, own: frozenset[str]
) -> frozenset[str] | None:
    """Return the names that the package in a folder takes by a version; None where there is no package.

    `own` are the names of the repository's packages, which a workspace may link.
    """
    if not tree.is_plain(str(folder / "package.json")):
        return None
    is_linking = any(
        is_workspace(tree, str(one)) or any(tree.is_plain(str(one / o)) for o in _LINKING)
        for one in (folder, *folder.parents)
    )
    tables = map(tree.json(str(folder / "package.json")).table, TABLES)
    found = frozenset(
        name for table in tables for name in table.names() if _VERSION.fullmatch(table.text(name))
    )
    return found - own if is_linking else found


def _taken_by_python(tree: Tree, folder: PurePosixPath) -> frozenset[str] | None:
    """Return what the project in a folder outside of uv's workspace takes from an index; None for no project.

    A folder that the workspace does not list, such as an example, gets the published package.
    """
    if not tree.is_plain(str(folder / "pyproject.toml")):
        return None
    spaces = (
        (above, tree.toml(str(above / "pyproject.toml")).table("tool", "uv", "workspace"))
        for above in folder.parents
    )
    top, space = next(((above, one) for above, one in spaces if one.names()), (folder, None))
    inside = folder.relative_to(top).as_posix()

    def lists(key: str) -> bool:
        patterns = space.strings(key) if space else ()
        return any(fnmatchcase(inside, one.removeprefix("./").rstrip("/")) for one in patterns)

    if space is None or (lists("members") and not lists("exclude")):
        return frozenset()
    project = read_project(Tree(tree.root / folder))
    lists_of_more = (one.requirements for one in (*project.extras, *project.groups))
    sources = tree.toml(str(folder / "pyproject.toml")).table("tool", "uv", "sources").names()
    linked = set(map(requirement_name, sources))
    taken = {
        requirement_name(text)
        for text in chain(project.dependencies, *lists_of_more)
        if "@" not in text
    }
    return frozenset(name.replace("-", "_") for name in taken - linked if name)


def _is_aside(path: str) -> bool:
    """Whether a file above all projects is documentation, automation, or a lock that goes with them."""
    pure = PurePosixPath(path)
    hidden = pure.parts[0].startswith(".")
    return hidden or pure.suffix.lower() in _DOCUMENTS or pure.name in _LOCKS


def _declared_name(tree: Tree, manifest: PurePosixPath) -> str:
    """Return the name by which code imports what a project file declares; "" where paths say it."""
    path = manifest.as_posix()
    if manifest.name == "package.json":
        return tree.json(path).text("name")
    if manifest.name == "Cargo.toml":
        return tree.toml(path).table("package").text("name").replace("-", "_")
    if manifest.name == "pyproject.toml":
        return tree.toml(path).table("project").text("name").replace("-", "_").lower()
    if manifest.name == "go.mod":
        words = tree.read(path).split()
        return words[1] if words[:1] == ["module"] and len(words) > 1 else ""
    return ""
