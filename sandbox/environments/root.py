"""Finds the project in a repository of many: the folder that the change is about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from sandbox.environments import ECOSYSTEMS
from sandbox.environments.tree import Tree

# Projects inside these are material of tests or documentation, not what the change is about.
_MATERIAL = {"test", "tests", "__tests__", "spec", "fixtures", "__fixtures__", "docs", "testdata"}


def nearest_root(tree: Path, changed: Iterable[str]) -> str:
    """Return the folder of the project that all changed paths belong to, "" for the tree itself.

    A folder counts as a project of its own when it has a project file and tests; a change in
    several of them belongs to the tree.
    """
    files = Tree(tree)
    known: dict[str, bool] = {}
    nearest = {_nearest(files, PurePosixPath(path), known) for path in changed}
    return nearest.pop() if len(nearest) == 1 else ""


def common_root(base: Path, head: Path, changed: Iterable[str]) -> str:
    """Return the project's folder when both sides agree on it, else "": one layout for both."""
    paths = tuple(changed)
    root = nearest_root(base, paths)
    return root if root and nearest_root(head, paths) == root else ""


def _nearest(tree: Tree, path: PurePosixPath, known: dict[str, bool]) -> str:
    for folder in path.parents:
        name = folder.as_posix()
        if name == "." or ".." in folder.parts or folder.is_absolute():
            return ""
        if name not in known:
            known[name] = _is_project(tree, folder)
        if known[name]:
            return name
    return ""


def _is_project(tree: Tree, folder: PurePosixPath) -> bool:
    if _MATERIAL.intersection(folder.parts) or not tree.is_plain(folder.as_posix()):
        return False
    place = Tree(tree.root / folder)
    found = (one.weigh(place) for one in ECOSYSTEMS.values())
    return any(evidence and evidence.declared and evidence.tests for evidence in found)
