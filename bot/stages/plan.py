"""Stage 5: the requirements, and what will be looked at, before anything is judged."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.agents.chambers import Chambers
from bot.agents.comprehension import comprehend_more
from bot.configuration import Configuration
from bot.judge import comprehend, plan
from bot.judge.paths import is_source_path
from bot.judge.requirements import with_pages
from bot.judge.understanding import enriched
from bot.llm import ModelProblem, SessionLimits
from bot.models import EvaluationRequest, Plan, Requirements, RoleUsage, Task
from bot.safety import delimiter_of
from bot.stages.docket import Planned, Policy
from bot.stages.recording import keep_replies
from bot.stages.services import Services
from sandbox.browser.pages import find_pages, is_front_end
from sandbox.models import Checkout


async def make_plan(
    services: Services, request: EvaluationRequest, checkout: Checkout, task: Task, policy: Policy
) -> Planned:
    """Split the task into requirements and fix the steps that will be run.

    Where a model is set it may add requirements and steps; what the rules found stays.
    """
    await services.origin.announce(request, "plan")
    floor = comprehend(task, policy.configuration, policy.templates, policy.test_plan)
    pages = await asyncio.to_thread(pages_to_look_at, policy.configuration, checkout)
    if pages:
        floor = with_pages(floor)
    drafting = Drafting(services, checkout, task, policy, pages)
    limits = policy.configuration.limits
    async with services.open_session(SessionLimits(limits.usd, limits.minutes)) as session:
        if session is None:
            return frozen(floor, drafting.fixed(floor))
        run = f"{checkout.base_sha} {checkout.head_sha}"
        chambers = Chambers(session, delimiter_of(services.mark_key, run))
        requirements = await drafting.understood(chambers, floor)
        await keep_replies(services, request, "plan", session)
        return frozen(requirements, drafting.fixed(requirements), session.usage)


def frozen(requirements: Requirements, fixed: Plan, usage: tuple[RoleUsage, ...] = ()) -> Planned:
    """The plan with its digest: from here on steps may be added, none changed or taken away."""
    return Planned(requirements, fixed, usage, fixed.digest)


@dataclass(frozen=True, slots=True)
class Drafting:
    """What the plan is made from."""

    services: Services
    checkout: Checkout
    task: Task
    policy: Policy
    pages: tuple[str, ...]

    def fixed(self, requirements: Requirements) -> Plan:
        """The steps that the rules ask for."""
        changed = self.checkout.diff.changed_paths
        return plan(requirements, self.policy.configuration, changed, self.pages)

    async def understood(self, chambers: Chambers, floor: Requirements) -> Requirements:
        """The floor and what a model adds; a model that is away adds a remark."""
        sources = self.task.sources
        if not sources or any(source.listed for source in sources):
            return floor
        try:
            more = await comprehend_more(chambers, sources, floor)
        except ModelProblem as error:
            remark = f"No model added to the requirements: {error.why}"
            return replace(floor, remarks=(*floor.remarks, remark))
        return enriched(floor, sources, more, self.policy.templates)


def pages_to_look_at(configuration: Configuration, checkout: Checkout) -> tuple[str, ...]:
    """Return the pages on which the change can be seen: configured, served, or files of head."""
    changed, web, setup = checkout.diff.changed_paths, configuration.web, configuration.setup
    if not web.enabled:
        return ()
    if setup.serve and setup.url:
        touches = any(is_front_end(path) or is_source_path(path) for path in changed)
        return (web.pages or (setup.url,)) if touches else ()
    if web.pages:
        return web.pages if any(map(is_front_end, changed)) else ()
    return tuple(page.path for page in find_pages(Path(checkout.head_tree), changed))
