"""Stage 9: one verdict for each requirement, and one conclusion."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.apart import apart
from bot.context import Case
from bot.evaluation.bundle import Bundle, keep_bundle
from bot.evaluation.decisions import decided
from bot.evaluation.judging import Judging, judged
from bot.evaluation.on_host import on_this_host
from bot.services import Services
from bot.values import Deliberation, Judgement, Observed, Task


@on_this_host
async def judge(
    services: Services, case: Case, task: Task, observed: Observed, deliberation: Deliberation
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
