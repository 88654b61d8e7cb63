"""Stage 4: what was asked, and by whom."""

from __future__ import annotations

from bot.models import EvaluationRequest, Task
from bot.stages.docket import Policy
from bot.stages.services import Services


async def collect_task(services: Services, request: EvaluationRequest, policy: Policy) -> Task:
    """Collect the texts that say what was asked, most trusted first."""
    await services.origin.announce(request, "task")
    return await services.origin.task(request, policy.configuration)
