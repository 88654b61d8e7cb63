"""Independent steps at the same time, where the first error is raised as it is."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Awaitable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sandbox.base import Command, Completed, Sandbox

_GROUPS = Path("/sys/fs/cgroup")

_Result = TypeVar("_Result")


async def concurrently(*steps: Coroutine[Any, Any, _Result]) -> list[_Result]:
    """Run all steps and return their results in order; an error or a cancellation ends them all.

    A task group would wrap the error in an exception group, which no caller's `except` names.
    """
    tasks = [asyncio.ensure_future(step) for step in steps]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def to_its_end(work: Awaitable[_Result]) -> _Result:
    """Wait for work that must not be left half done; being cancelled meanwhile is told when it has ended."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # seen, so that the loop does not complain of it
    raise cancelled


async def a_few_at_a_time(
    most: int, steps: Sequence[Coroutine[Any, Any, _Result]]
) -> list[_Result]:
    """Run all steps, never more than `most` at the same time; results, errors and order likewise."""
    places = asyncio.Semaphore(most)

    async def in_its_place(step: Coroutine[Any, Any, _Result]) -> _Result:
        async with places:
            return await step

    try:
        return await concurrently(*map(in_its_place, steps))
    finally:
        for step in steps:
            step.close()  # of one that never got its place


class FewAtATime:
    """A sandbox in which independent looks share the cores: what asks while all are taken waits its turn."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.name = sandbox.name
        self._sandbox = sandbox
        self._places = asyncio.Semaphore(max(2, cores()))

    async def run(self, command: Command) -> Completed:
        """Run a command when it has its place. Raises SandboxError."""
        async with self._places:
            return await self._sandbox.run(command)


def cores() -> int:
    """Return how many processors this process may use: those it may run on, within its group's quota."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    name = next((line[3:] for line in lines if line.startswith("0::")), "/")
    own = _GROUPS / name.lstrip("/")
    groups = [one for one in (own, *own.parents) if one.is_relative_to(_GROUPS)]
    allowed = len(os.sched_getaffinity(0))
    for group in groups:
        # "200000 100000" (microseconds in each period) are two cores; "max" is no limit.
        with suppress(OSError, ValueError, ZeroDivisionError):
            quota, period = (group / "cpu.max").read_text().split()
            allowed = min(allowed, math.ceil(int(quota) / int(period)))
    return max(1, allowed)
