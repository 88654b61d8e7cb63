"""Models that answer in typed values: the seam, and its one implementation (imported when one is set)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from functools import partial
from importlib import import_module

from bot.judges.model.account import TokenCount, usd_of
from bot.judges.model.base import (
    BudgetSpent,
    Memory,
    ModelProblem,
    OpenSession,
    Prompt,
    SealedMemory,
    Session,
    SessionLimits,
    no_models,
)
from bot.settings import Settings


def open_models(settings: Settings, memory: Memory) -> OpenSession:
    """Return the function that opens an evaluation's models; it gives None if the operator set none."""
    return partial(open_session, settings, memory) if settings.model else no_models


def price_of(settings: Settings, model: str, input_tokens: int, output_tokens: int) -> float | None:
    """Return the cost of one call in US dollars, or None if the model's price is unknown."""
    return usd_of(model, TokenCount(input_tokens, output_tokens), settings.model_prices)


def open_session(
    settings: Settings, memory: Memory, limits: SessionLimits
) -> AbstractAsyncContextManager[Session]:
    """Open the models, of which a sealed memory asks nothing.

    The library is imported only when it is needed, because that takes seconds.
    """
    opened: AbstractAsyncContextManager[Session] = import_module(
        "bot.judges.model.session"
    ).open_session(settings, memory, limits)
    return opened
