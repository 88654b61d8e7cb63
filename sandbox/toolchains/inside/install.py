"""Installs a project and keeps what its build wrote into the tree, which is thrown away afterwards.

Usage: install.py TREE KEPT WHAT ARGV [CWD]. ARGV is a JSON list of commands, started in CWD. WHAT is
"new" (all that is new but residue of Python builds), "all" (all that is new) or the name of the
folders to keep. They go to KEPT/0, KEPT/1, ...; KEPT/index.json maps them to their paths:
[["0", "src/tally/_version.py"], ...].
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Residue of builds that no program reads afterwards.
_RESIDUE = (".egg-info", ".dist-info", ".pyc", ".lock", ".o", ".eggs")
_RESIDUE_NAMES = {"__pycache__", "build", "dist", ".eggs", ".pdm-build", ".git", ".mypy_cache"}


def is_wanted(path: Path, what: str) -> bool:
    """Tell whether this is among what shall be kept."""
    if what == "new":
        return path.name not in _RESIDUE_NAMES and not path.name.endswith(_RESIDUE)
    return what in ("all", path.name)


def entries(tree: Path) -> set[str]:
    """Return the paths of all files, links and folders below `tree`."""
    found: set[str] = set()
    for folder, names, files in os.walk(tree):
        below = Path(folder).relative_to(tree)
        found.update(str(below / name) for name in (*names, *files))
    return found


def added(tree: Path, before: set[str], what: str) -> Iterator[str]:
    """Yield the topmost new entries, or the topmost new folders of a name, also in what is new itself.

    Links are left out, since where they lead is not kept.
    """
    done: set[str] = set()
    for path in sorted(entries(tree) - before):
        is_below = str(Path(path).parent) in done
        is_kept = not is_below and is_wanted(Path(path), what) and not (tree / path).is_symlink()
        if is_kept:
            yield path
        if is_below or is_kept or what in {"new", "all"}:
            done.add(path)


def keep(tree: Path, kept: Path, paths: Iterator[str], *, drops: bool) -> None:
    """Copy the entries to numbered places and write the index last."""
    kept.mkdir()
    index: list[tuple[str, str]] = []
    for number, path in enumerate(paths):
        source, target = tree / path, kept / str(number)
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.pyc", "*.o") if drops else None
            shutil.copytree(source, target, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(source, target)
        index.append((str(number), path))
    (kept / "index.json").write_text(json.dumps(index))


def main(tree_name: str, kept: str, what: str, commands: str, cwd: str = ".") -> int:
    """Run every command, stop at the first failure, keep what was added; returns the exit code."""
    tree = Path(tree_name)
    before = entries(tree)
    for argv in json.loads(commands):
        done = subprocess.run(argv, check=False, cwd=cwd)
        if done.returncode:
            return done.returncode
    keep(tree, Path(kept), added(tree, before, what), drops=what == "new")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
