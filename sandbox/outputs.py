"""What a command left in a writable folder, made safe for the worker to touch."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_SETID = stat.S_ISUID | stat.S_ISGID


def make_harmless(folder: Path) -> None:
    """Remove pipes, sockets and set-id bits, and let the owner read everything.

    Only for folders whose commands are dead. Symbolic links stay (virtual environments need them):
    read what a command wrote by `read_output`.
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


def read_output(folder: Path, name: str, cap_bytes: int) -> bytes | None:
    """The first `cap_bytes` of a regular file that a command left below `folder`.

    None when it is not there or is no regular file, or when any part of `name` is a link: a link
    could name a file of the host.
    """
    descriptor = _open_beneath(folder, Path(name).parts)
    if descriptor is None:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(cap_bytes)
    finally:
        os.close(descriptor)


def _open_beneath(folder: Path, parts: tuple[str, ...]) -> int | None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    for part in parts:
        outer = descriptor
        try:
            if part in {"..", "/"}:
                return None
            # Not blocking: a named pipe without a writer must not hold the worker.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            descriptor = os.open(part, flags, dir_fd=outer)
        except OSError:
            return None
        finally:
            os.close(outer)
    return descriptor
