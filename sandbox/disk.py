"""The disk of the machine that judges: how much is free, and which failures are its own."""

from __future__ import annotations

import errno
import os
import re
import shutil
import tempfile
from pathlib import Path

from sandbox.errors import DiskTrouble

_OF_THE_DISK = {
    errno.ENOSPC: "The disk of the machine that judges is full.",
    errno.EDQUOT: "The disk quota of the machine that judges is spent.",
    errno.EIO: "The disk of the machine that judges does not read or write.",
}
_SAID = re.compile(
    r"(?:No space left on device|Disk quota exceeded|Input/output error)[.\s\"')]*$", re.M
)
_TRIAL_BYTES = 4 << 20
_FEWEST_ENTRIES = 1000
GIGABYTE = 1_000_000_000


def disk_trouble(error: OSError) -> str:
    """Return what is wrong with the disk, in words; empty where it is something else."""
    if isinstance(error, shutil.Error):  # of many files: it holds their errors as text
        found = (what for code, what in _OF_THE_DISK.items() if f"[Errno {code}]" in str(error))
        return next(found, "")
    return _OF_THE_DISK.get(error.errno or 0, "")


def is_said(text: str) -> bool:
    """Tell whether a program of ours (git) says at the end of a line that the disk failed it."""
    return _SAID.search(text) is not None


def free_bytes(folder: Path) -> int:
    """Return what is free where the folder is or will be; 0 where no more files can be made."""
    there = next(one for one in (folder.absolute(), *folder.absolute().parents) if one.exists())
    status = os.statvfs(there)
    has_entries = status.f_files == 0 or status.f_favail >= _FEWEST_ENTRIES
    return status.f_bavail * status.f_frsize if has_entries else 0


def check_disk(folder: Path) -> None:
    """Write a few megabytes and remove them. Raises DiskTrouble where the disk refuses."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, _TRIAL_BYTES)
            os.fsync(file.fileno())
    except OSError as error:
        if what := disk_trouble(error):
            raise DiskTrouble(what) from error
