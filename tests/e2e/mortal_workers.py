"""Workers with the real stages that die by SIGKILL at every moment of every stage, once each.

A program of its own (see test_kill.py): it imports everything once and forks a worker for each life.
A journal holds `begin <stage>`, `end <stage>` and `kill <stage> <moment>`. Ends by SIGTERM.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.commands.worker import open_work, set_up_log
from bot.queue import engine_options, open_worker
from bot.settings import load_settings
from bot.steps import StepRunner
from bot.values import EvaluationRequest, Publication

MOMENTS = ("unrecorded", "after")
"""After the stage's work but before its checkpoint, and after it: that is before the next stage."""
LAST = "clean up"
"""What comes after all stages."""


def moments_of(stage: str, every: bool) -> tuple[str, ...]:
    """When a worker dies in a stage; unless at `every` moment, after its checkpoint in the last alone.

    What was recorded before the next stage is what was recorded when a worker dies of its work.
    """
    return MOMENTS if every or stage == LAST else MOMENTS[:1]


IN_THE_MIDDLE = ("environment", "observe")
"""Stages that run programs; they also die while a sandbox runs."""


@dataclass(frozen=True, slots=True)
class Fate:
    """Kills this process at each planned moment, the first time that it is reached."""

    folder: Path
    every: bool  # also after each checkpoint

    def note(self, line: str) -> None:
        """Append one line, whole, even when the process dies next."""
        with (self.folder / "journal").open("a") as journal:
            journal.write(f"{line}\n")

    def maybe_die(self, stage: str, moment: str) -> None:
        marker = self.folder / f"{stage}-{moment}"
        if not marker.exists():
            marker.touch()
            self.note(f"kill {stage} {moment}")
            os.kill(os.getpid(), signal.SIGKILL)

    def die_in_the_middle(self, stage: str) -> None:
        """Die as soon as a sandbox runs, if that is still to come."""
        if stage in IN_THE_MIDDLE and not (self.folder / f"{stage}-middle").exists():
            threading.Thread(target=self._watch, args=(stage,), daemon=True).start()

    def _watch(self, stage: str) -> None:
        while not any("bwrap" in name for name in child_names()):
            time.sleep(0.005)
        self.maybe_die(stage, "middle")

    def deadly(self, run: StepRunner) -> Callable[..., Any]:
        """Wrap a runner: its steps are the real ones, with deaths round and after the work."""

        async def run_one(name: str, step: Callable[..., Any], /, *args: Any) -> Any:
            @functools.wraps(step)
            async def lived(*args: Any) -> Any:
                self.note(f"begin {name}")
                self.die_in_the_middle(name)
                if inspect.iscoroutinefunction(step):
                    value = await step(*args)
                else:
                    value = await asyncio.to_thread(step, *args)
                self.note(f"end {name}")
                self.maybe_die(name, "unrecorded")
                return value

            value = await run(name, lived, *args)
            if "after" in moments_of(name, self.every):
                self.maybe_die(name, "after")
            return value

        return run_one


def child_names() -> list[str]:
    """The commands of this process's children."""
    names = []
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in listed.read_text().split():
            try:
                names.append(Path(f"/proc/{child}/cmdline").read_bytes().decode(errors="replace"))
            except OSError:  # gone since
                continue
    return names


def live(fate: Fate) -> None:
    """Be a worker until killed."""
    settings = load_settings()
    set_up_log(settings)
    options = replace(
        engine_options(settings),
        poll_s=0.05,
        reap_s=0.05,
        grace_passes=1,
        max_recovery_attempts=1000,
    )
    with open_work(settings) as work:

        async def evaluate(request: EvaluationRequest, run: StepRunner) -> Publication:
            return await work.evaluate(request, fate.deadly(run))

        with open_worker(options, replace(work, evaluate=evaluate)) as worker:
            worker.wait()


def main(folder: Path, at_once: int, every: bool) -> None:
    """Keep `at_once` workers alive until SIGTERM."""
    fate, workers = Fate(folder, every), set[int]()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    while not stop.wait(0.02):
        while len(workers) < at_once:
            workers.add(_fork(fate))
        workers -= {worker for worker in workers if os.waitpid(worker, os.WNOHANG)[0]}
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)


def _fork(fate: Fate) -> int:
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            live(fate)
        finally:
            os._exit(1)
    return child


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), every=sys.argv[3] == "every")
