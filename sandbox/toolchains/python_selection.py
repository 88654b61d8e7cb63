"""Which extras, groups and requirement files a Python project's tests need, each with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from sandbox.toolchains.python_arguments import requirement_name
from sandbox.toolchains.python_ci import TestHints
from sandbox.toolchains.python_digest import names_local_project
from sandbox.toolchains.python_project import NamedList, Project
from sandbox.toolchains.tree import Tree

_TESTS = {
    "test",
    "tests",
    "testing",
    "pytest",
    "unittest",
    "unittests",
    "hatch-test",
    "tests-require",
}
_DEVELOPMENT = {"dev", "develop", "development", "default"}
_IS_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")  # it becomes an argument of a command
_DEVELOPMENT_FILES = _DEVELOPMENT | {"ci", "devel"}


@dataclass(frozen=True, slots=True)
class Selection:
    """What is installed beside the project's own dependencies. `reasons` are full sentences."""

    extras: tuple[str, ...]
    groups: tuple[NamedList, ...]
    files: tuple[str, ...]
    packages: tuple[str, ...]
    reasons: tuple[str, ...]


def select(tree: Tree, project: Project, hints: tuple[TestHints, ...]) -> Selection:
    """Choose by name, by what tox or CI installs, and by what brings pytest."""
    extras = _chosen(project.extras, {h.source: h.extras for h in hints})
    groups = _chosen(project.groups, {h.source: h.groups for h in hints})
    if not extras and not groups:
        extras = _development(project.extras)
        groups = _development(project.groups)
    files = _files(tree, project, hints)
    packages = {p: h.source for h in reversed(hints) for p in h.packages}
    reasons = (
        *(f"Extra `{name}` is installed, because {why}." for name, why in extras.items()),
        *(
            f"Dependency group `{name}` is installed, because {why}."
            for name, why in groups.items()
        ),
        *(f"`{path}` is installed, because {why}." for path, why in files.items()),
        *(f"`{text}` is installed, because {source} does." for text, source in packages.items()),
    )
    chosen = tuple(group for group in project.groups if group.name in groups)
    return Selection(tuple(extras), chosen, tuple(files), tuple(packages), reasons)


def _chosen(lists: tuple[NamedList, ...], named_by: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Return name → why for the lists whose name, hint or content says that tests need them."""
    found: dict[str, str] = {}
    for entry in lists:
        if not _IS_NAME.fullmatch(entry.name):
            continue
        sources = [source for source, names in named_by.items() if entry.name in names]
        name = entry.name.lower().replace("_", "-")
        if name in _TESTS:
            found[entry.name] = "its name says that it is for tests"
        elif name in _DEVELOPMENT and _brings_pytest(entry):
            found[entry.name] = "it is for development and brings pytest"
        elif sources:
            found[entry.name] = f"{sources[0]} installs it"
    return found


def _brings_pytest(entry: NamedList) -> bool:
    return any(requirement_name(requirement) == "pytest" for requirement in entry.requirements)


def _development(lists: tuple[NamedList, ...]) -> dict[str, str]:
    """With nothing named for tests, take what is for development, or else what brings pytest."""
    lists = tuple(entry for entry in lists if _IS_NAME.fullmatch(entry.name))
    for entry in lists:
        if entry.name.lower() in _DEVELOPMENT:
            return {entry.name: "it is for development and nothing is named for tests"}
    for entry in lists:
        if _brings_pytest(entry):
            return {entry.name: "it brings pytest"}
    return {}


def _files(tree: Tree, project: Project, hints: tuple[TestHints, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for hint in hints:
        for path in hint.files:
            if tree.read_bytes(path):
                found.setdefault(path, f"{hint.source} installs it")
    for path in _requirement_files(tree):
        if _words(path) & _TESTS:
            found.setdefault(path, "its name says that it is for tests")
    for path in _requirement_files(tree) if not found else []:
        if _words(path) & _DEVELOPMENT_FILES:
            found.setdefault(path, "its name says that it is for development")
    text = tree.read("requirements.txt")
    if text and (not _states_dependencies(project) or _is_development_file(text)):
        found.setdefault("requirements.txt", "it lists what the repository needs")
    return found


def _words(path: str) -> set[str]:
    return set(re.split(r"[\W_]+", PurePosixPath(path).with_suffix("").as_posix().lower()))


def _requirement_files(tree: Tree) -> list[str]:
    folders = [*tree.listing(".", ".txt"), *tree.listing("requirements", ".txt")]
    folders += [*tree.listing("tests", ".txt"), *tree.listing("test", ".txt")]
    return [path for path in folders if "require" in path.lower()]


def _states_dependencies(project: Project) -> bool:
    return project.source == "pyproject.toml" and bool(
        project.dependencies or project.is_installable
    )


def _is_development_file(text: str) -> bool:
    return names_local_project(text) or bool(re.search(r"^pytest\b", text, re.M))
