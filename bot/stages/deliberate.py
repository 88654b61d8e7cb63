"""Stage 8: judges that reason over the evidence, where a model is set and no oracle decides."""

from __future__ import annotations

from dataclasses import replace

from bot.agents.chambers import Chambers
from bot.llm import SessionLimits
from bot.models import Deliberation, Evidence, Observed, PlanExtension, Task
from bot.stages.acting import acting_in
from bot.stages.docket import Case
from bot.stages.matter import Matter, put_before_judges
from bot.stages.on_host import case_here, on_this_host
from bot.stages.recording import keep_replies
from bot.stages.services import Services, run_delimiter


@on_this_host
async def deliberate(
    services: Services, case: Case, task: Task, observed: Observed
) -> Deliberation:
    """Ask the judges; without a model there are none, and nothing is announced."""
    limits = case.policy.configuration.limits
    planned = case.planned.usage
    spent_usd = sum(one.usd or 0.0 for one in planned)
    money = SessionLimits(limits.usd, limits.minutes, spent_usd)
    async with services.open_session(money) as session:
        if session is None:
            return Deliberation()
        await services.origin.announce(case.request, "deliberate", case.planned.plan)
        case = await case_here(services, case)
        delimiter = run_delimiter(services, case.checkout)
        chambers = Chambers(session, delimiter, acting_in(services, case))
        held = await put_before_judges(Matter.of(case, task, observed), chambers)
        await keep_replies(services, case.request, "deliberate", session)
        added = held.extensions or tuple(map(_extension, held.evidence))
        return replace(held, usage=(*planned, *held.usage), extensions=added)


def _extension(evidence: Evidence) -> PlanExtension:
    """What an analyst did beyond the plan, for the reason that it gave."""
    goal = evidence.step.goal.strip()
    return PlanExtension(evidence.step, goal or "An analyst asked for it.")
