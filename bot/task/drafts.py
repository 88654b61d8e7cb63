"""Reads single demands from each text of a task, as drafts: their ids come when all are one list.

What is linked demands only what stands under a heading that says so, or in a document what is there to
be ticked off: most of what documents and pages list is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.task.alternatives import without_blocks
from bot.task.categories import MODAL, category_of, is_preference
from bot.task.permissions import only_permits
from bot.task.sections import SectionKind, goes_on, item_kind, lists_of_demands, section_kind
from bot.task.wording import is_usual_boilerplate, normalised, says_what_should_be
from bot.text.markdown import ListItem, read_document
from bot.values import Category, ListedRequirement, SourceKind, Task, TaskSource, Trust

MAX_DETAIL = 4000
TITLE = "title"
"""The key of what a title says."""
_LABEL = re.compile(r"^\W{0,3}((?:R|AC|REQ)-?\d{1,3})\W{0,3}\s+", re.IGNORECASE)
_AFTER = re.compile(
    r"\b(?:depends on|requires|after|blocked by|builds on)\s+"
    r"((?:(?:R|AC|REQ)-?\d{1,3}|(?:item|requirement|step|point)\s+\d{1,3})"
    r"(?:\s*(?:,|and|&)\s*(?:(?:R|AC|REQ)-?\d{1,3}|\d{1,3}))*)",
    re.IGNORECASE,
)
_BOLD = re.compile(
    r"(?P<mark>\*\*|__)(?P<lead>[^*_\n]{3,80})(?P=mark)[.:]?\s+(?P<text>\S.{20,})", re.DOTALL
)
_EITHER, _OR = (
    re.compile(r"\W{0,3}either\b", re.IGNORECASE),
    re.compile(r"\W{0,3}or\b", re.IGNORECASE),
)
_MERGE_SUBJECT = re.compile(r"^merge (?:pull request #\d+|branch|remote-tracking)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A demand before it has its final id. `key` is unique in its source; `after` are keys or labels."""

    key: str
    label: str
    text: str
    source: TaskSource
    detail: str
    after: tuple[str, ...]
    wish: bool = False
    listed: ListedRequirement | None = None


def drafts_of(source: TaskSource, skipped: frozenset[str]) -> list[Draft]:
    """The demands and wishes of one text; `skipped` are lines of the repository's own templates."""
    if source.listed is not None:
        demands = [
            Draft(one.key, "", one.text, source, one.detail, one.prerequisites, listed=one)
            for one in source.listed.requirements
        ]
        wishes = [
            Draft(f"wish {number}", "", text, source, "", (), wish=True)
            for number, text in enumerate(source.listed.preferences)
        ]
        return demands + wishes
    document, left = read_document(source.text), left_open(source)
    title_asks = source.trust.is_asked and says_what_should_be(source.title)
    lists = lists_of_demands(document.items, title_asks) if source.trust.is_asked else frozenset()
    drafts: dict[int, Draft] = {}
    if source.trust.is_asked and source.kind is SourceKind.WORDS and not lists:
        parts = [*_parts_in_bold(source.text)]
        if len(parts) > 1 and all(MODAL.search(o) and not is_preference(o) for o in parts):
            return [Draft(str(n), "", part, source, "", ()) for n, part in enumerate(parts)]
    for index, item in enumerate(document.items):
        kind = _kind_in_place(item, drafts, title_asks=title_asks)
        if kind is SectionKind.OTHER and goes_on(item, lists):
            kind = SectionKind.DEMANDS
        # In what is linked, a heading above an entry has to say that it asks for something.
        if source.kind is not SourceKind.WORDS:
            is_headed = section_kind(item.headings) in (SectionKind.DEMANDS, SectionKind.WISHES)
            is_ticked_off = source.kind is SourceKind.DOCUMENT and item.ticked is not None
            kind = kind if is_headed or is_ticked_off else SectionKind.OTHER
        words = normalised(item.text)
        is_template = not re.search(r"[^\W\d_]{2}", words) or words in skipped
        if item.ticked is not None:
            is_template = is_template or is_usual_boilerplate(item.text)
        is_none = is_template or item.text in left or only_permits(item.text)
        if kind is SectionKind.OTHER or is_none:
            continue
        draft = _draft(index, item, source, wish=kind is SectionKind.WISHES)
        before = next(reversed(drafts.values()), draft)
        # "Either export it", "or remove it": one demand, met by either.
        if _OR.match(draft.text) and _EITHER.match(before.text) and before.after == draft.after:
            drafts[int(before.key)] = replace(before, text=f"{before.text} {draft.text}")
            continue
        drafts[index] = draft
    found: list[Draft] = []
    for index, draft in drafts.items():
        nested = " ".join(
            item.text
            for at, item in enumerate(document.items)
            if item.parent == index and at not in drafts
        )
        found.append(replace(draft, detail=nested[:MAX_DETAIL]))
    return found


def _parts_in_bold(text: str) -> Iterator[str]:
    """Yield the paragraphs that begin with words in bold, a list without bullets: "**Lost cents.** It …"."""
    for paragraph in re.split(r"\n\s*\n", without_blocks(text)):
        if bold := _BOLD.match(paragraph.strip()):
            yield f"{bold['lead'].rstrip('.: ')}: {' '.join(bold['text'].split())}"


def left_open(source: TaskSource) -> tuple[str, ...]:
    """The boxes that an author leaves open beside ticked ones: what this change does not do, or not yet."""
    items = read_document(source.text).items if source.trust is Trust.AUTHOR else ()
    is_ticked_off = any(one.ticked for one in items)
    return tuple(one.text for one in items if one.ticked is False and is_ticked_off)


def _kind_in_place(item: ListItem, drafts: dict[int, Draft], *, title_asks: bool) -> SectionKind:
    """A nested item is a demand of its own only when it is ticked off or numbered."""
    if item.parent < 0:
        kind = item_kind(item, title_asks=title_asks)
    elif item.parent in drafts and (item.ticked is not None or item.number):
        kind = SectionKind.WISHES if drafts[item.parent].wish else SectionKind.DEMANDS
    else:
        return SectionKind.OTHER
    if kind is SectionKind.DEMANDS and is_preference(item.text):
        return SectionKind.WISHES
    return kind


def _draft(index: int, item: ListItem, source: TaskSource, *, wish: bool) -> Draft:
    label = _LABEL.match(item.text)
    text = item.text[label.end() :] if label else item.text
    after = [str(item.parent)] if item.parent >= 0 else []
    for match in _AFTER.finditer(item.text):
        numbers = re.findall(r"\d{1,3}", match.group(1))
        after.extend(f"label {_bare_number(number)}" for number in numbers)
    own_label = label.group(1) if label else str(item.number or "")
    return Draft(
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


def with_titles(task: Task, drafts: list[Draft]) -> list[Draft]:
    """Let the title speak for words that list no behaviour; the asker's before the author's."""
    trusts = [source.trust for source in task.sources]
    speaking = Trust.ASKER if Trust.ASKER in trusts else Trust.AUTHOR
    titled = list(drafts)
    for source in task.sources:
        listed = [d for d in drafts if d.source == source and not d.wish]
        if (
            source.listed is None
            and source.kind is SourceKind.WORDS
            and source.trust is speaking
            and not any(category_of(d.text) is Category.BEHAVIOUR for d in listed)
        ):
            title = source.title.strip()
            lines = [line.strip() for line in source.text.splitlines() if line.strip()]
            if (not title or _MERGE_SUBJECT.match(title)) and lines:
                title = lines[0].lstrip("#*- ")
            text = title or "The task says what is asked (it is empty)."
            titled.insert(0, Draft(TITLE, "", text, source, source.text[:MAX_DETAIL], after=()))
    return titled
