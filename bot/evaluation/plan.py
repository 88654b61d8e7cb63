"""Stage 5: the requirements, and what will be looked at, before anything is judged."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.apart import apart
from bot.configuration import Configuration
from bot.context import Planned, Policy
from bot.diff.paths import is_source_path
from bot.diff.unified import changed_code, unified_within
from bot.evaluation.on_host import on_this_host, trees_here
from bot.evaluation.recording import keep_plan, keep_replies, kept_plan
from bot.evaluation.rubrics import issues, rubrics_of, unused, with_rubrics
from bot.evidence.code_map.run import Asked, find_places
from bot.evidence.kinds import PLANNING
from bot.evidence.planning import Change, plan, planned_by
from bot.judges.agents import Agents
from bot.judges.model import ModelProblem, SessionLimits
from bot.judges.planner import CODE_CHARS, DIFF_CHARS, PlanningFacts, comprehend_more, propose_steps
from bot.services import Services, run_delimiter
from bot.task.categories import ASKED
from bot.task.requirements import comprehend, set_aside, with_documents, with_pages
from bot.task.understanding import enriched
from bot.values import EvaluationRequest, Part, Plan, Requirements, Task, TaskRubric, Trigger
from sandbox.base import SandboxError
from sandbox.browser.pages import find_pages, is_front_end
from sandbox.repository.names import TreeReader
from sandbox.values import Checkout


@on_this_host
async def make_plan(
    services: Services, request: EvaluationRequest, checkout: Checkout, task: Task, policy: Policy
) -> Planned:
    """Split the task into requirements and fix the steps that will be run.

    Where a model is set it may add requirements and steps; what the rules found stays.
    """
    await services.origin.announce(request, "plan")
    checkout = await trees_here(services, request, checkout)
    if policy.listed:
        task = replace(task, sources=(policy.listed, *task.sources))
    timeout_s = policy.configuration.limits.minutes * 60
    floor = await apart(
        timeout_s, comprehend, task, policy.configuration, policy.templates, policy.test_plan
    )
    found = await asyncio.to_thread(_rubrics, services, request, task, policy)
    floor, rubrics = with_rubrics(_remarked(floor, *unused(policy.rubrics)), found)
    floor = with_documents(set_aside(floor, request.without), task, checkout.diff)
    pages = await asyncio.to_thread(pages_to_look_at, policy.configuration, checkout)
    if pages:
        floor = with_pages(floor)
    drafting = Drafting(services, request, checkout, task, policy, pages)
    if request.plan_of:
        before = await asyncio.to_thread(kept_plan, services, request)
        return replace(before, plan=await drafting.again(before), usage=(), frozen="")
    limits = policy.configuration.limits
    async with services.open_session(SessionLimits(limits.usd, limits.minutes)) as session:
        if session is None:
            fixed = await drafting.fixed(floor)
            return await keep_plan(services, request, Planned(floor, fixed, rubrics=rubrics))
        agents = Agents(session, run_delimiter(services, checkout))
        requirements = await drafting.understood(agents, floor)
        planned = await drafting.planned(agents, requirements)
        await keep_replies(services, request, "plan", session)
        planned = replace(planned, usage=session.usage, rubrics=rubrics)
        return await keep_plan(services, request, planned)


def _rubrics(
    services: Services, request: EvaluationRequest, task: Task, policy: Policy
) -> tuple[TaskRubric, ...]:
    """The rubrics of the task's issues; who made the change does not count among their approvers."""
    if Part.RUBRIC in request.without:
        return ()
    if request.trigger is Trigger.AGENT_PATCH and not task.author:
        task = replace(task, author=request.actor)
    kept = {one: services.store.rubrics(request.repository, one) for one in issues(task)}
    return rubrics_of(task, policy.rubrics, kept, policy.configuration.rubric.approvals)


@dataclass(frozen=True, slots=True)
class Drafting:
    """What the plan is made from."""

    services: Services
    request: EvaluationRequest
    checkout: Checkout
    task: Task
    policy: Policy
    pages: tuple[str, ...]

    async def fixed(self, requirements: Requirements) -> Plan:
        """The steps that the rules ask for."""
        checkout, configuration = self.checkout, self.policy.configuration
        trees = TreeReader(Path(checkout.base_tree)), TreeReader(Path(checkout.head_tree))
        change = Change(checkout.diff, *trees)
        timeout_s = configuration.limits.minutes * 60
        more = await apart(timeout_s, planned_by, PLANNING, requirements, change)
        return plan(requirements, configuration, checkout.diff.changed_paths, self.pages, more)

    async def again(self, before: Planned) -> Plan:
        """The fixed steps, which are this patch's own, and those that were proposed for another one."""
        fixed = (await self.fixed(before.requirements)).steps
        proposed = [step for step in before.plan.steps if step.is_proposed]
        numbered = enumerate(proposed, start=len(fixed) + 1)  # there can be more fixed ones here
        return Plan((*fixed, *(replace(step, id=f"E{number}") for number, step in numbered)))

    async def understood(self, agents: Agents, floor: Requirements) -> Requirements:
        """The floor and what a model adds; a model that is away adds a remark."""
        sources = self.task.sources
        if not sources or any(source.listed for source in sources):
            return floor
        sources += self.task.named
        try:
            more = await comprehend_more(agents, sources, floor)
        except ModelProblem as error:
            return _remarked(floor, f"No model added to the requirements: {error.why}")
        return enriched(floor, sources, more, self.policy.templates)

    async def planned(self, agents: Agents, requirements: Requirements) -> Planned:
        """The fixed steps, then those that a model proposes and that hold."""
        fixed, checkout = await self.fixed(requirements), self.checkout
        setup = self.policy.configuration.setup
        asked: list[Asked] = [
            (one, (one.text, one.detail)) for one in requirements.items if one.category in ASKED
        ]
        try:
            seen = await find_places(self.services, self.request, checkout, asked)
            head = TreeReader(Path(checkout.head_tree))
            facts = PlanningFacts(
                fixed=fixed,
                changed_paths=checkout.diff.changed_paths,
                has_file=self._has_file,
                site=(setup.url or "").rstrip("/") if setup.serve else "",
                impact=seen.impact,
                located=seen.located,
                task=self.task,
                diff=unified_within(checkout.diff, DIFF_CHARS),
                code=changed_code(checkout.diff, head, CODE_CHARS),
            )
            proposed = await propose_steps(agents, requirements, facts)
        except (ModelProblem, SandboxError) as error:
            remark = f"No model added to the plan: {error}"
            return Planned(_remarked(requirements, remark), fixed)
        requirements = _remarked(requirements, *proposed.remarks)
        return Planned(requirements, Plan((*fixed.steps, *proposed.steps)))

    def _has_file(self, path: str) -> bool:
        trees = (self.checkout.base_tree, self.checkout.head_tree)
        return any(TreeReader(Path(tree)).read_bytes(path) is not None for tree in trees)


def _remarked(requirements: Requirements, *remarks: str) -> Requirements:
    return replace(requirements, remarks=(*requirements.remarks, *remarks))


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
    return find_pages(Path(checkout.head_tree), changed)
