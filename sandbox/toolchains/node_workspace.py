"""What of a workspace is built before one of its packages is tested: the packages that it imports."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from sandbox.base import TREE
from sandbox.toolchains.tree import Table, Tree

BUILDS = ("build", "compile", "prepare")
DEPENDENCIES = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_MOST_PACKAGES = 40
_DEEP = 10


def workspace_builds(tree: Tree, root: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Return the commands that build what a package needs of its workspace, in order, and the names.

    A package is built where its entry is not in the tree. A build that fails ends nothing: the tests
    show whether they needed it.
    """
    if not root:
        return (), ()
    members = _members(tree)
    found: dict[str, str] = {}
    _visit(tree, root, members, found, 0)
    names = [name for name, folder in found.items() if folder != root and _is_unbuilt(tree, folder)]
    lines = [_line(tree, found[name]) for name in names]
    return tuple(("sh", "-c", line) for line in lines), tuple(names)


def _members(tree: Tree) -> dict[str, str]:
    """Return the folders of the repository's packages by their names."""
    paths = [path for path in tree.files() if PurePosixPath(path).name == "package.json"]
    return {
        name: str(PurePosixPath(path).parent)
        for path in paths
        if (name := tree.json(path).text("name"))
    }


def _visit(
    tree: Tree, folder: str, members: dict[str, str], found: dict[str, str], depth: int
) -> None:
    """Add the packages that one needs, what these need first."""
    for name in _needed(tree.json(f"{folder}/package.json")):
        inner = members.get(name)
        if inner and name not in found and depth < _DEEP and len(found) < _MOST_PACKAGES:
            found[name] = inner  # marks it: workspaces have circles
            _visit(tree, inner, members, found, depth + 1)
            found[name] = found.pop(name)


def _needed(manifest: Table) -> Iterator[str]:
    for field in DEPENDENCIES:
        yield from manifest.table(field).names()


def _is_unbuilt(tree: Tree, folder: str) -> bool:
    manifest = tree.json(f"{folder}/package.json")
    entries = [manifest.text("main"), manifest.text("module"), *_texts(manifest.data, "exports")]
    plain = [entry.removeprefix("./") for entry in entries if entry and "*" not in entry]
    is_there = any(tree.has(f"{folder}/{entry}") for entry in plain)
    return bool(plain) and not is_there and bool(_script(manifest))


def _texts(data: object, key: str) -> list[str]:
    """Return every path of an `exports` field, conditions and sub-paths opened up."""
    waiting, found = [data.get(key) if isinstance(data, dict) else None], list[str]()
    while waiting and len(found) < _MOST_PACKAGES:
        one = waiting.pop()
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, dict):
            waiting += one.values()
    return found


def _script(manifest: Table) -> str:
    return next((name for name in BUILDS if manifest.table("scripts").text(name)), "")


def _line(tree: Tree, folder: str) -> str:
    script = _script(tree.json(f"{folder}/package.json"))
    build = f"cd {shlex.quote(f'{TREE}/{folder}')} && npm run {script}"
    return f"{build} || echo 'A build failed; the others go on.' >&2"
