"""The host folders of a command: copied where nothing better works, and made safe to touch afterwards."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import shutil
import socket
import stat
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Mount, MountMode
from sandbox.concurrently import to_its_end
from sandbox.errors import FilesMissing


@dataclass(frozen=True, slots=True)
class FolderPolicy:
    """How folders reach a command: by copy instead of overlay, and by a change of owner (or not)."""

    by_copy: bool
    owner: int | None


def resolved(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    """The mounts with real source paths. Raises FilesMissing when one does not exist."""
    found = []
    for mount in mounts:
        source = Path(mount.source)
        if not source.exists():
            raise FilesMissing(mount.source)
        found.append(replace(mount, source=str(source.resolve())))
    return tuple(found)


def is_overlaid(mount: Mount) -> bool:
    """True for a folder that gets a copy-on-write layer."""
    return mount.mode is MountMode.COPY_ON_WRITE and Path(mount.source).is_dir()


def _give(folder: Path, owner: tuple[int, int]) -> None:
    os.lchown(folder, *owner)
    for root, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.lchown(os.path.join(root, name), *owner)  # noqa: PTH118  called 50,000 times


class Folders:
    """Makes and removes copies below `folder`, each under the lease of the process that made it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def sweep(self) -> None:
        """Remove the copies of workers that are gone."""
        sweep(self._folder.glob("[!.]*-*") if self._folder.is_dir() else ())

    @asynccontextmanager
    async def prepared(
        self, mounts: tuple[Mount, ...], policy: FolderPolicy
    ) -> AsyncIterator[tuple[Mount, ...]]:
        """The mounts as they are to be staged; cleans up when the command is dead."""
        writable = [Path(m.source) for m in mounts if m.mode is MountMode.WRITABLE]
        owners = [(path.stat().st_uid, path.stat().st_gid) for path in writable]
        with leased(self._folder) as copies:
            try:
                yield await asyncio.to_thread(_lay_out, mounts, policy, copies)
            finally:
                given = list(zip(writable, owners, strict=True))
                await to_its_end(asyncio.to_thread(_clean, given, policy, copies))


def _lay_out(mounts: tuple[Mount, ...], policy: FolderPolicy, copies: Path) -> tuple[Mount, ...]:
    laid_out = []
    for index, mount in enumerate(mounts):
        placed = mount
        by_copy = policy.by_copy or not is_overlaid(mount)  # a single file has no overlay
        if by_copy and mount.mode is MountMode.COPY_ON_WRITE:
            target = copies / str(index)
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if Path(mount.source).is_dir():
                shutil.copytree(mount.source, target, symlinks=True)
            else:
                shutil.copy2(mount.source, target)
            placed = Mount(str(target), mount.target, MountMode.WRITABLE)
        if policy.owner is not None and placed.mode is MountMode.WRITABLE:
            _give(Path(placed.source), (policy.owner, policy.owner))
        laid_out.append(placed)
    return tuple(laid_out)


def _clean(
    writable: list[tuple[Path, tuple[int, int]]], policy: FolderPolicy, copies: Path
) -> None:
    for path, owner in writable:
        if path.is_dir():
            make_harmless(path)
        if policy.owner is not None:
            _give(path, owner)
    make_harmless(copies)
    shutil.rmtree(copies)


_SETID = stat.S_ISUID | stat.S_ISGID


def make_harmless(folder: Path) -> None:
    """Remove pipes, sockets and set-id bits, and let the owner read everything.

    Only for folders whose commands are dead. Symbolic links stay: virtual environments need them.
    """
    pending = [os.fspath(folder)]
    while pending:
        path = pending.pop()
        _tame(path)
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif not entry.is_symlink():
                    _tame(entry.path)


def _tame(path: str) -> None:
    mode = os.lstat(path).st_mode
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        Path(path).unlink()
        return
    wanted = (mode & ~_SETID) | (stat.S_IRWXU if stat.S_ISDIR(mode) else stat.S_IRUSR)
    if wanted != mode:
        Path(path).chmod(stat.S_IMODE(wanted))


# --- temporary folders that say themselves whether their maker is alive: a lock on the folder is its lease


_ELSEWHERE_S = 24 * 3600.0  # a file system of the network may not carry another host's locks
_HOST = "".join(c if c.isalnum() else "_" for c in socket.gethostname())[:40] or "host"


@contextmanager
def leased(above: Path, prefix: str = "") -> Iterator[Path]:
    """Make an empty folder below `above` and hold its lease; one that is renamed meanwhile stays."""
    above.mkdir(parents=True, exist_ok=True)
    folder = above / f"{prefix}{_HOST}-{secrets.token_hex(8)}"
    unlocked = above / f".new-{folder.name}"  # no sweep sees it before the lease is held
    unlocked.mkdir()
    lease = os.open(unlocked, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lease, fcntl.LOCK_EX)
        unlocked.rename(folder)
        yield folder
    finally:
        os.close(lease)
        shutil.rmtree(folder, ignore_errors=True)


def sweep(folders: Iterable[Path]) -> int:
    """Remove those whose maker is dead; return how many."""
    abandoned = [folder for folder in folders if is_abandoned(folder)]
    for folder in abandoned:
        shutil.rmtree(folder, ignore_errors=True)
    return len(abandoned)


def is_abandoned(folder: Path) -> bool:
    """Tell whether nobody holds the lease of a folder any more."""
    try:
        age_s = time.time() - folder.stat().st_mtime
        if f"{_HOST}-" not in folder.name and age_s < _ELSEWHERE_S:
            return False
        lease = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # gone since, or nothing of ours
        return False
    try:
        return try_lock(lease)
    finally:
        os.close(lease)


def try_lock(descriptor: int) -> bool:
    """Take the lock of an open file or folder; False where somebody holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
