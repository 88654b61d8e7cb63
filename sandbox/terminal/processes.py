"""Looks at the processes that a line started, and ends them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_ENDING_S = 2.0


def keep_to_ourselves() -> None:
    """Keep others out of our memory and descriptors, and become the parent of every orphan."""
    with contextlib.suppress(OSError):
        libc = ctypes.CDLL(None)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def are_asleep(session: int) -> bool:
    """Whether every process of a session waits for something."""
    states = [state for _, _, group, state in _table() if group == session]
    return all(state in "STZX" for state in states)


def end_descendants() -> None:
    """Kill whatever is left below us; a process that forks faster than we look is caught again."""
    deadline = time.monotonic() + _ENDING_S
    while time.monotonic() < deadline:
        left = _descendants()
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not left:
            return


def _descendants() -> list[int]:
    table = [(pid, parent) for pid, parent, _, state in _table() if state not in "ZX"]
    found = [os.getpid()]
    for known in found:
        found += [pid for pid, parent in table if parent == known]
    return found[1:]


def _table() -> Iterator[tuple[int, int, int, str]]:
    """Yield (pid, parent, session, state) of every process that can be seen."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(errors="replace")
        except OSError:
            continue
        state, parent, _, session = text.rpartition(")")[2].split()[:4]
        yield int(entry.name), int(parent), int(session), state
