"""Stage 4: what was asked, and by whom; with the documents and pages that these texts link.

Documents are read from base, and pages only where the operator lets Assay look things up. Their texts are
kept with the task, so a run that is resumed asks nobody again. What is linked can add requirements; it
takes none away, and what could not be read is told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.clipping import clip
from bot.judge.linked import Pointer, Way, pointers, section_of
from bot.judge.words_to_judges import words_to_judges
from bot.lookup import Refused, Web
from bot.models import EvaluationRequest, SourceKind, Task, TaskSource, Trust
from bot.stages.services import Services
from sandbox.concurrently import concurrently
from sandbox.models import Checkout
from sandbox.tools.tree_reader import TreeReader

MOST_DOCUMENTS = 3
MOST_PAGES = 3
MOST_TOLD = 6
DOCUMENT_CHARS = 60_000
_SHOWN_CHARS = 160


@dataclass(frozen=True, slots=True)
class _Linked:
    """What one of the task's texts points to."""

    pointer: Pointer
    by: TaskSource

    def reference(self, name: str) -> str:
        verb = "named" if self.pointer.way is Way.NAMED else "linked"
        return f"{name}, {verb} by {self.by.reference}"


@dataclass(frozen=True, slots=True)
class _Read:
    """The texts that were read, and why others were not."""

    sources: tuple[TaskSource, ...] = ()
    warnings: tuple[str, ...] = ()


async def collect_task(services: Services, request: EvaluationRequest, checkout: Checkout) -> Task:
    """Collect the texts that say what was asked, most trusted first."""
    await services.origin.announce(request, "task")
    task = await services.origin.task(request, checkout)
    found = _linked(task, services.origin.home(request))
    base = TreeReader(Path(checkout.base_tree))
    documents = await asyncio.to_thread(_documents, found[Way.DOCUMENT], base.read)
    known = {one.pointer.places for one in found[Way.DOCUMENT]}
    beside = [one for one in found[Way.NAMED] if one.pointer.places not in known]
    named = await asyncio.to_thread(_documents, beside, base.read)
    pages = await _pages(services.web, found[Way.PAGE])
    sources = (*task.sources, *documents.sources, *pages.sources)
    return replace(
        task,
        sources=tuple(sorted(sources, key=lambda source: source.trust.rank)),
        warnings=(*task.warnings, *documents.warnings, *pages.warnings),
        named=named.sources,
    )


def _linked(task: Task, home: str) -> dict[Way, list[_Linked]]:
    """What the words point to, by the way; pages only of those who may ask.

    An author links whatever there is, and nothing is fetched for that.
    """
    found: dict[Way, list[_Linked]] = {way: [] for way in Way}
    for source in task.sources:
        text = "" if source.listed else f"{source.title}\n\n{source.text}"
        for pointer in pointers(text, home):
            if source.trust.is_asked or pointer.way is not Way.PAGE:
                found[pointer.way].append(_Linked(pointer, source))
    return found


def _documents(found: list[_Linked], read: Callable[[str], str | None]) -> _Read:
    """Each document once, for the most trusted text that points to it. `read` gives a file of base."""
    known: dict[str, TaskSource] = {}
    warnings: list[str] = []
    for one in found:
        pointer = one.pointer
        path = next((place for place in pointer.places if read(place) is not None), "")
        name = f"{path}#{pointer.anchor}" if pointer.anchor else path
        if not path and pointer.way is Way.DOCUMENT:
            missing = one.reference(pointer.places[0])
            warnings.append(f"{missing}, is not on the base branch as a text; it was not read.")
        elif path and name not in known and len(known) < MOST_DOCUMENTS:
            text = section_of(read(path) or "", pointer.anchor)
            warnings += _cut(one.reference(name), len(text) > DOCUMENT_CHARS)
            known[name] = TaskSource(
                one.reference(name),
                "",
                text[:DOCUMENT_CHARS],
                one.by.trust,
                kind=SourceKind.DOCUMENT,
            )
        elif path and name not in known and pointer.way is Way.DOCUMENT:
            warnings.append(f"{one.reference(name)}, was not read: {MOST_DOCUMENTS} are the most.")
    return _Read(tuple(known.values()), tuple(warnings[:MOST_TOLD]))


async def _pages(web: Web | None, found: list[_Linked]) -> _Read:
    """Each page once; what was fetched and refused alike is told."""
    first: dict[str, _Linked] = {}
    for one in found:
        first.setdefault(one.pointer.places[0], one)
    wanted = tuple(first.values())
    if web is None:
        why = "looking things up on the web is off (`ASSAY_SEARCH`)"
        return _Read((), tuple(_unread(one, why) for one in wanted[:MOST_TOLD]))
    read = await concurrently(*(_page(web, one) for one in wanted[:MOST_PAGES]))
    more = [_unread(one, f"{MOST_PAGES} are the most") for one in wanted[MOST_PAGES:][:MOST_TOLD]]
    sources = tuple(source for one in read for source in one.sources)
    return _Read(sources, (*(told for one in read for told in one.warnings), *more))


async def _page(web: Web, one: _Linked) -> _Read:
    url = one.pointer.places[0]
    try:
        page = await web.page(url)
    except Refused as refused:
        return _Read((), (_unread(one, refused.why.rstrip(".")),))
    reference = one.reference(url)
    source = TaskSource(reference, "", page.text, Trust.PAGE, kind=SourceKind.PAGE)
    spoken = words_to_judges(page.text)
    orders = [f"{reference}, gives orders to judges: “{spoken}”."] if spoken else []
    return _Read((source,), (*_cut(reference, page.is_cut), *orders))


def _unread(one: _Linked, why: str) -> str:
    return f"{one.reference(clip(one.pointer.places[0], _SHOWN_CHARS))}, was not read: {why}."


def _cut(reference: str, is_cut: bool) -> list[str]:
    return [f"{reference}, is long: only its beginning was read."] if is_cut else []
