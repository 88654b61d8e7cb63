"""What Assay needs on this machine and at GitHub, looked at without changing anything."""

from __future__ import annotations

import asyncio
import importlib

from bot.doctor.diagnosis import Diagnosis, Weight
from bot.doctor.machine import look_at_machine
from bot.doctor.state import look_at_state
from bot.settings import Settings

__all__ = ["Diagnosis", "Weight", "examine"]


async def examine(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at everything at the same time; each part keeps to a few seconds."""
    parts = await asyncio.gather(
        look_at_machine(settings), look_at_state(settings), _look_at_app(settings)
    )
    return tuple(diagnosis for part in parts for diagnosis in part)


async def _look_at_app(settings: Settings) -> tuple[Diagnosis, ...]:
    """Import GitHub's client only where there is an App to ask for: it takes half a second."""
    if not settings.app_id:
        seen = "not registered; `assay judge` works without"
        return (Diagnosis("GitHub App", False, seen, "assay setup", Weight.USEFUL),)
    registration = importlib.import_module("bot.doctor.registration")
    found: tuple[Diagnosis, ...] = await registration.look_at_app(settings)
    return found
