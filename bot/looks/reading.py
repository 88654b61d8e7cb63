"""Searches and reads files of both sides for people; no verdict rests on what they show."""

from __future__ import annotations

from pathlib import PurePosixPath

from bot.judge import transition
from bot.looks.browser import look_at_pages
from bot.looks.seen import Seen
from bot.models import Evidence, Step
from bot.stages.docket import Case
from bot.stages.services import Services
from sandbox.concurrently import concurrently
from sandbox.interaction.pictures import BY_BROWSER
from sandbox.models import Side
from sandbox.reading.read import Passage, read
from sandbox.reading.search import Wanted, search

_BY_BROWSER = {".html", ".htm", ".svg", *BY_BROWSER}


async def search_code(services: Services, case: Case, step: Step) -> Seen:
    """Search both trees; the arguments are the text and, for a pattern, the word `pattern`."""
    wanted = Wanted(step.arguments[0], is_pattern=step.arguments[1:] == ("pattern",))
    base, head = await concurrently(
        *(search(services.sandbox, side, tree, wanted) for side, tree in _sides(case))
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))


async def read_file(services: Services, case: Case, step: Step) -> Seen:
    """Read a file on both sides; the arguments are its path and, of text, the first and last line.

    Pages and images are looked at in the browser.
    """
    path = step.arguments[0]
    if PurePosixPath(path).suffix.lower() in _BY_BROWSER and len(step.arguments) == 1:
        return await look_at_pages(services, case, step)
    passage = Passage(path, *map(int, step.arguments[1:3]))
    base, head = await concurrently(
        *(read(services.sandbox, side, tree, passage) for side, tree in _sides(case))
    )
    return Seen((Evidence(step.id, step, base, head, transition(base, head)),))


def _sides(case: Case) -> tuple[tuple[Side, str], ...]:
    return (Side.BASE, case.checkout.base_tree), (Side.HEAD, case.checkout.head_tree)
