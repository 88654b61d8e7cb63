"""How a stage is run: the seam between the evaluation and whatever makes its steps durable.

The engine gives a runner that checkpoints every step; `run_in_process` is the same without memory,
for `assay judge` and for tests of one evaluation.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ParamSpec, Protocol, TypeVar, overload

P = ParamSpec("P")
T = TypeVar("T")


class EndKind(StrEnum):
    """How an evaluation ended that has no publication of its own."""

    FAILED = "failed"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Ending:
    """Why an evaluation ended without a publication, in words for the asker."""

    kind: EndKind
    why: str
    next_step: str = ""


class StepRunner(Protocol):
    """Runs `step(*args)` under a name that is unique within one job and never changes its order.

    A step is an asynchronous or a plain function with a return annotation (durable runners store the
    result as JSON). Its `UserError`, `Superseded` and exhausted `Transient` come out as raised.
    """

    @overload
    async def __call__(
        self, name: str, step: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> T: ...

    @overload
    async def __call__(
        self, name: str, step: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> T: ...


async def run_in_process(name: str, step: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Run one step here and now; a plain function runs in a thread, so that others can go on."""
    if inspect.iscoroutinefunction(inspect.unwrap(step)):
        return await step(*args, **kwargs)
    result = await asyncio.to_thread(step, *args, **kwargs)
    return await result if inspect.isawaitable(result) else result
