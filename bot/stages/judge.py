"""Stage 7: one verdict for each requirement, and one conclusion."""

from __future__ import annotations

from bot.judge import conclude, count_met, score_plan, verdicts
from bot.models import EvaluationRequest, Judgement, Observed
from bot.stages.docket import Planned, Policy
from bot.stages.services import Services


async def judge(
    services: Services,
    request: EvaluationRequest,
    planned: Planned,
    observed: Observed,
    policy: Policy,
) -> Judgement:
    """Judge every requirement on its own, then let the gate conclude."""
    await services.origin.announce(request, "judge")
    requirements = planned.requirements
    found = verdicts(requirements, observed, policy.configuration)
    members = await services.origin.members(request)
    gate = conclude(requirements, found, observed, policy.configuration, members)
    met = count_met(requirements, found)
    return Judgement(
        requirements,
        found,
        gate,
        met.independently,
        met.with_prerequisites,
        score_plan(requirements, observed),
    )
