"""Adds what a model understood of a task to what was read from it by rule; the rule's list is the floor.

Nothing of the floor is taken away or made weaker, whatever the model says: it may add requirements in
the words of a source, say what should be where a title only tells of a bug, add prerequisites, call upkeep
behaviour, and point at duplicates, of which the stronger one stays. What it calls kept or forbidden is so
where the words say it too. Every refusal is told in the remarks, with its reason.

A quotation counts only where people can read it: not in comments, code blocks, titles of sections, nor
under headings that say nothing is demanded there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.task.categories import (
    ASKED,
    NARROW,
    category_of,
    forbids,
    is_preference,
    may_keep,
    preserves,
    upkeep_area,
)
from bot.task.graph import mended, with_edges
from bot.task.permissions import only_permits, permitted_changes
from bot.task.requirements import MAX_REQUIREMENTS, MAX_TEXT
from bot.task.wording import (
    has_the_same_words,
    normalised,
    says_the_same,
    stands_for_title,
    template_lines,
)
from bot.text.clipping import clip
from bot.text.markdown import read_document
from bot.text.words import sentences, words_of
from bot.values import Category, Preference, Requirement, Requirements, TaskSource

MOST_NEW = 24
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class NewDemand(BaseModel):
    """A demand that the list lacks."""

    key: Name = Field(description="your name for it: N1, N2, …")
    source: Name
    quotation: Words
    kind: Literal["must", "wish"] = "must"
    category: Literal["behaviour", "keep", "upkeep", "prohibition", "permission"] = "behaviour"
    needs: list[Name] = Field(default_factory=list, max_length=20)


class Needs(BaseModel):
    """What a listed requirement builds on."""

    id: Name
    needs: list[Name] = Field(max_length=20)


class Same(BaseModel):
    """Two listed requirements that demand the same."""

    one: Name
    other: Name


class ComprehensionReply(BaseModel):
    """What the model adds to the list."""

    new: list[NewDemand] = Field(default_factory=list, max_length=MOST_NEW)
    prerequisites: list[Needs] = Field(default_factory=list, max_length=60)
    same: list[Same] = Field(default_factory=list, max_length=30)
    behaviour: list[Name] = Field(default_factory=list, max_length=60)


def enriched(
    floor: Requirements,
    sources: Iterable[TaskSource],
    reply: ComprehensionReply,
    templates: tuple[str, ...] = (),
) -> Requirements:
    """The floor with what the model added, all checked by rule. Ids go on after the floor's."""
    additions = _Additions(floor, {source.reference: source for source in sources}, templates)
    for proposal in reply.new:
        additions.add(proposal)
    # Behaviour needs proof that something changed: only that way is never weaker.
    weaker = (Category.UPKEEP, Category.KEEP)
    items = tuple(
        replace(one, category=Category.BEHAVIOUR)
        if one.id in reply.behaviour and one.category in weaker
        else one
        for one in additions.items
    )
    needs = [(new.key, need) for new in reply.new for need in new.needs]
    needs += [(one.id, need) for one in reply.prerequisites for need in one.needs]
    edges = [(additions.id_of(later), additions.id_of(earlier)) for later, earlier in needs]
    # Only what the task asks for builds on something; an unknown id goes on to be told.
    not_asked = {one.id for one in items if one.category not in ASKED}
    items, refused = with_edges(items, [edge for edge in edges if edge[0] not in not_asked])
    items, merged = _without_duplicates(items, reply.same)
    items, cut = mended(items)
    remarks = (*floor.remarks, *additions.remarks, *refused, *merged, *cut)
    # A sentence of which a requirement was made, or of a part of it, is no longer left out.
    words = [one.quotation or one.shown for one in items]
    not_apart = (
        sentence
        for sentence in floor.not_apart
        if not any(_holds(sentence, one) or says_the_same(sentence, one) for one in words)
    )
    return replace(
        floor,
        items=items,
        preferences=tuple(additions.preferences),
        permitted=tuple(additions.permitted),
        remarks=remarks,
        not_apart=tuple(not_apart),
    )


class _Additions:
    """The growing list; each proposal is taken, or refused with a remark."""

    def __init__(
        self, floor: Requirements, sources: dict[str, TaskSource], templates: tuple[str, ...]
    ) -> None:
        self.items = list(floor.items)
        self.preferences = list(floor.preferences)
        self.permitted = list(floor.permitted)
        self.remarks: list[str] = []
        self._sources = sources
        self._skipped = template_lines(templates)
        self._ids: dict[str, str] = {one.id: one.id for one in floor.items}

    def id_of(self, name: str) -> str:
        """The id that a name of the model stands for; the name itself where it stands for none."""
        return self._ids.get(name, name)

    def add(self, proposal: NewDemand) -> None:
        source = self._sources.get(proposal.source)
        if source is None:
            self._refuse(proposal, f"there is no source called “{proposal.source[:60]}”")
            return
        found = quoted_in(source, proposal.quotation, self._skipped)
        if isinstance(found, str):
            self._refuse(proposal, found)
            return
        text = clip(found.safe, MAX_TEXT)
        said = {found.words, found.sentence, text}
        twins = (
            one
            for one in self.items
            for known in (one.text, one.wording or one.text)
            if any(says_the_same(known, words) for words in said)
        )
        twin = next(twins, None)
        if twin is None and preserves(found.sentence):
            # The title that "No behavior changes." makes one of a refactoring: it asks for both.
            titles = (one for one in self.items if one.is_title and one.origin == source.reference)
            twin = next((one for one in titles if one.category is Category.UPKEEP), None)
        if twin is not None:
            self._ids.setdefault(proposal.key, twin.id)
        elif proposal.category == "permission" or only_permits(found.sentence):
            self._permit(proposal, found, source)
        elif proposal.kind == "wish" or is_preference(found.sentence):
            is_new = not any(says_the_same(wish.text, text) for wish in self.preferences)
            if is_new and len(self.preferences) < MAX_REQUIREMENTS:
                id_ = self._free_id("P", {wish.id for wish in self.preferences})
                self.preferences.append(Preference(id_, text, source.reference))
        elif sum(one.category in ASKED for one in self.items) >= MAX_REQUIREMENTS:
            self._refuse(proposal, f"{MAX_REQUIREMENTS} requirements are the most")
        else:
            self._demand(proposal, text, found, source)

    def _demand(self, proposal: NewDemand, text: str, found: Quotation, source: TaskSource) -> None:
        proposed, by_words = Category(proposal.category), category_of(text)
        is_narrow = by_words is Category.UPKEEP and upkeep_area(text) in NARROW
        kind = Category.BEHAVIOUR  # what the words say, and never weaker than the model says
        if proposed is Category.PROHIBITION and forbids(text):
            kind = Category.PROHIBITION
        elif proposed is Category.KEEP and may_keep(text):
            kind = Category.KEEP
        elif is_narrow or proposed is by_words:
            kind = by_words
        # The first sentence that says what should be words a bug's title so: they are one demand.
        for at, one in enumerate(self.items if kind is Category.BEHAVIOUR else ()):
            is_bug = one.is_title and one.origin == source.reference and not one.quotation
            is_bug = is_bug and one.category is Category.BEHAVIOUR and source.trust.is_asked
            if is_bug and stands_for_title(found.sentence, source.title, source.text):
                self.items[at] = replace(one, wording=text, quotation=clip(found.words, MAX_TEXT))
                self._ids.setdefault(proposal.key, one.id)
                return
        id_ = self._free_id("R", {one.id for one in self.items})
        self._ids.setdefault(proposal.key, id_)
        self.items.append(
            Requirement(
                id=id_,
                text=text,
                category=kind,
                origin=source.reference,
                trust=source.trust,
                quotation=clip(found.words, MAX_TEXT),
            )
        )

    def _permit(self, proposal: NewDemand, found: Quotation, source: TaskSource) -> None:
        """Allow what a sentence of those who may ask allows; it demands nothing, whoever says it."""
        if not source.trust.is_asked:
            self._refuse(proposal, "only who asks for the change can allow something")
            return
        allowed = tuple(permitted_changes(replace(source, title="", text=found.sentence)))
        known = {one.sentence for one in self.permitted}
        self.permitted += [one for one in allowed if one.sentence not in known]
        if not allowed:
            self._refuse(proposal, "it demands nothing, and names no test that may change")

    def _refuse(self, proposal: NewDemand, why: str) -> None:
        self.remarks.append(f"The model's “{proposal.quotation[:60]}” was left out: {why}.")

    def _free_id(self, letter: str, taken: set[str]) -> str:
        number = 1
        while f"{letter}{number}" in taken or f"{letter}{number}" in self._ids.values():
            number += 1
        return f"{letter}{number}"


def _without_duplicates(
    items: tuple[Requirement, ...], pairs: Iterable[Same]
) -> tuple[tuple[Requirement, ...], tuple[str, ...]]:
    """Merge the pairs that say the same in the same words; the stronger stays and takes the edges."""
    remarks: list[str] = []
    for pair in pairs:
        known = {one.id: one for one in items}
        both = [known[id_] for id_ in (pair.one, pair.other) if id_ in known]
        if len(both) < 2 or pair.one == pair.other:
            continue
        stays, goes = sorted(both, key=lambda one: (_rank(one), items.index(one)))
        # Nothing is lost: no check of its own, no stricter kind, and the same telling words.
        is_duplicate = (
            goes.category in ASKED
            and stays.category in (goes.category, Category.BEHAVIOUR)
            and _rank(stays) <= _rank(goes)
            and has_the_same_words(stays.text, goes.text)
        )
        if not is_duplicate:
            remarks.append(f"{goes.id} is not the same as {stays.id} by its words; both stay.")
            continue
        remarks.append(f"{goes.id} ({goes.origin}) says the same as {stays.id} and was merged.")
        left: list[Requirement] = []
        for one in items:
            needs = (*one.prerequisites, *(goes.prerequisites if one is stays else ()))
            named = dict.fromkeys(stays.id if id_ == goes.id else id_ for id_ in needs)
            kept = tuple(id_ for id_ in named if id_ != one.id)
            left += [replace(one, prerequisites=kept)] if one is not goes else []
        items = tuple(left)
    return items, tuple(remarks)


def _rank(requirement: Requirement) -> tuple[bool, int, bool]:
    """The smaller, the stronger: mandatory, trusted, behaviour."""
    return (
        not requirement.mandatory,
        requirement.trust.rank,
        requirement.category is not Category.BEHAVIOUR,
    )


_NOTHING_ASKED = re.compile(
    r"out of scope|non-?goals|alternatives?|won'?t|reprod|^steps\b|^versions?\b|environment|"
    r"traceback|\blogs?\b|what i (?:have )?tried",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:no|not|never|neither|nor|without|unless|except|instead|only|if|whether|don't|won't|"
    r"shouldn't|mustn't|isn't|cannot|can't)\b",
    re.IGNORECASE,
)
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"'})


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words of a source: as they were quoted, and the whole sentence round them."""

    words: str
    sentence: str

    @property
    def safe(self) -> str:
        """The quoted words, or the sentence where they are few, or it says more about whether."""
        is_telling = len(words_of(self.words)) > 1
        is_whole = _turning(self.sentence) <= _turning(self.words)
        return self.words if is_telling and is_whole else self.sentence


def quoted_in(source: TaskSource, quoted: str, skipped: frozenset[str]) -> Quotation | str:
    """Find quoted words in a source, whatever the case and the spacing; else say why not, as a clause.

    They are whole words. `skipped` are the normalised lines of the repository's templates: nobody wrote
    them for this task.
    """
    named, why = source.reference, ""
    for passage, heading in _passages(source):
        if not _holds(passage, quoted):
            continue
        if heading:
            under = f"“{clip(heading, 60)}” in {named}"
            why = why or f"it stands under {under}, where nothing is demanded"
            continue
        if normalised(passage) in skipped:
            why = why or "it is a line of the repository's own template"
            continue
        # The fewest sentences, one after another, that hold the wanted words.
        parts = [one for one in sentences(passage) if one.strip()]
        stretches = (
            " ".join(parts[start : start + length])
            for length in range(1, len(parts) + 1)
            for start in range(len(parts) - length + 1)
        )
        around = next((one.strip() for one in stretches if _holds(one, quoted)), passage)
        found = Quotation(" ".join(quoted.split()), around)
        if words_of(quoted) or _plain(quoted) == _plain(found.sentence):
            return found
        why = why or "these words alone say nothing: quote the whole clause"
    if why:
        return why
    whole = f"{source.title}\n{source.text}"
    if _holds(whole, quoted):
        return (
            f"in {named} it stands only where people read no demand (code, a comment, a quotation)"
        )
    if _plain(quoted) and _plain(quoted) in _plain(whole):
        return f"in {named} it is only a part of other words"
    return f"its words do not stand in {named}"


def _passages(source: TaskSource) -> Iterator[tuple[str, str]]:
    """What can be read of a source, each with the heading that says that nothing is demanded there."""
    yield source.title, ""
    for passage in read_document(source.text).passages:
        nothing = (one for one in passage.headings if _NOTHING_ASKED.search(one))
        yield passage.text, next(nothing, "")


def _holds(text: str, quoted: str) -> bool:
    """Whether a text has these words, whole."""
    wanted = _plain(quoted)
    before = r"(?<!\w)" if wanted[:1].isalnum() else ""
    after = r"(?!\w)" if wanted[-1:].isalnum() else ""
    return bool(wanted) and re.search(before + re.escape(wanted) + after, _plain(text)) is not None


def _plain(text: str) -> str:
    return " ".join(text.translate(_QUOTES).casefold().split())


def _turning(text: str) -> frozenset[str]:
    return frozenset(match.casefold() for match in _TURNS.findall(text))
