"""Finds the project in a repository of many: the folder that the change is about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sandbox.environments.tree import Tree

_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")


def nearest_root(tree: Path, changed: Iterable[str]) -> str:
    """Return the folder of the project that all changed paths belong to, "" for the tree itself.

    A folder counts as a project of its own when it has a project file and tests; a change in
    several of them belongs to the tree.
    """
    files = Tree(tree)
    nearest = {_nearest(files, PurePosixPath(path)) for path in changed}
    return nearest.pop() if len(nearest) == 1 else ""


def _nearest(tree: Tree, path: PurePosixPath) -> str:
    for folder in path.parents:
        name = folder.as_posix()
        if name == "." or ".." in folder.parts or folder.is_absolute():
            return ""
        has_file = any(tree.is_plain(f"{name}/{file}") for file in _PROJECT_FILES)
        if has_file and _has_tests(tree, name):
            return name
    return ""


def _has_tests(tree: Tree, folder: str) -> bool:
    names = (PurePosixPath(path).name for path in Tree(tree.root / folder).files())
    return any(name.startswith("test_") or name.endswith("_test.py") for name in names)
