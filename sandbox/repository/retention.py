"""Which checked-out trees and mirrors may be deleted: none that an evaluation holds, oldest first.

An entry is a folder below `root`/trees/<repository>/<commit>. A hold is a file next to it, named
after the evaluation; one that nobody took back within a day belongs to a dead worker.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.leased import is_abandoned, sweep
from sandbox.repository.mirror import Mirror, Source, locked

_HOLD_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Retention:
    """What may stay: what was used within `max_age_s`, and at most `max_bytes` of trees."""

    max_age_s: float = 7 * 24 * 3600.0
    max_bytes: int = 10 * 1024**3


def hold(entry: Path, holder: str) -> None:
    """Mark an entry as used by `holder`, before it is looked at, until `release`."""
    entry.parent.mkdir(parents=True, exist_ok=True)
    with _alone(entry.parent):
        _hold_file(entry, holder).touch()
        if entry.exists():
            os.utime(entry)


def release(root: Path, holder: str) -> None:
    """Take back every hold of an evaluation; the trees stay until they are evicted."""
    suffix = f".held-{_digest(holder)}"
    for path in (root.absolute() / "trees").glob(f"*/*{suffix}"):
        path.unlink(missing_ok=True)


def evict(root: Path, retention: Retention | None = None) -> int:
    """Delete trees and mirrors that are too old or too large and that nobody holds.

    Returns the bytes freed.
    """
    retention = retention or Retention()
    sweep((root.absolute() / "trees").glob("*/*.partial-*"))
    freed = sum(
        _delete_mirror(git_dir, retention.max_age_s)
        for mirrors in ("mirrors", "submodules/mirrors")
        for git_dir in (root.absolute() / mirrors).glob("*.git")
    )
    kept = 0
    for entry in _newest_first(root.absolute() / "trees"):
        size = _size(entry)
        age_s = time.time() - entry.stat().st_mtime
        wanted = age_s <= retention.max_age_s and kept + size <= retention.max_bytes
        if wanted or not _delete(entry):
            kept += size
        else:
            freed += size
    return freed


def _newest_first(trees: Path) -> list[Path]:
    folders = [path for path in trees.glob("*/*") if path.is_dir()]
    return sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)


def _delete(entry: Path) -> bool:
    with _alone(entry.parent):
        holds = entry.parent.glob(f"{entry.name}.held-*")
        being_written = ".partial-" in entry.name and not is_abandoned(entry)
        if being_written or any(_is_fresh(path) for path in holds):
            return False
        doomed = entry.with_name(f"{entry.name}.doomed-{os.urandom(4).hex()}")
        entry.rename(doomed)
    shutil.rmtree(doomed, ignore_errors=True)
    return True


def _delete_mirror(git_dir: Path, max_age_s: float) -> int:
    """Delete a mirror that was not opened for long, unless a tree of its repository is held."""
    with locked(Mirror(git_dir, Source(str(git_dir)))):
        holds = (git_dir.parent.parent / "trees" / git_dir.stem).glob("*.held-*")
        age_s = time.time() - git_dir.stat().st_mtime
        if age_s <= max_age_s or any(_is_fresh(path) for path in holds):
            return 0
        doomed = git_dir.with_suffix(".doomed")
        shutil.rmtree(doomed, ignore_errors=True)
        git_dir.rename(doomed)
    size = _size(doomed)
    shutil.rmtree(doomed, ignore_errors=True)
    return size


def _is_fresh(path: Path) -> bool:
    return time.time() - path.stat().st_mtime < _HOLD_S


def _hold_file(entry: Path, holder: str) -> Path:
    return entry.with_name(f"{entry.name}.held-{_digest(holder)}")


def _digest(holder: str) -> str:
    return hashlib.sha256(holder.encode()).hexdigest()[:16]


def _size(entry: Path) -> int:
    return sum(
        path.lstat().st_size for path in entry.rglob("*") if path.is_symlink() or path.is_file()
    )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
