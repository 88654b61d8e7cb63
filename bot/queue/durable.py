"""One job's steps, made durable: checkpointed, cancellable, patient with the outside."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dbos import DBOS

from bot.errors import AssayError, Transient, UserError
from bot.queue.codec import StoredOutcome, decode, encode, outcome_of, raise_error, result_type
from bot.queue.options import EngineOptions

LONGEST_PAUSE_S = 300.0


class ProgressListener(Protocol):
    """Who wants to know how an evaluation goes. Plain functions; they may raise `Transient`."""

    def started(self, evaluation_id: str, stage: str) -> None:
        """A step begins (again, after a crash)."""

    def waiting(self, evaluation_id: str, stage: str, why: str) -> None:
        """A step waits for the outside and will be tried again."""

    def finished(self, evaluation_id: str, stage: str, seconds: float) -> None:
        """A step ended, well or with an error."""


class Room:
    """Where the stages of one worker run: side by side, but alone after a worker died of one.

    So only a stage that kills its worker by itself runs out of attempts, and not its neighbours.
    """

    def __init__(self) -> None:
        self._change = asyncio.Condition()
        self._inside = 0
        self._waiting = 0

    @asynccontextmanager
    async def place(self, alone: bool) -> AsyncIterator[None]:
        """Wait for a place; one that is to be alone waits for all others, and they for it."""
        async with self._change:
            self._waiting += alone
            try:
                await self._change.wait_for(
                    lambda: not self._inside if alone else not self._waiting and self._inside >= 0
                )
            finally:
                self._waiting -= alone
                self._change.notify_all()
            self._inside = -1 if alone else self._inside + 1
        try:
            yield
        finally:
            async with self._change:
                self._inside = 0 if alone else self._inside - 1
                self._change.notify_all()


@dataclass(slots=True)
class DurableSteps:
    """A `bot.steps.StepRunner` inside one DBOS workflow.

    `life` counts how often the job was begun; a step has cost a worker in each life since the one in
    which the step before it ended.
    """

    job_id: str
    progress: ProgressListener | None
    options: EngineOptions
    room: Room
    life: int = 1
    _since: int = 1

    async def __call__(
        self, name: str, step: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        """Run one step, or hand out its stored result when it already ended before a crash."""
        kind = result_type(step)

        async def attempt() -> str:
            outcome = await self._outcome(name, kind, step, args, kwargs)
            return encode(replace(outcome, life=self.life), StoredOutcome)

        stored = await DBOS.run_step_async({"name": name, "preemptible": True}, attempt)
        outcome = decode(stored, StoredOutcome)
        self._since = outcome.life or self._since
        raise_error(outcome)
        return decode(outcome.result, kind)

    async def _outcome(
        self,
        name: str,
        kind: Any,
        step: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> StoredOutcome:
        began, deaths = time.monotonic(), self.life - self._since
        if deaths > self.options.max_recovery_attempts:
            return outcome_of(
                UserError(
                    f"Assay's worker died {deaths} times in the stage “{name}”, so this run was given up. "
                    "This says nothing about the change.",
                    "See the log of Assay's worker; `/judge` starts a new run.",
                )
            )

        async def once() -> StoredOutcome:
            async with self.room.place(alone=deaths > 0):
                if self.progress:
                    await asyncio.to_thread(self.progress.started, self.job_id, name)
                if inspect.iscoroutinefunction(step):
                    value = await step(*args, **kwargs)
                else:  # in a thread, which a cancel leaves behind
                    value = await asyncio.to_thread(step, *args, **kwargs)
                    value = await value if inspect.isawaitable(value) else value
            took_s = time.monotonic() - began
            if self.progress:
                await asyncio.to_thread(self.progress.finished, self.job_id, name, took_s)
            return StoredOutcome(result=encode(value, kind))

        try:
            return await self._patiently(name, once)
        except AssayError as error:
            return outcome_of(error)

    async def _patiently(self, name: str, once: Callable[[], Any]) -> StoredOutcome:
        """Try again while the outside is away, for at most `patience_s`.

        The job keeps its place among the running ones while it waits.
        """
        deadline = time.monotonic() + self.options.patience_s
        pause_s = 1.0
        for tried in itertools.count(1):
            try:
                outcome: StoredOutcome = await once()
                return outcome
            except Transient as error:
                asked_s = max(error.retry_after_s, pause_s * random.uniform(0.8, 1.2))  # noqa: S311
                wait_s = min(asked_s, self.options.longest_wait_s)
                if tried == error.tries or time.monotonic() + wait_s > deadline:
                    raise
                if self.progress:  # what keeps us from telling is likely what we wait for
                    with suppress(Transient):
                        await asyncio.to_thread(
                            self.progress.waiting, self.job_id, name, error.what
                        )
            await asyncio.sleep(wait_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        raise AssertionError("an endless count ended")
