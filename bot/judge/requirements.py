"""Comprehends a task: what exactly is demanded, by whom, and what depends on what.

Issue, task text and pull request are read alike; the author's words can add a requirement and never
remove one. Capability 1 of the Agent-as-a-Judge paper (requirements as a DAG) without a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bot.clipping import clip
from bot.configuration import Configuration
from bot.judge.boilerplate import is_usual_boilerplate, normalised, template_lines
from bot.judge.categories import category_of, is_preference
from bot.judge.graph import mended
from bot.judge.markdown import Document, ListItem, read_document
from bot.judge.plan_requirements import with_criteria
from bot.judge.sameness import says_the_same
from bot.judge.sections import SectionKind, item_kind
from bot.models import (
    Category,
    ListedRequirement,
    ListedTask,
    Preference,
    Requirement,
    Requirements,
    Task,
    TaskSource,
    TestPlan,
    Trust,
)

MAX_REQUIREMENTS = 40
MAX_TEXT = 500
MAX_DETAIL = 4000

BUILDS, NOTHING_REGRESSES, TESTS_NOT_WEAKENED, PAGES_WORK = "B1", "B2", "B3", "B4"
_BASELINE = (
    (BUILDS, "The project builds and installs."),
    (NOTHING_REGRESSES, "Nothing that passed before fails now."),
    (TESTS_NOT_WEAKENED, "No test is made weaker."),
)
_TRUST_ORDER = (Trust.MAINTAINER, Trust.ASKER, Trust.AUTHOR)
_LABEL = re.compile(r"^\W{0,3}((?:R|AC|REQ)-?\d{1,3})\W{0,3}\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"\b(?:depends on|requires|after|blocked by|builds on)\s+"
    r"((?:(?:R|AC|REQ)-?\d{1,3}|(?:item|requirement|step|point)\s+\d{1,3})"
    r"(?:\s*(?:,|and|&)\s*(?:(?:R|AC|REQ)-?\d{1,3}|\d{1,3}))*)",
    re.IGNORECASE,
)
_MERGE_SUBJECT = re.compile(r"^merge (?:pull request #\d+|branch|remote-tracking)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Draft:
    """A demand before it has its final id. `key` is unique in its source; `after` are keys or labels."""

    key: str
    label: str
    text: str
    source: TaskSource
    detail: str
    after: tuple[str, ...]
    wish: bool = False
    listed: ListedRequirement | None = None


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
    drafts: list[_Draft] = []
    for source in sorted(task.sources, key=lambda s: _TRUST_ORDER.index(s.trust)):
        drafts.extend(_drafts_of(source, skipped))
    drafts = _with_titles(task, drafts)
    wishes = [draft for draft in drafts if draft.wish]
    unique, aliases = _merged([draft for draft in drafts if not draft.wish])
    found = _assembled(unique, aliases, wishes, configuration)
    if test_plan is None:
        return found
    first = len(_BASELINE) + len(configuration.requirements)
    least_score = configuration.gate.min_score
    return with_criteria(found, test_plan, first, mandatory=least_score == 0)


def _drafts_of(source: TaskSource, skipped: frozenset[str]) -> list[_Draft]:
    if source.listed is not None:
        return _listed_drafts(source, source.listed)
    document = read_document(source.text)
    drafts: dict[int, _Draft] = {}
    for index, item in enumerate(document.items):
        kind = _kind_in_place(item, document, drafts)
        if kind is SectionKind.OTHER or _is_template_line(item, skipped):
            continue
        drafts[index] = _draft(index, item, source, wish=kind is SectionKind.WISHES)
    return [
        replace(draft, detail=_nested_words(index, document, drafts))
        for index, draft in drafts.items()
    ]


def _listed_drafts(source: TaskSource, listed: ListedTask) -> list[_Draft]:
    """A task file's requirements as they stand, and its preferences as wishes."""
    demands = [
        _Draft(one.key, "", one.text, source, one.detail, one.prerequisites, listed=one)
        for one in listed.requirements
    ]
    wishes = [
        _Draft(f"wish {number}", "", text, source, "", (), wish=True)
        for number, text in enumerate(listed.preferences)
    ]
    return demands + wishes


def _kind_in_place(item: ListItem, document: Document, drafts: dict[int, _Draft]) -> SectionKind:
    """A nested item is a demand of its own only when it is ticked off or numbered."""
    if item.parent < 0:
        kind = item_kind(item)
    elif item.parent in drafts and (item.ticked is not None or item.number):
        kind = SectionKind.WISHES if drafts[item.parent].wish else SectionKind.DEMANDS
    else:
        return SectionKind.OTHER
    if kind is SectionKind.DEMANDS and is_preference(item.text):
        return SectionKind.WISHES
    return kind


def _is_template_line(item: ListItem, skipped: frozenset[str]) -> bool:
    words = normalised(item.text)
    if not re.search(r"[^\W\d_]{2}", words) or words in skipped:
        return True
    return item.ticked is not None and is_usual_boilerplate(item.text)


def _draft(index: int, item: ListItem, source: TaskSource, *, wish: bool) -> _Draft:
    label = _LABEL.match(item.text)
    text = item.text[label.end() :] if label else item.text
    after = [str(item.parent)] if item.parent >= 0 else []
    for match in _AFTER.finditer(item.text):
        numbers = re.findall(r"\d{1,3}", match.group(1))
        after.extend(f"label {_bare_number(number)}" for number in numbers)
    own_label = label.group(1) if label else str(item.number or "")
    return _Draft(
        key=str(index),
        label=_bare_number(own_label),
        text=text,
        source=source,
        detail="",
        after=tuple(after),
        wish=wish,
    )


def _bare_number(label: str) -> str:
    digits = re.search(r"\d+", label)
    return str(int(digits.group())) if digits else ""


def _nested_words(index: int, document: Document, drafts: dict[int, _Draft]) -> str:
    nested = (
        item.text
        for i, item in enumerate(document.items)
        if item.parent == index and i not in drafts
    )
    return " ".join(nested)[:MAX_DETAIL]


def _with_titles(task: Task, drafts: list[_Draft]) -> list[_Draft]:
    """Let the title speak for a source that lists no behaviour; the asker's before the author's."""
    trusts = [source.trust for source in task.sources]
    speaking = Trust.ASKER if Trust.ASKER in trusts else Trust.AUTHOR
    titled = list(drafts)
    for source in task.sources:
        listed = [d for d in drafts if d.source == source and not d.wish]
        if (
            source.listed is None
            and source.trust is speaking
            and not any(category_of(d.text) is Category.BEHAVIOUR for d in listed)
        ):
            titled.insert(0, _title_draft(source))
    return titled


def _title_draft(source: TaskSource) -> _Draft:
    title = source.title.strip()
    lines = [line.strip() for line in source.text.splitlines() if line.strip()]
    if (not title or _MERGE_SUBJECT.match(title)) and lines:
        title = lines[0].lstrip("#*- ")
    text = title or "The task says what is asked (it is empty)."
    prose = source.text[:MAX_DETAIL]
    return _Draft(key="title", label="", text=text, source=source, detail=prose, after=())


# --- one list out of many --------------------------------------------------------------------


def _merged(drafts: list[_Draft]) -> tuple[list[_Draft], dict[tuple[str, str], _Draft]]:
    """Merge what is said twice, keeping the more trusted; the map tells where each draft went."""
    kept: list[_Draft] = []
    aliases: dict[tuple[str, str], _Draft] = {}
    for draft in sorted(drafts, key=lambda d: _TRUST_ORDER.index(d.source.trust)):
        twin = next((other for other in kept if _is_twin(other, draft)), None)
        if twin is None:
            kept.append(draft)
        aliases[draft.source.reference, draft.key] = twin or draft
    return kept, aliases


def _is_twin(one: _Draft, other: _Draft) -> bool:
    """Whether both say the same; what one task file lists stays apart, as its author counts it."""
    if one.listed and other.listed and one.source == other.source:
        return False
    return says_the_same(one.text, other.text)


def _assembled(
    drafts: list[_Draft],
    aliases: dict[tuple[str, str], _Draft],
    wishes: list[_Draft],
    configuration: Configuration,
) -> Requirements:
    sources = dict.fromkeys(draft.source for draft in (*drafts, *wishes))
    remarks = [told for source in sources if source.listed for told in source.listed.remarks]
    own = _configured(configuration)
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
    return Requirements((*_baseline(), *own, *items), preferences, (*remarks, *mendings))


def _numbered(drafts: list[_Draft], taken: set[str]) -> dict[tuple[str, str], str]:
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
    draft: _Draft,
    ids: dict[tuple[str, str], str],
    aliases: dict[tuple[str, str], _Draft],
    remarks: list[str],
) -> Requirement:
    return Requirement(
        id=ids[draft.source.reference, draft.key],
        text=_capped(draft.text, remarks),
        category=category_of(draft.text),
        origin=draft.source.reference,
        trust=draft.source.trust,
        mandatory=draft.listed is None or draft.listed.mandatory,
        prerequisites=_prerequisites(draft, ids, aliases, remarks),
        detail=draft.detail,
        area=draft.listed.area if draft.listed else "",
    )


def _prerequisites(
    draft: _Draft,
    ids: dict[tuple[str, str], str],
    aliases: dict[tuple[str, str], _Draft],
    remarks: list[str],
) -> tuple[str, ...]:
    found: list[str] = []
    for after in draft.after:
        key = after
        if after.startswith("label "):
            key = _key_of_label(after.removeprefix("label "), draft.source, aliases)
        twin = aliases.get((draft.source.reference, key))
        id_ = ids.get((twin.source.reference, twin.key)) if twin else None
        if id_ is None:
            remarks.append(
                f"“{draft.text[:60]}” depends on something that is not listed; left out."
            )
        elif id_ not in found:
            found.append(id_)
    return tuple(found)


def _key_of_label(label: str, source: TaskSource, aliases: dict[tuple[str, str], _Draft]) -> str:
    for (reference, key), draft in aliases.items():
        if reference == source.reference and draft.label == label:
            return key
    return ""


def _baseline() -> tuple[Requirement, ...]:
    return tuple(
        Requirement(id_, text, Category.BASELINE, "baseline", Trust.MAINTAINER)
        for id_, text in _BASELINE
    )


def with_pages(requirements: Requirements) -> Requirements:
    """The same requirements and, after the baseline's, that the changed pages work."""
    text = "Changed pages load, and nothing on them broke (at most five are looked at)."
    pages = Requirement(PAGES_WORK, text, Category.BASELINE, "baseline", Trust.MAINTAINER)
    first = len(_BASELINE)
    items = (*requirements.items[:first], pages, *requirements.items[first:])
    return replace(requirements, items=items)


def _configured(configuration: Configuration) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(
            id=own.id,
            text=own.text,
            category=Category.CHECK if own.check or own.interaction else category_of(own.text),
            origin="configuration",
            trust=Trust.MAINTAINER,
            check=own.check or "",
            script=own.interaction or (),
        )
        for own in configuration.requirements
    )


def _capped(text: str, remarks: list[str]) -> str:
    if len(text) <= MAX_TEXT:
        return text
    remarks.append(f"“{text[:60]}…” is longer than {MAX_TEXT} characters and was cut.")
    return clip(text, MAX_TEXT)
