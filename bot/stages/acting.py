"""Lets analysts act: their steps are taken by the same looks as a plan's, in the same sandbox."""

from __future__ import annotations

import asyncio
import os

from bot.agents.acting import Acting, Taken
from bot.looks import ANALYSTS_LOOKS, Seen
from bot.models import Step
from bot.stages.docket import Case
from bot.stages.services import Services, acting_key, evaluation_key
from sandbox.errors import CheckoutError

_STEPS_AT_ONCE = max(2, min(8, os.cpu_count() or 2))


def acting_in(services: Services, case: Case) -> Acting:
    """What analysts of this evaluation may do, a few steps at a time."""
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

    run = acting_key(case.request, case.checkout)
    return Acting(run, take, picture, services.web, limits.interactions, limits.minutes)


def _note(seen: Seen) -> str:
    """What a look found beside evidence, as lines."""
    findings = (f"{one.path}:{one.line}: {one.rule}: {one.message}" for one in seen.findings)
    places = (f"{p.place.words}: {p.reason}" for one in seen.located for p in one.places)
    return "\n".join((*findings, *places))
