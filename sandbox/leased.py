"""Temporary folders that say themselves whether their maker is alive: a lock on the folder is its lease.

The kernel gives the lock back when the process dies, however it dies; a process id says nothing to
another container. The name holds the host, for whoever looks.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

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
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lease)
    return True
