"""Independent steps at the same time, where the first error is raised as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

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
