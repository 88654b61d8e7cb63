"""Lays the tests and the runner again as they were, after a build that may have written there.

Runs inside the sandbox, in the supervisor of a Node test run. The tree and its packages stand a second time,
read-only, out of the build's reach.
"""

from __future__ import annotations

import contextlib
import filecmp
import os
import re
import shutil
from pathlib import Path

TREE = Path("/work/tree")
_SCRIPT = re.compile(r"(\.d)?\.[cm]?[jt]sx?(\.map)?$")
_TEST_SIDE = re.compile(
    r"(^|/)(__tests__|__mocks__|tests?|specs?)/.*\.[cm]?[jt]sx?$"
    r"|(^|[._/-])(tests?|specs?|setup)\.[cm]?[jt]sx?$"
    r"|(^|/)(jest|vitest|ava|karma|playwright|babel|vite)\.(config|workspace|setup)\.[\w.]+$"
    r"|(^|/)(\.mocharc|\.babelrc|\.swcrc|\.taprc|\.env|\.npmrc|\.?jasmine)[\w.]*$|\.snap$"
)


class Originals:
    """The tree and the packages as they were, and which files (relative to the tree) are the tests'."""

    def __init__(self, tree: str, packages: str, tests: list[str]) -> None:
        self._tree = Path(tree)
        self._packages = Path(packages)
        self._tests = tests

    def lay_tests(self) -> None:
        """Lay every file of the tests, and remove what was added among them without a source there.

        What a compiler makes of a test has that test's name.
        """
        for path in self._tests:
            lay(self._tree / path, path)
        stems = {_stem(path) for path in self._tests}
        for folder, names, files in os.walk(TREE):
            names[:] = [name for name in names if name not in ("node_modules", ".git")]
            for name in files:
                path = Path(folder, name).relative_to(TREE).as_posix()
                is_compiled = _SCRIPT.search(path) and _stem(path) in stems
                is_added = not os.path.lexists(self._tree / path)
                if is_added and _TEST_SIDE.search(path) and not is_compiled:
                    with contextlib.suppress(OSError):
                        (TREE / path).unlink()

    def lay_runner(self, package: str) -> None:
        """Lay the runner's own packages again, wherever packages are installed."""
        for folder, names, _ in os.walk(self._packages) if package else ():
            if Path(folder).name == "node_modules":
                own = (package, f"{package}-", f"@{package}")
                found = [one for one in names if one == package or one.startswith(own[1:])]
                names.clear()
                for name in found:
                    self._lay_package(Path(folder, name))

    def _lay_package(self, folder: Path) -> None:
        """Lay a package; of one that is a link (pnpm's) the link, and what it leads to."""
        if folder.is_symlink():
            lay_link(folder, folder.relative_to(self._packages).as_posix())
            folder = folder.resolve()
        if not folder.is_relative_to(self._packages):
            return
        for place, _, files in os.walk(folder):
            for name in files:
                original = Path(place, name)
                lay(original, original.relative_to(self._packages).as_posix())


def _stem(path: str) -> str:
    return _SCRIPT.sub("", path.rpartition("/")[2])


def lay(original: Path, path: str) -> None:
    """Lay one file of the tree as it was, through no link that a build made."""
    target = TREE / path
    if original.is_symlink():
        return
    with contextlib.suppress(OSError):
        if target.resolve() == target and filecmp.cmp(original, target, shallow=False):
            return
    with contextlib.suppress(OSError):
        _clear(path)
        shutil.copy2(original, target)


def lay_link(original: Path, path: str) -> None:
    """Lay one link of the packages as it was."""
    target = TREE / path
    with contextlib.suppress(OSError):
        if not target.is_symlink() or target.readlink() != original.readlink():
            _clear(path)
            target.symlink_to(original.readlink())


def _clear(path: str) -> None:
    """Make the folders of a path, through no link, and remove what stands in its place."""
    at = TREE
    for part in path.split("/")[:-1]:
        at /= part
        if at.is_symlink() or not at.is_dir():
            _remove(at)
            at.mkdir()
    _remove(TREE / path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()
