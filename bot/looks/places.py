"""Shows where in the code the requirements are about, and who uses what the change touches."""

from __future__ import annotations

import asyncio

from bot.judge.code import CodeIndex, changed_symbols, impact, locate
from bot.looks.seen import Seen
from bot.models import Located, Requirement, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.graph.code import read_code
from sandbox.graph.facts import Code
from sandbox.graph.keeping import KeptFacts


async def look_for_places(services: Services, case: Case, step: Step) -> Seen:
    """Read the code of both sides and look up its names; the result is a hint, not evidence.

    An argument is looked for instead of the requirements' own words.
    """
    kept = KeptFacts(services.settings.home.absolute() / "graphs", case.request.repository)
    code = await read_code(services.sandbox, case.checkout, kept)
    asked = [
        (one, step.arguments or (one.text, one.detail))
        for one in case.planned.requirements.items
        if one.id in step.requirement_ids
    ]
    return await asyncio.to_thread(_look, code, case, asked)


def _look(code: Code, case: Case, asked: list[tuple[Requirement, tuple[str, ...]]]) -> Seen:
    """Look for each requirement's texts in turn, until one leads somewhere."""
    index = CodeIndex(code.head)
    changed = changed_symbols(code, case.checkout.diff)
    located = (
        Located(one.id, next(filter(None, (locate(text, index, changed) for text in texts)), ()))
        for one, texts in asked
    )
    return Seen(
        impact=impact(code, changed, index),
        located=tuple(one for one in located if one.places),
    )
