"""Starts a run: `python3 -S -I main.py`, told what to do by one JSON line on standard input."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

if not __package__:
    sys.path[:0] = [os.path.abspath(f"{__file__}/../../../..")]  # noqa: PTH100

from sandbox.harness.supervisor import cargo, ctest, go, java, programs
from sandbox.harness.supervisor.orders import Journal, Orders, Unbelievable
from sandbox.harness.supervisor.steps import Steps, become_the_supervisor

RUNNERS = {
    "bats": programs.run_bats,
    "cargo": cargo.run,
    "ctest": ctest.run,
    "go": go.run,
    "junit": java.run,
    "make": programs.run_make,
    "scripts": programs.run_scripts,
}


def main() -> None:
    """Run what the orders say and tell the host; what keeps the run from being believed ends it."""
    journal = Journal(int(os.environ.pop("ASSAY_CHANNEL_FD")))
    become_the_supervisor()
    told = json.loads(sys.stdin.buffer.readline())
    lists = {name: tuple(told[name]) for name in ("arguments", "tests", "paths")}
    orders = Orders(**{**told, **lists, "top": Path(told["top"])})
    steps = Steps(journal, orders.top, orders.environment, orders.time_s)
    try:
        for result in RUNNERS[orders.runner](steps, orders):
            journal.result(result)
    except Unbelievable as seen:
        journal.end(str(seen), forged=True)
    else:
        journal.end()


if __name__ == "__main__":
    main()
