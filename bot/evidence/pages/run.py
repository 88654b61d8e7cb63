"""Looks at pages in a browser, and follows the configuration's scripts there, on both sides."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from bot.context import EvaluationContext
from bot.evidence.pages.weigh import compare_pages
from bot.evidence.seen import Seen, limits, showing, sides
from bot.services import Services, evaluation_key
from bot.values import Step
from sandbox.browser.journey import Journey, JourneySide, Served, Visit, travel
from sandbox.browser.pages import site_root
from sandbox.browser.script import read_script
from sandbox.browser.telling import SCRIPT, ObservedJourney, tell


async def look_at_pages(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Open each page wide and narrow, light and dark; what is wrong on head only fails there."""
    visits = tuple(Visit(path, path, _root(case, path)) for path in step.arguments)
    seen = await _visit(services, case, step, visits)
    head = seen.head
    if head.exit_code == 0 and compare_pages(seen.base, head).broken:
        head = replace(head, exit_code=1)
    return showing(step, seen.base, head)


async def follow_script(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Take the acts of a script; the first that fails ends it with exit code 1."""
    acts = read_script(step.arguments)
    visit = Visit(SCRIPT, acts[0].target, _root(case, acts[0].target), acts)
    seen = await _visit(services, case, step, (visit,))
    return showing(step, seen.base, seen.head)


async def _visit(
    services: Services, case: EvaluationContext, step: Step, visits: tuple[Visit, ...]
) -> ObservedJourney:
    journey = _journey(services, case, visits)
    travelled = await travel(services.sandbox, journey)
    pictures: dict[str, bytes] = {}
    seen = tell(step.id, journey, travelled, pictures.__setitem__)
    key = evaluation_key(case.request.id)
    for name, png in pictures.items():
        await asyncio.to_thread(services.artifacts.put, key, name, png)
    return seen


def _journey(services: Services, case: EvaluationContext, visits: tuple[Visit, ...]) -> Journey:
    """Name both sides; a project is served where the configuration says how and where."""
    setup = case.policy.configuration.setup
    served = Served(setup.serve, setup.url) if setup.serve and setup.url else None
    journey = Journey(
        grounds=tuple(
            JourneySide(one.side, one.tree, one.environment)
            for one in sides(case, case.built)
            if not one.is_off
        ),
        visits=visits,
        served=served,
        network=case.policy.network_to_observe,
    )
    timeout_s = min(journey.limits.timeout_s, limits(case).timeout_s)
    return replace(journey, limits=replace(journey.limits, timeout_s=timeout_s))


def _root(case: EvaluationContext, path: str) -> str:
    """The folder of head's tree whose files are the site; it is the same folder on base."""
    return site_root(Path(case.checkout.head_tree), path)
