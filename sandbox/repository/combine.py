"""A third tree made of two: one side's code with named paths of the other side.

Files are hard links, which is safe because trees are never written to: a sandbox sees them through
a copy-on-write mount. Where links are refused (another file system, too many), files are copied.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from sandbox.folders import leased
from sandbox.repository.names import inside


def combine(
    tree: Path,
    other_tree: Path,
    paths: Iterable[str],
    out: Path,
    texts: Mapping[str, str] | None = None,
) -> Path:
    """Make `out` = `tree` with `paths` (files or folders) as they are in `other_tree`.

    A path that does not exist in `other_tree` does not exist in `out`. `texts` are files, by path,
    that neither tree has so. An `out` that exists already is returned as it is; it appears whole or
    not at all. Raises CheckoutError for a path that leads out of the tree.
    """
    if out.exists():
        return out
    with leased(out.parent, f"{out.name}.partial-") as partial:
        _link_tree(tree, partial)
        for path in sorted(set(paths)):
            source, target = inside(other_tree, path), inside(partial, path)
            if not _has_real_parents(other_tree, source) or not os.path.lexists(source):
                if _has_real_parents(partial, target):
                    _remove(target)
                continue
            _make_real_parents(partial, target)
            _remove(target)
            if source.is_dir() and not source.is_symlink():
                _link_tree(source, target)
            else:
                _link(str(source), str(target))
        for path, text in (texts or {}).items():
            target = inside(partial, path)
            _make_real_parents(partial, target)
            _remove(target)
            target.write_text(text, encoding="utf-8")
        try:
            partial.rename(out)
        except OSError:
            if not out.exists():  # not somebody else who was faster
                raise
    return out


def _link_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, symlinks=True, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _has_real_parents(tree: Path, path: Path) -> bool:
    """Say whether every folder between is a real one; git knows no path behind a symbolic link."""
    return all(parent.is_dir() and not parent.is_symlink() for parent in _between(tree, path))


def _make_real_parents(tree: Path, path: Path) -> None:
    for parent in _between(tree, path):
        if parent.is_symlink() or not parent.is_dir():
            _remove(parent)
            parent.mkdir()


def _between(tree: Path, path: Path) -> list[Path]:
    """Return the folders from below `tree` down to the one that holds `path`."""
    depth = len(path.relative_to(tree).parts) - 1
    return list(path.parents)[:depth][::-1]


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
