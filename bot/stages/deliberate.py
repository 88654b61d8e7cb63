"""Stage 7: judges that reason over the evidence, where a model is set and no oracle decides."""

from __future__ import annotations

from dataclasses import replace

from bot.agents.chambers import Chambers
from bot.agents.deliberation import hold_deliberation
from bot.agents.dossier import Dossier
from bot.agents.patch_opinion import ask_on_patch
from bot.errors import UserError
from bot.judge import unified, verdicts
from bot.judge.rules import INSTRUCTION
from bot.llm import SessionLimits
from bot.models import Deliberation, Observed, Task
from bot.safety import delimiter_of
from bot.stages.acting import acting_in
from bot.stages.docket import Case
from bot.stages.recording import keep_replies
from bot.stages.services import Services
from sandbox.base import SandboxError


async def deliberate(
    services: Services, case: Case, task: Task, observed: Observed
) -> Deliberation:
    """Ask the judges; without a model there are none, and nothing is announced."""
    limits, checkout = case.policy.configuration.limits, case.checkout
    async with services.open_session(SessionLimits(limits.usd, limits.minutes)) as session:
        if session is None:
            return Deliberation()
        await services.origin.announce(case.request, "deliberate")
        run = f"{checkout.base_sha} {checkout.head_sha}"
        delimiter = delimiter_of(services.mark_key, run)
        chambers = Chambers(session, delimiter, acting_in(services, case))
        found = verdicts(case.planned.requirements, observed, case.policy.configuration)
        spoken = next((f.message for f in observed.integrity if f.rule == INSTRUCTION), "")
        dossier = Dossier(task, unified(checkout.diff), observed.evidence, spoken)
        policy = case.policy.configuration.judges
        requirements = case.planned.requirements
        try:
            held = await hold_deliberation(chambers, requirements, found, dossier, policy)
        except SandboxError as error:
            raise UserError(
                f"The sandbox does not work: {error}",
                "Run `assay doctor` on the machine that judges.",
            ) from error
        seen = replace(dossier, evidence=(*held.evidence, *observed.evidence))
        patch = await ask_on_patch(chambers, seen, case.planned.rubrics, policy.count)
        held = replace(held, patch=patch, usage=session.usage)
        await keep_replies(services, case.request, "deliberate", session)
        return held
