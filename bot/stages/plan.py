"""Stage 5: the requirements, and what will be looked at, before anything is judged."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from bot.configuration import Configuration
from bot.judge import comprehend, empty_calls, plan
from bot.judge.paths import is_source_path
from bot.judge.requirements import with_pages
from bot.judge.rubric_requirements import with_rubrics
from bot.models import EvaluationRequest, Task, TaskRubric, Trigger
from bot.stages.docket import Planned, Policy
from bot.stages.services import Services
from bot.task_rubrics import kept_rubrics, rubrics_of
from sandbox.browser.pages import find_pages, is_front_end
from sandbox.models import Checkout
from sandbox.tools.tree_reader import TreeReader


async def make_plan(
    services: Services, request: EvaluationRequest, checkout: Checkout, task: Task, policy: Policy
) -> Planned:
    """Split the task into requirements and fix the steps that will be run."""
    await services.origin.announce(request, "plan")
    requirements = comprehend(task, policy.configuration, policy.templates, policy.test_plan)
    rubrics = await asyncio.to_thread(_rubrics, services, request, task, policy)
    requirements, rubrics = with_rubrics(requirements, rubrics)
    pages = await asyncio.to_thread(pages_to_look_at, policy.configuration, checkout)
    if pages:
        requirements = with_pages(requirements)
    trees = TreeReader(Path(checkout.base_tree)), TreeReader(Path(checkout.head_tree))
    calls = await asyncio.to_thread(empty_calls, checkout.diff, *trees)
    changed = checkout.diff.changed_paths
    steps = plan(requirements, policy.configuration, changed, pages, calls)
    return Planned(requirements, steps, rubrics)


def _rubrics(
    services: Services, request: EvaluationRequest, task: Task, policy: Policy
) -> tuple[TaskRubric, ...]:
    """The rubrics of the task's issues; who made the change does not count among their approvers."""
    if request.trigger is Trigger.AGENT_PATCH and not task.author:
        task = replace(task, author=request.actor)
    kept = kept_rubrics(services.store, request.repository, task)
    return rubrics_of(task, policy.rubrics, kept, policy.configuration.rubric.approvals)


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
