"""What Assay needs on this machine and at GitHub, looked at without changing anything."""

from __future__ import annotations

import asyncio

from bot.doctor.diagnosis import Diagnosis, Weight
from bot.doctor.machine import look_at_machine
from bot.doctor.registration import look_at_app
from bot.doctor.state import look_at_state
from bot.settings import Settings

__all__ = ["Diagnosis", "Weight", "examine"]


async def examine(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at everything at the same time; each part keeps to a few seconds."""
    parts = await asyncio.gather(
        look_at_machine(settings), look_at_state(settings), look_at_app(settings)
    )
    return tuple(diagnosis for part in parts for diagnosis in part)
