"""Models that answer in typed values: the seam, and its one implementation (imported when one is set)."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib import import_module

from bot.llm.base import (
    Answerless,
    BudgetSpent,
    Memory,
    ModelAway,
    ModelProblem,
    OpenSession,
    Prompt,
    Session,
    SessionLimits,
    Tool,
    no_models,
)
from bot.llm.memory import SealedMemory
from bot.settings import Settings

__all__ = [
    "Answerless",
    "BudgetSpent",
    "Memory",
    "ModelAway",
    "ModelProblem",
    "OpenSession",
    "Prompt",
    "SealedMemory",
    "Session",
    "SessionLimits",
    "Tool",
    "no_models",
    "open_models",
    "open_sealed",
    "price_of",
]


def open_models(settings: Settings, memory: Memory) -> OpenSession:
    """What opens the models of an evaluation; it gives None where the operator set none."""

    def open_session(limits: SessionLimits) -> AbstractAsyncContextManager[Session]:
        return _opened(settings, memory, limits)

    return open_session if settings.model else no_models


def price_of(settings: Settings, model: str, input_tokens: int, output_tokens: int) -> float | None:
    """What one call costs in US dollars; None where nobody knows the model's price."""
    account = import_module("bot.llm.account")
    prices = {name: account.Price(*price) for name, price in settings.model_prices.items()}
    usd: float | None = account.usd_of(model, account.Tokens(input_tokens, output_tokens), prices)
    return usd


def open_sealed(
    settings: Settings, memory: SealedMemory, limits: SessionLimits
) -> AbstractAsyncContextManager[Session]:
    """The models of a run that is over: they say what they said then, and nothing is asked."""
    return _opened(settings, memory, limits)


def _opened(
    settings: Settings, memory: Memory, limits: SessionLimits
) -> AbstractAsyncContextManager[Session]:
    """Import the model library only where somebody is asked: it takes seconds."""
    opened: AbstractAsyncContextManager[Session] = import_module("bot.llm.session").open_session(
        settings, memory, limits
    )
    return opened
