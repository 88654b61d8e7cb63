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
from bot.llm.memory import FolderMemory, SealedMemory
from bot.settings import Settings

__all__ = [
    "Answerless",
    "BudgetSpent",
    "FolderMemory",
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
]


def open_models(settings: Settings) -> OpenSession:
    """What opens the models of an evaluation; it gives None where the operator set none."""
    memory = FolderMemory(settings.home.absolute() / "replies")

    def open_session(limits: SessionLimits) -> AbstractAsyncContextManager[Session]:
        opened: AbstractAsyncContextManager[Session] = import_module(
            "bot.llm.session"
        ).open_session(settings, memory, limits)
        return opened

    return open_session if settings.model else no_models


def open_sealed(
    settings: Settings, memory: SealedMemory, limits: SessionLimits
) -> AbstractAsyncContextManager[Session]:
    """The models of a run that is over: they say what they said then, and nothing is asked."""
    opened: AbstractAsyncContextManager[Session] = import_module("bot.llm.session").open_session(
        settings, memory, limits
    )
    return opened
