"""Stage 5: the requirements, and what will be looked at, before anything is judged."""

from __future__ import annotations

from bot.judge import comprehend, plan
from bot.models import EvaluationRequest, Task
from bot.stages.docket import Planned, Policy
from bot.stages.services import Services
from sandbox.models import Checkout


async def make_plan(
    services: Services, request: EvaluationRequest, checkout: Checkout, task: Task, policy: Policy
) -> Planned:
    """Split the task into requirements and fix the steps that will be run."""
    await services.origin.announce(request, "plan")
    requirements = comprehend(task, policy.configuration, policy.templates, policy.test_plan)
    return Planned(
        requirements, plan(requirements, policy.configuration, checkout.diff.changed_paths)
    )
