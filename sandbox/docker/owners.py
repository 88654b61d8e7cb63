"""Whose container it is: labels that tell a live worker from one that is gone, and the sweep.

A worker is known by its PID namespace, process id and start time. Another worker in the same
namespace can see that it is gone; one elsewhere, on another machine or in another container, goes by
the time after which no command of it may still run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

OURS = "org.assay.sandbox"
WORKER = "org.assay.worker"
_UNTIL = "org.assay.until"
_SPARE_S = 120


def labels(timeout_s: float) -> dict[str, str]:
    """The labels of a container that this process starts now."""
    until = int(time.time() + timeout_s + _SPARE_S)
    return {OURS: "1", WORKER: _own_name(), _UNTIL: str(until)}


def _namespace() -> str:
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"


def _start_time(pid: str) -> str:
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _own_name() -> str:
    pid = str(os.getpid())
    return f"{_namespace()} {pid} {_start_time(pid)}"


def is_abandoned(labelled: Mapping[str, str], now: float) -> bool:
    """True when nobody waits for this container any more."""
    namespace, _, process = labelled.get(WORKER, "").partition(" ")
    pid, _, started = process.partition(" ")
    if namespace == _namespace() and pid.isdigit():
        return _start_time(pid) != started
    until = labelled.get(_UNTIL, "")
    return not until.isdigit() or int(until) < now
