"""Stage 7: judges that reason over the evidence, where a model is set and no oracle decides."""

from __future__ import annotations

import asyncio
import os

from bot.agents.acting import Acting, Taken
from bot.agents.chambers import Chambers
from bot.agents.deliberation import hold_deliberation
from bot.agents.dossier import Dossier
from bot.errors import UserError
from bot.judge import unified, verdicts
from bot.llm import SessionLimits
from bot.looks import ANALYSTS_LOOKS, Seen
from bot.models import Deliberation, Observed, Step, Task
from bot.safety import delimiter_of
from bot.stages.docket import Case
from bot.stages.services import Services, evaluation_key
from sandbox.base import SandboxError
from sandbox.errors import CheckoutError

_STEPS_AT_ONCE = max(2, min(8, os.cpu_count() or 2))


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
        chambers = Chambers(session, delimiter_of(services.mark_key, run), _acting(services, case))
        found = verdicts(case.planned.requirements, observed, case.policy.configuration)
        dossier = Dossier(task, unified(checkout.diff), observed.evidence)
        policy = case.policy.configuration.judges
        requirements = case.planned.requirements
        try:
            return await hold_deliberation(chambers, requirements, found, dossier, policy)
        except SandboxError as error:
            raise UserError(
                f"The sandbox does not work: {error}",
                "Run `assay doctor` on the machine that judges.",
            ) from error


def _acting(services: Services, case: Case) -> Acting:
    """Let analysts act in the sandbox, a few steps at a time."""
    limits, key = case.policy.configuration.limits, evaluation_key(case.request.id)
    places = asyncio.Semaphore(_STEPS_AT_ONCE)

    async def take(step: Step) -> Taken:
        try:
            async with places:
                seen = await ANALYSTS_LOOKS[step.action](services, case, step)
        except CheckoutError as error:  # a path that a model made up
            return Taken(note=str(error))
        return Taken(next(iter(seen.evidence), None), _note(seen))

    async def picture(name: str) -> bytes | None:
        return await asyncio.to_thread(services.artifacts.get, key, name)

    run = f"{key} {case.checkout.base_sha} {case.checkout.head_sha}"
    return Acting(run, take, picture, interactions=limits.interactions, minutes=limits.minutes)


def _note(seen: Seen) -> str:
    """What a look found beside evidence, as lines."""
    findings = (f"{one.path}:{one.line}: {one.rule}: {one.message}" for one in seen.findings)
    places = (f"{p.place.words}: {p.reason}" for one in seen.located for p in one.places)
    return "\n".join((*findings, *places))
