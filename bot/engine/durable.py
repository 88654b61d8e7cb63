"""One job's steps, made durable: checkpointed, cancellable, patient with the outside."""

from __future__ import annotations

import asyncio
import inspect
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from dbos import DBOS

from bot.engine.codec import Outcome, decode, encode, outcome_of, raise_error, result_type
from bot.errors import AssayError, Transient

LONGEST_PAUSE_S = 300.0


class Progress(Protocol):
    """Who wants to know how an evaluation goes. Plain functions; they may raise `Transient`."""

    def started(self, evaluation_id: str, stage: str) -> None:
        """A step begins (again, after a crash)."""

    def waiting(self, evaluation_id: str, stage: str, why: str) -> None:
        """A step waits for the outside and will be tried again."""

    def finished(self, evaluation_id: str, stage: str, seconds: float) -> None:
        """A step ended, well or with an error."""


class NoProgress:
    """Nobody wants to know."""

    def started(self, evaluation_id: str, stage: str) -> None:
        """Ignore it."""

    def waiting(self, evaluation_id: str, stage: str, why: str) -> None:
        """Ignore it."""

    def finished(self, evaluation_id: str, stage: str, seconds: float) -> None:
        """Ignore it."""


@dataclass(frozen=True, slots=True)
class DurableSteps:
    """A `bot.steps.StepRunner` inside one DBOS workflow."""

    job_id: str
    progress: Progress
    patience_s: float
    longest_wait_s: float

    async def __call__(
        self, name: str, step: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        """Run one step, or hand out its stored result when it already ended before a crash."""
        kind = result_type(step)

        async def attempt() -> str:
            return encode(await self._outcome(name, kind, step, args, kwargs), Outcome)

        stored = await DBOS.run_step_async({"name": name, "preemptible": True}, attempt)
        outcome = decode(stored, Outcome)
        raise_error(outcome)
        return decode(outcome.result, kind)

    async def _outcome(
        self,
        name: str,
        kind: Any,
        step: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Outcome:
        began = time.monotonic()

        async def once() -> Outcome:
            await asyncio.to_thread(self.progress.started, self.job_id, name)
            value = await _call(step, args, kwargs)
            took_s = time.monotonic() - began
            await asyncio.to_thread(self.progress.finished, self.job_id, name, took_s)
            return Outcome(result=encode(value, kind))

        try:
            return await self._patiently(name, once)
        except AssayError as error:
            return outcome_of(error)

    async def _patiently(self, name: str, once: Callable[[], Any]) -> Outcome:
        """Try again while the outside is away, for at most `patience_s`.

        The job keeps its place among the running ones while it waits.
        """
        deadline = time.monotonic() + self.patience_s
        pause_s = 1.0
        while True:
            try:
                outcome: Outcome = await once()
                return outcome
            except Transient as error:
                asked_s = max(error.retry_after_s, pause_s * random.uniform(0.8, 1.2))  # noqa: S311
                wait_s = min(asked_s, self.longest_wait_s)
                if time.monotonic() + wait_s > deadline:
                    raise
                await asyncio.to_thread(self._tell_waiting, name, error.what)
            await asyncio.sleep(wait_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)

    def _tell_waiting(self, name: str, why: str) -> None:
        try:
            self.progress.waiting(self.job_id, name, why)
        except Transient:
            return  # what keeps us from telling is likely what we wait for


async def _call(step: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Await an asynchronous step; run a plain one in a thread (which a cancel leaves behind)."""
    if inspect.iscoroutinefunction(step):
        return await step(*args, **kwargs)
    value = await asyncio.to_thread(step, *args, **kwargs)
    return await value if inspect.isawaitable(value) else value
