"""What people accept: which reasons of the gate it answers, what it is about, and when it is void.

An acceptance answers what nobody could tell, never a failing check; an override answers both. Neither
changes a verdict or the count of requirements that are met.

A push keeps an acceptance only where every file that it touches is surely unrelated: prose, or Python,
JavaScript or TypeScript code that neither is imported by what the requirement is about nor imports it.
When in doubt it is void.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.paths import is_build_file, is_changelog, is_test_module, is_test_path
from bot.evidence.code_map.index import CodeIndex
from bot.task.requirements import in_words
from bot.text import scrub
from bot.text.clipping import clip_line
from bot.values import (
    Acceptance,
    AcceptanceKind,
    Category,
    Conclusion,
    Evaluation,
    GateReason,
    GateResult,
    Judgement,
    MemberVerdict,
    Requirement,
)
from bot.verdict.gate import worst
from bot.verdict.headline import MAX_TITLE, headline

MOST_PLACES = 2_000
_ASKS_A_PERSON = frozenset({"unverified", "expectation", "revert", "patch", "crash", "score"})
_UNDECIDED = frozenset({Conclusion.ACTION_REQUIRED, Conclusion.TIMED_OUT})
_NOT_OF_THE_CHANGE = frozenset({"member", "evaluation"})
_SAID_FREELY = frozenset({"patch", "score"})
_RULES_IN_WORDS = {
    "expectation": "changed expectations",
    "revert": "the revert",
    "patch": "the patch as a whole",
    "crash": "a crash on an empty input",
    "score": "the score",
}


# --- what can be decided -------------------------------------------------------------------------


def subject_of(reason: GateReason) -> str:
    """What a person names to decide about a reason: a requirement's id, else the rule."""
    return reason.requirement_ids[0] if reason.requirement_ids else reason.rule


def can_be_accepted(reason: GateReason) -> bool:
    """Whether nobody could tell, so that a person with write access may decide."""
    return reason.rule in _ASKS_A_PERSON and reason.conclusion in _UNDECIDED


def can_be_overridden(reason: GateReason) -> bool:
    """Whether it blocks this change, so that an administrator may let it pass."""
    blocks = reason.conclusion is Conclusion.FAILURE or reason.conclusion in _UNDECIDED
    return blocks and reason.rule not in _NOT_OF_THE_CHANGE


def acceptable(gate: GateResult) -> tuple[str, ...]:
    """What a person with write access can accept, as it is named in a command: rules come first."""
    found = sorted(filter(can_be_accepted, gate.reasons), key=lambda r: bool(r.requirement_ids))
    return tuple(dict.fromkeys(map(subject_of, found)))


# --- the gate after it ---------------------------------------------------------------------------


def after_acceptances(judgement: Judgement) -> GateResult:
    """The gate's answer with what people decided; what they answered is told, and blocks no more."""
    gate = judgement.gate
    valid = [one for one in judgement.acceptances if not one.void]
    answered: list[tuple[Acceptance, GateReason]] = []
    kept: list[GateReason] = []
    for reason in gate.reasons:
        given = next((one for one in valid if _answers(one, reason)), None)
        if given is None:
            kept.append(reason)
        else:
            answered.append((given, reason))
    void = tuple(
        GateReason(
            "void",
            Conclusion.SUCCESS,
            f"{one.subject}: what @{one.actor} {one.kind.value} at "
            f"{(one.carried_from or one.head_sha)[:12]} does not count any more: {one.void}.",
        )
        for one in judgement.acceptances
        if one.void
    )
    if not answered:
        return replace(gate, reasons=(*gate.reasons, *void))
    told = [_told(given, reason) for given, reason in answered]
    loud = [one for one in told if one.rule == AcceptanceKind.OVERRIDDEN]
    quiet = [one for one in told if one.rule == AcceptanceKind.ACCEPTED]
    conclusion = worst(kept)
    title = _title(judgement, conclusion, tuple(kept), [given for given, _ in answered])
    return GateResult(conclusion, title, (*loud, *kept, *quiet, *void))


def _answers(given: Acceptance, reason: GateReason) -> bool:
    may = can_be_accepted if given.kind is AcceptanceKind.ACCEPTED else can_be_overridden
    return given.subject == subject_of(reason) and may(reason)


def _told(given: Acceptance, reason: GateReason) -> GateReason:
    who = f"@{given.actor}"
    if given.kind is AcceptanceKind.OVERRIDDEN:
        author = ", who opened this pull request" if given.by_author else ""
        who = f"the administrator {who}{author}"
    return GateReason(
        given.kind.value,
        Conclusion.SUCCESS,
        f"{reason.text} This was {given.kind.value} by {who}: {given.reason}",
        requirement_ids=reason.requirement_ids,
    )


def _title(
    judgement: Judgement,
    conclusion: Conclusion,
    kept: tuple[GateReason, ...],
    given: list[Acceptance],
) -> str:
    overridden = [one for one in given if one.kind is AcceptanceKind.OVERRIDDEN]
    if conclusion is not Conclusion.SUCCESS:
        texts = {one.id: one.text for one in judgement.requirements.items}
        rest = headline(conclusion, judgement.met, kept, texts)
        return clip_line(f"OVERRIDDEN in part; {rest}" if overridden else rest, MAX_TITLE)
    counted = str(judgement.met)
    people = " and ".join(dict.fromkeys(f"@{one.actor}" for one in overridden or given))
    if overridden:
        what = _in_words(overridden, judgement)
        return clip_line(f"OVERRIDDEN by {people}: {what}; {counted}", MAX_TITLE)
    return clip_line(f"{counted}; {_in_words(given, judgement)} accepted by {people}", MAX_TITLE)


def _in_words(given: list[Acceptance], judgement: Judgement) -> str:
    if len(given) > 1:
        return f"{len(given)} points"
    (only,) = given
    requirement = _requirement(only.subject, judgement)
    if requirement is None:
        return _RULES_IN_WORDS.get(only.subject, only.subject)
    if requirement.category is Category.BASELINE:
        return in_words(requirement)
    return f"“{clip_line(requirement.shown, 40).removesuffix('.')}”"


def of_group(judgement: Judgement, members: tuple[MemberVerdict, ...]) -> tuple[Acceptance, ...]:
    """What counts for a merge group: what was accepted for every one of its pull requests."""
    found = []
    for subject in acceptable(judgement.gate):
        given = [
            next((one for one in member.accepted if one.subject == subject), None)
            for member in members
        ]
        first = given[0] if given else None
        if first is not None and all(given):
            numbers = ", ".join(f"#{member.number}" for member in members)
            reason = f"as for {numbers}: {first.reason}"
            found.append(replace(first, kind=AcceptanceKind.ACCEPTED, reason=reason))
    return tuple(found)


# --- whether it still counts ---------------------------------------------------------------------


def text_of(subject: str, judgement: Judgement) -> str:
    """What a requirement, or the gate's rule, says; empty where there is no such thing.

    A changed expectation says its tests; what judges say in free words is never the same twice.
    """
    if requirement := _requirement(subject, judgement):
        return requirement.text
    found = [r for r in judgement.gate.reasons if not r.requirement_ids and r.rule == subject]
    if subject in _SAID_FREELY:
        return subject if found else ""
    return "; ".join(", ".join(reason.tests) or reason.text for reason in found)


def checked(given: Acceptance, judgement: Judgement) -> Acceptance | None:
    """The acceptance with why it is void for this judgement; None where there is nothing to accept."""
    if given.void:
        return given
    found = [r for r in judgement.gate.reasons if subject_of(r) == given.subject]
    text = scrub(text_of(given.subject, judgement))
    if not text:
        is_rule = given.subject in _RULES_IN_WORDS
        return None if is_rule else replace(given, void="nothing asks for it any more")
    if not found:
        return None
    if text != given.text:
        return replace(given, void="what it was given for says something else now")
    accepts = given.kind is AcceptanceKind.ACCEPTED
    if accepts and any(reason.conclusion is Conclusion.FAILURE for reason in found):
        return replace(given, void="a check fails now, which only an administrator can override")
    return given


def places_of(subject: str, evaluation: Evaluation) -> tuple[str, ...]:
    """The files that a requirement is about: the change, its tests, and what both reach.

    Empty where only the whole project can show it: the baseline, checks, and the gate's own rules.
    """
    judgement, observed = evaluation.judgement, evaluation.observed
    if judgement is None or observed is None or observed.changes_truncated:
        return ()
    requirement = _requirement(subject, judgement)
    if requirement is None or requirement.category not in (Category.BEHAVIOUR, Category.KEEP):
        return ()
    paths = dict.fromkeys(observed.changed_paths)
    cited = {t for v in judgement.verdicts if v.requirement_id == subject for t in v.tests}
    paths |= dict.fromkeys(t.path for t in observed.tests.comparisons if t.id in cited and t.path)
    for found in observed.located:
        if found.requirement_id == subject:
            paths |= dict.fromkeys(one.place.path for one in found.places)
    for symbol in observed.symbols:
        paths |= dict.fromkeys(place.path for place in (*symbol.callers, *symbol.tests))
    return tuple(paths) if len(paths) <= MOST_PLACES else ()


def _requirement(subject: str, judgement: Judgement) -> Requirement | None:
    return next((r for r in judgement.requirements.items if r.id == subject), None)


def needs_code(given: Acceptance, touched: Iterable[str]) -> bool:
    """Whether only the code's imports can show that touched files are unrelated."""
    rest = [path for path in touched if not _is_prose(path)]
    return bool(rest and given.places and not set(rest) & set(given.places))


def touches(
    given: Acceptance, judgement: Judgement, touched: Iterable[str], index: CodeIndex | None
) -> str:
    """The first touched file that what was accepted is about, or may be about; empty for none."""
    requirement = _requirement(given.subject, judgement)
    reads_prose = requirement is not None and requirement.category is Category.UPKEEP
    reached = _reached(given.places, index) if index and given.places else frozenset()
    for path in touched:
        if path in given.places:
            return path
        if _is_prose(path) and not reads_prose:
            continue
        if index is None or not given.places or not _is_apart(path, reached, index):
            return path
    return ""


def _is_prose(path: str) -> bool:
    """Whether a file is for readers only; a text in a source folder may be data."""
    pure = PurePosixPath(path)
    if is_build_file(path) or is_test_path(path):
        return False
    is_named = is_changelog(pure.name) or pure.name.lower().startswith("readme")
    is_placed = len(pure.parts) == 1 or pure.parts[0].lower() in ("doc", "docs")
    suffix = pure.suffix.lower()
    if suffix in (".md", ".rst", ".adoc"):
        return is_named or is_placed
    return suffix in (".txt", "") and is_named


_FOLLOWED = frozenset({"python", "javascript", "typescript", "tsx", "jsx"})
_LOADED_UNASKED = ("conftest", "sitecustomize", "usercustomize", "setup", "config", "rc.")


def _is_apart(path: str, reached: frozenset[str], index: CodeIndex) -> bool:
    """Whether code surely has nothing to do with the files that were reached."""
    file = index.files.get(path)
    if file is None or file.language not in _FOLLOWED or path in reached:
        return False
    if any(word in PurePosixPath(path).name.lower() for word in _LOADED_UNASKED):
        return False
    if is_test_path(path) and not (is_test_module(path) or ".test." in path or ".spec." in path):
        return False  # a helper or a fixture: runners load them by themselves
    names = {definition.name for definition in file.facts.definitions}
    used = (index.files[one].facts.uses for one in reached if one in index.files)
    return all(names.isdisjoint(uses) for uses in used)


def _reached(places: Iterable[str], index: CodeIndex) -> frozenset[str]:
    """The files that are about it, what they import, and what imports them, through any number of files."""
    imports = {path: index.imported(path) for path in index.files}
    importers: dict[str, set[str]] = defaultdict(set)
    for path, targets in imports.items():
        for target in targets:
            importers[target].add(path)
    return _closure(places, imports) | _closure(places, importers)


def _closure(start: Iterable[str], edges: Mapping[str, set[str]]) -> frozenset[str]:
    seen = set(start)
    edge = list(seen)
    while edge:
        found = {target for one in edge for target in edges.get(one, ())} - seen
        seen |= found
        edge = list(found)
    return frozenset(seen)
