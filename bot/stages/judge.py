"""Stage 8: one verdict for each requirement, and one conclusion."""

from __future__ import annotations

from bot.judge import (
    conclude,
    count_met,
    patch_reasons,
    score_plan,
    verdicts,
    weigh,
    with_reasons,
)
from bot.models import Deliberation, Judgement, Observed
from bot.stages.docket import Case
from bot.stages.services import Services


async def judge(
    services: Services,
    case: Case,
    observed: Observed,
    deliberation: Deliberation,
) -> Judgement:
    """Judge every requirement on its own, weigh what judges said, then let the gate conclude."""
    request, policy, requirements = case.request, case.policy, case.planned.requirements
    await services.origin.announce(request, "judge")
    found = verdicts(requirements, observed, policy.configuration)
    found = weigh(requirements, found, deliberation)
    members = await services.origin.members(request)
    gate = conclude(requirements, found, observed, policy.configuration, members)
    met = count_met(requirements, found)
    more = patch_reasons(
        deliberation, observed.evidence, case.planned.rubrics, policy.configuration
    )
    gate = with_reasons((*gate.reasons, *more), met) if more else gate
    return Judgement(
        requirements,
        found,
        gate,
        met.independently,
        met.with_prerequisites,
        score_plan(requirements, observed),
    )
