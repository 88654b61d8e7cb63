"""Reads a hostile file in a child of its own: what it breaks there, and how long it takes, is data."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Callable

from sandbox.terminal.compared import Compared

_SECONDS = 20
_MEMORY_BYTES = 2 << 30
_ANSWER_BYTES = 1 << 16


def guarded(work: Callable[[], Compared]) -> Compared:
    """Do the work in a child with little time and memory; say "unreadable" when it does not answer."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _bound()
            found = work()
            answer = json.dumps([found.outcome, found.detail[:1000]]).encode()
            os.write(writing, answer[:_ANSWER_BYTES])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answers:
        said = answers.read(_ANSWER_BYTES)
    os.waitpid(pid, 0)
    if not said:
        return Compared("unreadable", "reading it ended without an answer")
    outcome, detail = json.loads(said)
    return Compared(outcome, detail)


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    signal.alarm(_SECONDS)
