"""Comprehends a task: what exactly is demanded, by whom, and what depends on what.

Issue, task text and pull request are read alike; the author's words can add a requirement and never
remove one. Capability 1 of the Agent-as-a-Judge paper (requirements as a DAG) without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from bot.configuration import Configuration
from bot.diff.lines import added_lines
from bot.diff.paths import is_document, is_test_path
from bot.task.categories import category_of, preserves
from bot.task.drafts import TITLE, Draft, drafts_of, left_open, with_titles
from bot.task.examples.calls import MOST_EXAMPLES, MOST_SHOWN, examples_of, shown_results
from bot.task.graph import mended
from bot.task.permissions import permitted_changes
from bot.task.wording import (
    as_what_must_hold,
    asked_in_prose,
    is_usual_boilerplate,
    normalised,
    says_the_same,
    says_what_should_be,
    template_lines,
)
from bot.text.clipping import clip
from bot.values import (
    Category,
    Example,
    Part,
    Preference,
    Requirement,
    Requirements,
    SourceKind,
    Task,
    TaskSource,
    TestPlan,
    Trust,
    UnreadExample,
)
from sandbox.values import Diff

MAX_REQUIREMENTS = 40
MAX_TEXT = 500

BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED, PAGES_WORK = "B1", "B2", "B3", "B4"
_ASKS_FOR_MORE = re.compile(
    r"\W*(?:\w+(?:\([^)\n]{0,40}\))?!?: )?"
    r"(?:add|support|allow|fix|implement|introduce|enable|accept|handle)\w*\b",
    re.IGNORECASE,
)
_BASELINE = (
    (BUILDS, "The project builds and installs."),
    (NOTHING_REGRESSES, "No regressions: what passed before still passes."),
    (TESTS_NOT_WEAKENED, "No test is weakened."),
)
_IN_SHORT = {
    BUILDS: "the build",
    NOTHING_REGRESSES: "no regressions",
    TESTS_NOT_WEAKENED: "no weakened tests",
    PAGES_WORK: "changed pages work",
}


SEEN_BY = {Part.EXECUTION: (BUILDS, NOTHING_REGRESSES), Part.BASE_SIDE: (NOTHING_REGRESSES,)}
"""What nothing else of Assay can tell."""


def set_aside(found: Requirements, without: tuple[Part, ...]) -> Requirements:
    """Ask nothing of a measurement that only the parts that are off can tell.

    Else every such run would end in the same way, and show nothing of what else is lost.
    """
    aside = {one for part in without for one in SEEN_BY.get(part, ())}
    items = (replace(one, mandatory=one.mandatory and one.id not in aside) for one in found.items)
    return replace(found, items=tuple(items))


def with_documents(found: Requirements, task: Task, diff: Diff) -> Requirements:
    """Add to what was said what the change writes in changelogs and documents, where only its author speaks.

    It is no less than a description, and no more: it says of which values and names the change is.
    """
    if any(source.trust.is_asked for source in task.sources):
        return found
    written = "\n".join(
        line
        for one in diff.files
        if is_document(one.path) and not is_test_path(one.path)
        for _, line in added_lines(one)
    )
    return replace(found, said=(*found.said, written[:_MOST_SAID])) if written else found


def comprehend(
    task: Task,
    configuration: Configuration,
    templates: tuple[str, ...],
    test_plan: TestPlan | None = None,
) -> Requirements:
    """Split a task into requirements, with the baseline and the configuration's own.

    `templates` are the texts of the repository's issue and pull request templates: their lines are
    never requirements. A task without sources (a merge group) asks for the baseline and the
    configuration's own only. Every item of the test plan is a requirement, however many there are.
    What was merged, repaired or left out is told in `remarks`.
    """
    skipped = template_lines(templates)
    drafts: list[Draft] = []
    for source in sorted(task.sources, key=lambda s: s.trust.rank):
        drafts.extend(drafts_of(source, skipped))
    # Somebody must read the linked texts in which the rules find no demand.
    silent = [
        f"No list of demands was found in {source.reference}."
        for source in task.sources
        if source.kind is not SourceKind.WORDS and all(one.source != source for one in drafts)
    ]
    silent += [
        f"{source.reference} leaves “{clip(one, 120)}” open, so it is not judged."
        for source in task.sources
        for one in left_open(source)
        if not is_usual_boilerplate(one) and normalised(one) not in skipped
    ]
    drafts = with_titles(task, drafts)
    wishes = [draft for draft in drafts if draft.wish]
    unique, aliases = _merged([draft for draft in drafts if not draft.wish])
    found = _assembled(unique, aliases, wishes, configuration)
    asked = [source for source in task.sources if source.trust.is_asked]
    examples, unread = _examples(asked, unique)
    permitted = tuple(one for source in asked for one in permitted_changes(source))
    lets_change = {one.sentence for one in permitted}
    found = replace(
        found,
        remarks=(*found.remarks, *silent),
        shown=tuple(one for source in asked for one in shown_results(source))[:MOST_SHOWN],
        permitted=permitted,
        examples=examples,
        unread=unread,
        said=tuple(f"{one.title}\n{one.text}"[:_MOST_SAID] for one in asked or task.sources),
        not_apart=tuple(one for one in _not_apart(asked, found.items) if one not in lets_change),
    )
    if test_plan is None:
        return found
    first = len(_BASELINE) + len(configuration.requirements)
    least_score = configuration.gate.min_score
    return with_criteria(found, test_plan, first, mandatory=least_score == 0)


def _examples(
    asked: list[TaskSource], drafts: list[Draft]
) -> tuple[tuple[Example, ...], tuple[UnreadExample, ...]]:
    """What those who ask show, read and not; what is linked shows how things are, too."""
    found: dict[tuple[object, ...], Example] = {}
    unread: dict[UnreadExample, None] = {}
    for source in asked:
        if source.kind is SourceKind.WORDS:
            demands = [one.text for one in drafts if one.source == source and one.key != TITLE]
            for one in examples_of(source, demands):
                if isinstance(one, UnreadExample):
                    unread[replace(one, said=clip(one.said, MAX_TEXT))] = None
                else:
                    found.setdefault(
                        (one.call, one.error, one.said_result, one.kind, one.before), one
                    )
    return tuple(found.values())[:MOST_EXAMPLES], tuple(unread)[:MOST_EXAMPLES]


def _not_apart(asked: Iterable[TaskSource], items: Iterable[Requirement]) -> Iterator[str]:
    """Sentences that ask for something beside the requirements: who reads the report must know of them."""
    known = [words for one in items for words in (one.text, one.shown)]
    for source in asked:
        if source.kind is SourceKind.WORDS and source.listed is None:
            title_asks = says_what_should_be(source.title)
            yield from asked_in_prose(source.text, known, title_asks=title_asks)


def _merged(drafts: list[Draft]) -> tuple[list[Draft], dict[tuple[str, str], Draft]]:
    """Merge what is said twice, keeping the more trusted; the map tells where each draft went."""
    kept: list[Draft] = []
    aliases: dict[tuple[str, str], Draft] = {}
    for draft in sorted(drafts, key=lambda d: d.source.trust.rank):
        # What one task file lists stays apart, as its author counts it.
        beside = (o for o in kept if not (o.listed and draft.listed and o.source == draft.source))
        twin = next((other for other in beside if says_the_same(other.text, draft.text)), None)
        if twin is None:
            kept.append(draft)
        aliases[draft.source.reference, draft.key] = twin or draft
    return kept, aliases


def _assembled(
    drafts: list[Draft],
    aliases: dict[tuple[str, str], Draft],
    wishes: list[Draft],
    configuration: Configuration,
) -> Requirements:
    sources = dict.fromkeys(draft.source for draft in (*drafts, *wishes))
    remarks = [told for source in sources if source.listed for told in source.listed.remarks]
    baseline = tuple(
        Requirement(id_, text, Category.BASELINE, "baseline", Trust.MAINTAINER)
        for id_, text in _BASELINE
    )
    own = tuple(
        Requirement(
            id=one.id,
            text=one.text,
            category=Category.CHECK if one.check or one.interaction else category_of(one.text),
            origin="configuration",
            trust=Trust.MAINTAINER,
            check=one.check or "",
            script=one.interaction or (),
        )
        for one in configuration.requirements
    )
    room = MAX_REQUIREMENTS - len(own)
    if len(drafts) > room:
        remarks.append(
            f"The task lists {len(drafts)} requirements; only the first {room} are judged."
        )
    ids = _numbered(drafts[:room], {requirement.id for requirement in own})
    items = tuple(_requirement(draft, ids, aliases, remarks) for draft in drafts[:room])
    items, mendings = mended(items)
    preferences = tuple(
        Preference(f"P{number}", _capped(wish.text, remarks), wish.source.reference)
        for number, wish in enumerate(wishes[:MAX_REQUIREMENTS], start=1)
    )
    return Requirements((*baseline, *own, *items), preferences, (*remarks, *mendings))


def _numbered(drafts: list[Draft], taken: set[str]) -> dict[tuple[str, str], str]:
    ids: dict[tuple[str, str], str] = {}
    number = 0
    for draft in drafts:
        id_ = f"R{draft.key}" if draft.listed and draft.key.isdecimal() else ""
        if not id_ or id_ in taken:
            number += 1
            while f"R{number}" in taken:
                number += 1
            id_ = f"R{number}"
        taken.add(id_)
        ids[draft.source.reference, draft.key] = id_
    return ids


def _requirement(
    draft: Draft,
    ids: dict[tuple[str, str], str],
    aliases: dict[tuple[str, str], Draft],
    remarks: list[str],
) -> Requirement:
    category, is_title = category_of(draft.text), draft.key == TITLE
    # A title whose text says "No behavior changes." asks for a refactoring, unless it asks for more.
    may_refactor = is_title and not _ASKS_FOR_MORE.match(draft.text)
    said = f"{draft.text}\n\n{draft.source.text}"
    if may_refactor and category is Category.BEHAVIOUR and preserves(said):
        category = Category.UPKEEP
    # The title of a bug is worded as what must hold; what is listed as a demand stays as it is.
    is_bug = is_title and draft.source.trust.is_asked and category is Category.BEHAVIOUR
    return Requirement(
        id=ids[draft.source.reference, draft.key],
        text=_capped(draft.text, remarks),
        category=category,
        origin=draft.source.reference,
        trust=draft.source.trust,
        mandatory=draft.listed is None or draft.listed.mandatory,
        prerequisites=_prerequisites(draft, ids, aliases, remarks),
        detail=draft.detail,
        area=draft.listed.area if draft.listed else "",
        wording=as_what_must_hold(draft.text, draft.source.text) if is_bug else "",
        issue=draft.source.issue,
        is_title=is_title,
    )


def _prerequisites(
    draft: Draft,
    ids: dict[tuple[str, str], str],
    aliases: dict[tuple[str, str], Draft],
    remarks: list[str],
) -> tuple[str, ...]:
    found: list[str] = []
    for after in draft.after:
        key = after
        if after.startswith("label "):
            label, reference = after.removeprefix("label "), draft.source.reference
            named = (k for (r, k), one in aliases.items() if r == reference and one.label == label)
            key = next(named, "")
        twin = aliases.get((draft.source.reference, key))
        id_ = ids.get((twin.source.reference, twin.key)) if twin else None
        if id_ is None:
            remarks.append(
                f"“{draft.text[:60]}” depends on something that is not listed; left out."
            )
        elif id_ not in found:
            found.append(id_)
    return tuple(found)


def in_words(requirement: Requirement) -> str:
    """The id with what it stands for: nobody knows a code by itself."""
    short = _IN_SHORT.get(requirement.id) if requirement.category is Category.BASELINE else None
    return f"{requirement.id}, {short or f'“{clip(requirement.shown, 120)}”'}"


def with_pages(requirements: Requirements) -> Requirements:
    """The same requirements and, after the baseline's, that the changed pages work."""
    text = "Changed pages load and work as before (at most five are checked)."
    pages = Requirement(PAGES_WORK, text, Category.BASELINE, "baseline", Trust.MAINTAINER)
    first = len(_BASELINE)
    items = (*requirements.items[:first], pages, *requirements.items[first:])
    return replace(requirements, items=items)


def _capped(text: str, remarks: list[str]) -> str:
    if len(text) <= MAX_TEXT:
        return text
    remarks.append(f"“{text[:60]}…” is longer than {MAX_TEXT} characters and was cut.")
    return clip(text, MAX_TEXT)


_MOST_SAID = 20_000
_MOST_DETAIL = 4000


def with_criteria(
    found: Requirements, test_plan: TestPlan, first: int, *, mandatory: bool
) -> Requirements:
    """Put the plan's items at `first`, before the task's own; C1, C2, … where no id is taken."""
    taken = {requirement.id for requirement in found.items}
    letter = "C"
    while any(re.fullmatch(rf"{letter}\d+", id_) for id_ in taken):
        letter += "_"
    criteria = tuple(
        Requirement(
            id=f"{letter}{item.number}",
            text=item.metric,
            category=Category.CRITERION,
            origin=test_plan.path,
            trust=Trust.MAINTAINER,
            mandatory=mandatory,
            detail=item.description[:_MOST_DETAIL],
            item=item,
        )
        for item in test_plan.items
    )
    return replace(found, items=(*found.items[:first], *criteria, *found.items[first:]))
