"""Stage 7: judges that reason over the evidence, where a model is set and no oracle decides."""

from __future__ import annotations

from bot.agents.chambers import Chambers
from bot.errors import UserError
from bot.llm import SessionLimits
from bot.models import Deliberation, Observed, Task
from bot.safety import delimiter_of
from bot.stages.acting import acting_in
from bot.stages.docket import Case
from bot.stages.matter import Matter, put_before_judges
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
        delimiter = delimiter_of(services.mark_key, f"{checkout.base_sha} {checkout.head_sha}")
        chambers = Chambers(session, delimiter, acting_in(services, case))
        try:
            held = await put_before_judges(Matter.of(case, task, observed), chambers)
        except SandboxError as error:
            raise UserError(
                f"The sandbox does not work: {error}",
                "Run `assay doctor` on the machine that judges.",
            ) from error
        await keep_replies(services, case.request, "deliberate", session)
        return held
