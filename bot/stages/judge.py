"""Stage 8: one verdict for each requirement, and one conclusion."""

from __future__ import annotations

from bot.judge import Beside, conclude, count_met, score_plan, verdicts, weigh
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
    beside = Beside(members, None if deliberation.problem else deliberation.grading)
    gate = conclude(requirements, found, observed, policy.configuration, beside)
    met = count_met(requirements, found)
    return Judgement(
        requirements,
        found,
        gate,
        met.independently,
        met.with_prerequisites,
        score_plan(requirements, observed),
    )
