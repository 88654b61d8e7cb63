"""Stage 4: what was asked, and by whom."""

from __future__ import annotations

from bot.models import EvaluationRequest, Task
from bot.stages.services import Services
from sandbox.models import Checkout


async def collect_task(services: Services, request: EvaluationRequest, checkout: Checkout) -> Task:
    """Collect the texts that say what was asked, most trusted first."""
    await services.origin.announce(request, "task")
    return await services.origin.task(request, checkout)
