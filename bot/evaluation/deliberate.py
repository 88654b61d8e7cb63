"""Stages 8 and 9: judges reason over what no oracle decides; then each requirement gets one verdict.

Analysts act in the evaluation's own sandbox, by the looks of a plan's steps.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from datetime import UTC, datetime

from bot.apart import apart
from bot.context import EvaluationContext
from bot.evaluation.damaged_steps import StepQuestion, with_damage
from bot.evaluation.decisions import decided
from bot.evaluation.judging import Judging, ask_judges, judged
from bot.evaluation.on_host import case_here, on_this_host
from bot.evaluation.recording import Bundle, keep_bundle, keep_replies
from bot.evidence.kinds import left_out, look_of
from bot.judges.agents import Acting, Agents, Taken
from bot.judges.material import told_by_others
from bot.judges.model import SessionLimits
from bot.services import Services, acting_key, evaluation_key, run_delimiter
from bot.values import Deliberation, Judgement, Observed, Part, PlanExtension, Step, Task
from sandbox.errors import CheckoutError


@on_this_host
async def deliberate(
    services: Services, case: EvaluationContext, task: Task, observed: Observed
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
        today = datetime.now(UTC).date().isoformat()
        agents = Agents(session, delimiter, acting_in(services, case, task, observed), today)
        held = await ask_judges(Judging.of(case, task, observed), agents)
        await keep_replies(services, case.request, "deliberate", session)
        added = tuple(
            PlanExtension(one.step, one.step.goal.strip() or "An analyst asked for it.")
            for one in held.evidence
        )
        return replace(held, usage=(*planned, *held.usage), extensions=added)


_STEPS_AT_ONCE = max(2, min(8, os.cpu_count() or 2))


def acting_in(
    services: Services, case: EvaluationContext, task: Task, observed: Observed
) -> Acting:
    """What analysts of this evaluation may do, a few steps at a time."""
    limits, key = case.policy.configuration.limits, evaluation_key(case.request.id)
    places = asyncio.Semaphore(_STEPS_AT_ONCE)
    requirements = {one.id: one for one in case.planned.requirements.items}
    around = told_by_others(task)

    async def take(step: Step) -> Taken:
        try:
            async with places:
                seen = await look_of(case, step, is_analysts=True)(services, case, step)
                found = next(iter(seen.evidence), None)
                if found is not None and (asked := requirements.get(step.requirement_ids[0])):
                    question = StepQuestion(asked, around, observed)
                    found = await with_damage(services, case, found, question)
        except CheckoutError as error:  # a path that a model made up
            return Taken(note=str(error))
        beside = [f"{one.path}:{one.line}: {one.rule}: {one.message}" for one in seen.findings]
        beside += [f"{p.place.words}: {p.reason}" for one in seen.located for p in one.places]
        return Taken(found, "\n".join(beside))

    async def picture(name: str) -> bytes | None:
        return await asyncio.to_thread(services.artifacts.get, key, name)

    run = acting_key(case.request, case.checkout)
    return Acting(
        run,
        take,
        picture,
        services.web,
        limits.interactions,
        limits.minutes,
        reads_only=Part.EXECUTION in case.request.without,
        left_out=left_out(case.request),
    )


@on_this_host
async def judge(
    services: Services,
    case: EvaluationContext,
    task: Task,
    observed: Observed,
    deliberation: Deliberation,
) -> Judgement:
    """Conclude, and read what people decided; where models were asked, keep all that it came from."""
    await services.origin.announce(case.request, "judge")
    case.planned.plan.extended(*deliberation.extensions).held_to(case.planned.frozen)
    members = await services.origin.members(case.request)
    judging = Judging.of(case, task, observed)
    timeout_s = case.policy.configuration.limits.minutes * 60
    judgement = await apart(timeout_s, judged, judging, deliberation, members)
    if deliberation.usage:
        bundle = await asyncio.to_thread(Bundle.of, services, case, judging, judgement, members)
        await keep_bundle(services, case.request, bundle)
    return replace(judgement, acceptances=await decided(services, case, judgement, members))
