"""Workers that die by SIGKILL at every moment of every stage, until the evaluation is done.

A program of its own (see test_kill.py): it imports everything once and forks a worker for each life.
Every stage writes lines into a journal: `begin`, `end`; publish also posts to a "forge" file.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from bot.queue import (
    EngineClient,
    EngineOptions,
    Work,
    migrate,
    open_worker,
)
from bot.steps import Ending, EndKind, StepRunner
from bot.values import Conclusion, Delivery, EvaluationRequest, Publication, Trigger
from tests.bot.queue.states import JobState, state_of

T = TypeVar("T")
STAGES = (
    "checkout",
    "configure",
    "environment",
    "task",
    "plan",
    "observe",
    "damage",
    "deliberate",
    "judge",
    "report",
    "publish",
    "print",
)
MOMENTS = ("middle", "unrecorded", "after")
"""After a stage's record is before the next stage: only the first one has a moment before it."""
REQUEST = EvaluationRequest("kill-1", "o/r", "h" * 40, "b" * 40, "main", Trigger.OPENED, number=7)

NEIGHBOUR = replace(REQUEST, id="neighbour", number=8)
"""Runs in the same workers, and does no harm."""


@dataclass(frozen=True, slots=True)
class Recording:
    """Stages that write down what they do, and die once at each planned moment."""

    folder: Path
    always: str = ""  # a stage that kills its worker every time

    def note(self, line: str) -> None:
        """Append one line, whole, even when the process dies next."""
        with (self.folder / "journal").open("a") as journal:
            journal.write(f"{line}\n")

    def maybe_die(self, stage: str, moment: str) -> None:
        """Die by SIGKILL the first time that this moment is reached."""
        marker = self.folder / f"died-{stage}-{moment}"
        planned = not marker.exists()
        if self.always:
            planned = (stage, moment) == (self.always, "middle")
        if planned:
            marker.touch()
            self.note(f"kill {stage} {moment}")
            os.kill(os.getpid(), signal.SIGKILL)

    async def stage(
        self, name: str, so_far: tuple[str, ...], is_innocent: bool = False
    ) -> tuple[str, ...]:
        """Do a stage's work: for publish, look first, then post."""
        if is_innocent:
            await asyncio.sleep(1.0 if name == self.always else 0.0)
            return (*so_far, name)
        self.note(f"begin {name}")
        if self.always:
            await asyncio.sleep(0.3)  # a neighbour is in the same stage by now
        self.maybe_die(name, "middle")
        if name == "publish":
            self.post()
        self.note(f"end {name}")
        self.maybe_die(name, "unrecorded")
        return (*so_far, name)

    def post(self) -> None:
        """Publish as the real stage does: it looks whether it is there already."""
        forge = self.folder / "forge"
        if not forge.exists() or not forge.read_text():
            with forge.open("a") as posts:
                posts.write("comment\n")

    async def evaluate(self, request: EvaluationRequest, run: StepRunner) -> Publication:
        """Run all stages in order."""
        done: tuple[str, ...] = ()
        if request.id != REQUEST.id:
            for name in STAGES:
                done = await run(name, self.stage, name, done, True)
            self.note(f"published {request.id}")
            return Publication(Conclusion.SUCCESS, "key")
        self.maybe_die(STAGES[0], "before")
        for name in STAGES:
            done = await run(name, self.stage, name, done)
            self.maybe_die(name, "after")
        assert done == STAGES
        return Publication(Conclusion.SUCCESS, "key")

    async def handle(self, delivery: Delivery, run: StepRunner) -> None:
        """There are no deliveries here."""

    async def ended(self, request: EvaluationRequest, ending: Ending) -> None:
        """Write down a failure that people would see."""
        assert ending.kind is EndKind.FAILED
        self.note(f"ended {request.id}: {ending.why}")


def live(options: EngineOptions, recording: Recording) -> None:
    """Be a worker until killed."""
    with open_worker(
        options, Work(recording.evaluate, recording.handle, recording.ended)
    ) as worker:
        worker.wait()


def main(url: str, folder: Path, at_once: int, always: str) -> None:
    """Keep `at_once` workers alive until the evaluation ended, then stop them; print its state."""
    recording = Recording(folder, always)
    options = EngineOptions(
        url,
        folder,
        poll_s=0.05,
        reap_s=0.05,
        grace_passes=1,
        max_recovery_attempts=3 if always else 1000,
        workers=2,
    )
    migrate(options)
    _with_client(options, lambda client: client.submit_evaluation(REQUEST))
    if always:
        _with_client(options, lambda client: client.submit_evaluation(NEIGHBOUR))
    workers: set[int] = set()
    deadline = time.monotonic() + 900
    while time.monotonic() < deadline and not _is_over(options, always, folder):
        while len(workers) < at_once:
            workers.add(_fork(options, recording))
        time.sleep(0.05)
        workers -= {worker for worker in workers if os.waitpid(worker, os.WNOHANG)[0]}
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
        os.waitpid(worker, 0)
    print(_with_client(options, lambda client: state_of(client, REQUEST.id)))


def _fork(options: EngineOptions, recording: Recording) -> int:
    child = os.fork()
    if child == 0:
        live(options, recording)
        os._exit(0)
    return child


def _is_over(options: EngineOptions, always: str, folder: Path) -> bool:
    if always:  # given up is not enough: it must be told, and then recorded
        said = (folder / "journal").read_text() if (folder / "journal").exists() else ""
        if f"ended {REQUEST.id}" not in said or f" {NEIGHBOUR.id}" not in said:
            return False
    return _with_client(options, lambda client: state_of(client, REQUEST.id)) is JobState.DONE


def _with_client(options: EngineOptions, ask: Callable[[EngineClient], T]) -> T:
    """Use a client that is gone before the next fork."""
    client = EngineClient(options)
    try:
        return ask(client)
    finally:
        client.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
