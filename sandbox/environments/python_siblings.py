"""Which other projects of the same repository a Python project needs: they are taken from the tree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.utils import canonicalize_name

from sandbox.environments.python_digest import requirement_files
from sandbox.environments.python_project import Project, read_project
from sandbox.environments.python_requirement import requirement_name
from sandbox.environments.python_selection import Selection
from sandbox.environments.tree import Tree

_DECLARES = {"pyproject.toml", "setup.py", "setup.cfg"}
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Sibling:
    """Another project of the repository: its normalised name, its folder, and its files."""

    name: str
    folder: str
    tree: Tree


def needed_siblings(whole: Tree, root: str, names: Iterable[str]) -> tuple[Sibling, ...]:
    """Return the projects whose names are required, and those that they require in turn."""
    declaring = [PurePosixPath(path) for path in whole.files()]
    folders = dict.fromkeys(path.parent.as_posix() for path in declaring if path.name in _DECLARES)
    known: dict[str, Sibling] = {}
    for folder in folders:
        tree = Tree(whole.root / folder)
        project = read_project(tree)
        if folder not in (".", root) and project.name and project.is_installable:
            known[project.name] = Sibling(project.name, folder, tree)
    found: dict[str, Sibling] = {}
    waiting = [*names, *(_named_in_code(Tree(whole.root / root), known))] if known else []
    while waiting:
        one = known.get(waiting.pop())
        if one and one.name not in found:
            found[one.name] = one
            project = read_project(one.tree)
            waiting += [requirement_name(line) for line in project.dependencies]
            waiting += _named_in_code(one.tree, known)
    return tuple(found[name] for name in sorted(found))


def _named_in_code(tree: Tree, known: dict[str, Sibling]) -> list[str]:
    """Look for the names where only code, or another notation, says what is required."""
    if not read_project(tree).is_dynamic or tree.toml("pyproject.toml").table("tool").has("poetry"):
        return []
    words = _WORD.findall(f"{tree.read('setup.py')}\n{tree.read('setup.cfg')}")
    return [name for word in words if (name := canonicalize_name(word)) in known]


def requirement_names(tree: Tree, project: Project, selection: Selection) -> set[str]:
    """Return the normalised names that are known to be installed; dynamic ones are not known."""
    lines = [*project.dependencies, *selection.packages]
    for entry in (*project.extras, *selection.groups):
        if entry.name in selection.extras or entry in selection.groups:
            lines += entry.requirements
    for _, text in requirement_files(tree, selection.files):
        lines += text.splitlines()
    return {requirement_name(line) for line in lines}
