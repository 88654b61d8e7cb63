"""Models that answer in typed values. `ModelSession` is imported when one is set: that takes seconds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from bot.judges.model.account import TokenCount, usd_of
from bot.judges.model.base import (
    BudgetSpent,
    Memory,
    ModelProblem,
    Prompt,
    SealedMemory,
    SessionLimits,
)
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.judges.model.session import ModelSession

OpenSession = Callable[[SessionLimits], AbstractAsyncContextManager["ModelSession | None"]]
"""Opens the models of one evaluation; gives None if no model is set."""


@asynccontextmanager
async def no_models(_limits: SessionLimits) -> AsyncIterator[None]:
    """Open no models, as in an installation without one."""
    yield None


def open_models(settings: Settings, memory: Memory) -> OpenSession:
    """Return the function that opens an evaluation's models; it gives None if the operator set none."""
    return partial(open_session, settings, memory) if settings.model else no_models


def price_of(settings: Settings, model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Return the cost of one call in US dollars, or None if the model's price is unknown."""
    return usd_of(model, TokenCount(input_tokens, output_tokens), settings.model_prices)


def open_session(
    settings: Settings, memory: Memory, limits: SessionLimits
) -> AbstractAsyncContextManager[ModelSession]:
    """Open the models, of which a sealed memory asks nothing."""
    opened: AbstractAsyncContextManager[ModelSession] = import_module(
        "bot.judges.model.session"
    ).open_session(settings, memory, limits)
    return opened
