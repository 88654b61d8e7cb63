"""Ends what a killed worker left running: an init whose bubblewrap died before it could notice.

Bubblewrap's init asks to die with its parent only after it was set up. A worker killed within those
milliseconds leaves an init behind that waits for a word from a parent that is gone.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.layout import program_prefix

_DEATH_TIMEOUT_S = 5.0


def end_orphans(bwrap: str) -> int:
    """Kill the inits of this user's sandboxes that have lost their `bwrap`; returns how many."""
    ended = 0
    for pid in _orphans(bwrap):
        with suppress(OSError):  # gone since, or another user's
            pidfd = os.pidfd_open(pid)
            try:
                # Asked again: the number may be another process's by now, the descriptor cannot.
                if _is_orphan(Path("/proc", str(pid)), bwrap):
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    select.select([pidfd], [], [], _DEATH_TIMEOUT_S)
                    ended += 1
            finally:
                os.close(pidfd)
    return ended


def _orphans(bwrap: str) -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        if _is_orphan(process, bwrap):
            yield int(process.name)


def _is_orphan(process: Path, bwrap: str) -> bool:
    """Tell whether it is a sandbox's init with a parent that is no `bwrap` (it was adopted)."""
    try:
        if not _is_ours(process, bwrap):
            return False
        status = dict(
            line.split(":\t", 1) for line in (process / "status").read_text().splitlines()
        )
        is_init = status["NSpid"].split()[1:] == ["1"]
        return is_init and not _is_ours(process.parent / status["PPid"], bwrap)
    except (OSError, KeyError, ValueError):
        return False


def _is_ours(process: Path, bwrap: str) -> bool:
    argv = (process / "cmdline").read_bytes().split(b"\0")
    wanted = [os.fsencode(word) for word in program_prefix()]
    return argv[:2] == [os.fsencode(bwrap), b"--args"] and argv[4 : 4 + len(wanted)] == wanted
