"""Stage 4: what was asked, and by whom; with the documents and pages that these texts link.

Documents are read from base, and pages only where the operator lets Assay look things up. Their texts are
kept with the task, so a run that is resumed asks nobody again. What is linked can add requirements; it
takes none away, and what could not be read is told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.evaluation.on_host import on_this_host, trees_here
from bot.judges.citations import words_to_judges
from bot.judges.web_access import LookupRefused, Web
from bot.services import Services
from bot.task.linked import Pointer, Way, pointers, section_of
from bot.text.clipping import clip
from bot.values import EvaluationRequest, SourceKind, Task, TaskSource, Trust
from sandbox.concurrently import concurrently
from sandbox.reading.read import FilePassage, read
from sandbox.values import Checkout, Observation, Side

MOST_DOCUMENTS = 3
MOST_PAGES = 3
MOST_TOLD = 6
MOST_TRIED = 12
DOCUMENT_CHARS = 60_000
_SHOWN_CHARS = 160
Reader = Callable[[str], Awaitable[Observation]]
"""Shows a file of base by its path."""


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


@on_this_host
async def collect_task(services: Services, request: EvaluationRequest, checkout: Checkout) -> Task:
    """Collect the texts that say what was asked, most trusted first."""
    await services.origin.announce(request, "task")
    checkout = await trees_here(services, request, checkout)
    task = await services.origin.task(request, checkout)
    found = _linked(task, services.origin.home(request), frozenset(checkout.diff.changed_paths))

    async def of_base(path: str) -> Observation:
        """A document is converted in the sandbox. Raises SandboxError without one."""
        return await read(services.sandbox, Side.BASE, checkout.base_tree, FilePassage(path))

    documents = await _documents(found[Way.DOCUMENT], of_base)
    known = {one.pointer.places for one in found[Way.DOCUMENT]}
    named = await _documents(
        [one for one in found[Way.NAMED] if one.pointer.places not in known], of_base
    )
    pages = await _pages(services.web, found[Way.PAGE])
    sources = (*task.sources, *documents.sources, *pages.sources)
    return replace(
        task,
        sources=tuple(sorted(sources, key=lambda source: source.trust.rank)),
        warnings=(*task.warnings, *documents.warnings, *pages.warnings),
        named=named.sources,  # what is named is often no document of base, and not missed
    )


def _linked(task: Task, home: str, changed: frozenset[str]) -> dict[Way, list[_Linked]]:
    """What the words point to, by the way; pages only of those who may ask.

    An author links whatever there is: nothing is fetched for that, and a document demands something
    only where nobody else says what is asked, and the change does not edit it.
    """
    found: dict[Way, list[_Linked]] = {way: [] for way in Way}
    is_alone = not any(source.trust.is_asked for source in task.sources)
    for source in task.sources:
        text = "" if source.listed else f"{source.title}\n\n{source.text}"
        for pointer in pointers(text, home):
            if source.trust.is_asked:
                found[pointer.way].append(_Linked(pointer, source))
            elif pointer.way is not Way.PAGE:
                counts = is_alone and changed.isdisjoint(pointer.places)
                way = pointer.way if counts else Way.NAMED
                found[way].append(_Linked(replace(pointer, way=way), source))
    return found


async def _documents(found: list[_Linked], of_base: Reader) -> _Read:
    """Each document once, for the most trusted text that points to it."""
    known: dict[str, TaskSource] = {}
    warnings: list[str] = []
    for one in _each_once(found)[:MOST_TRIED]:
        if len(known) == MOST_DOCUMENTS:
            warnings.append(_unread(one, f"{MOST_DOCUMENTS} are the most"))
            continue
        # The first of the places where there is something to read, else why the likeliest is not.
        problem = ""
        for path in one.pointer.places:
            shown = await of_base(path)
            if not shown.problem:
                break
            problem = problem or shown.problem
        else:
            warnings.append(_unread(one, problem.rstrip(".")))
            continue
        reference = one.reference("#".join(filter(None, (path, one.pointer.anchor))))
        text, kind = section_of(shown.output, one.pointer.anchor), SourceKind.DOCUMENT
        warnings += _cut(reference, len(text) > DOCUMENT_CHARS)
        source = TaskSource(reference, "", text[:DOCUMENT_CHARS], one.by.trust, kind=kind)
        known.setdefault(f"{path}#{one.pointer.anchor}", source)
    return _Read(tuple(known.values()), tuple(warnings[:MOST_TOLD]))


def _each_once(found: list[_Linked]) -> list[_Linked]:
    """What several texts point to, for the first of them."""
    first: dict[tuple[str, str], _Linked] = {}
    for one in found:
        first.setdefault((one.pointer.places[0], one.pointer.anchor), one)
    return list(first.values())


async def _pages(web: Web | None, found: list[_Linked]) -> _Read:
    """Each page once; what was fetched and refused alike is told."""
    wanted = _each_once(found)
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
    except LookupRefused as refused:
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
