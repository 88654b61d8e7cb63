"""Weighs the calls that a task shows: what does not hold on head binds, whatever the author's tests say."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.diff.paths import is_source_path
from bot.evidence.case import Case
from bot.evidence.made_for import in_words, made_for_inputs
from bot.evidence.oracle import satisfied, unsatisfied, unverified
from bot.evidence.planning import Change
from bot.evidence.tests.results import code_of
from bot.task.categories import ASKED
from bot.task.inputs import needs_more, stands_in
from bot.text.clipping import clip_line
from bot.values import (
    ActionKind,
    Category,
    Decider,
    Example,
    ExampleKind,
    ExampleLanguage,
    ExampleSeen,
    Requirement,
    Requirements,
    Step,
    Verdict,
    VerdictOutcome,
)
from bot.values.rules import RESULT_HARD_CODED

_NAME = re.compile(r"[A-Za-z_]\w*")
_SAY = "Say in the task whether it should be so, then comment `/judge`; or look at it, and accept."
_PROVE = (
    "Look at what was run. If the change is right for other inputs too, add a test with some of them that "
    "fails without the change; if it is for these only, say so in the task, then comment `/judge`."
)
_SHOWN_CHARACTERS = 160
_CHANGE = (
    "If the call should give something else, change the code; if not, say so in the task, then comment "
    "`/judge`; or look at it, and accept."
)
_TEST = "Add a test with these values that fails without this change, then push."
_MEND = "Let the code do what the task shows, or correct the example there, then comment `/judge`."


_STEP = Step(
    id="",
    goal="See whether the code does what the task shows.",
    guidance="The calls, sessions and commands that stand in the task, run on both sides.",
    requirement_ids=(),
    action=ActionKind.EXAMPLES,
)


def plan_examples(requirements: Requirements, change: Change) -> Step | None:
    """Plan to run what the task shows, where code changes."""
    shown = tuple(one.said_call for one in requirements.examples)
    if not shown or not any(map(is_source_path, change.diff.changed_paths)):
        return None
    return replace(_STEP, arguments=shown)


def by_examples(requirement: Requirement, case: Case) -> Verdict | None:
    """Satisfied where base does not give what the task shows and head gives all of it.

    Only values count: an error is quickly raised for the very call that is shown. Unverified where they may
    be made for that call alone. None where the examples do not say enough.
    """
    mine = [one for one in case.observed.examples if _asking(one.example, case) == requirement]
    fixed = [one for one in mine if one.is_fixed]
    made_up = any(one.rule == RESULT_HARD_CODED for one in case.observed.integrity)
    if not fixed or made_up or not all(_is_well(one, case) for one in mine):
        return None
    if doubt := _doubt(fixed, case):
        return unverified(requirement, doubt, _PROVE, case.ids_of(ActionKind.EXAMPLES))
    first, more = fixed[0], f" ({len(fixed) - 1} more)" if len(fixed) > 1 else ""
    reason = (
        f"`{first.example.said_call}` {first.head.did} on head, as {first.example.origin} shows, and "
        f"{first.base.did} on base{more}."
    )
    given = satisfied(requirement, reason, case)
    return replace(given, evidence_ids=case.ids_of(ActionKind.EXAMPLES))


def _doubt(fixed: list[ExampleSeen], case: Case) -> str:
    """Why what head gives may be made for the very calls that are shown; "" where nothing says so."""
    for one in fixed:
        if one.is_needed is False:
            return (
                f"`{one.example.said_call}` {one.head.did} on head, as {one.example.origin} shows. It still "
                "does so where the functions that it calls do nothing: something else makes up the result."
            )
    near = made_for_inputs((one.near for one in fixed if one.near), case.requirements)
    if near is None:
        return ""
    return (
        f"`{fixed[0].example.said_call}` {fixed[0].head.did} on head, as {fixed[0].example.origin} shows. "
        f"{in_words(near, 'those that are shown')}"
    )


def _is_well(one: ExampleSeen, case: Case) -> bool:
    """Whether an example speaks for head; one that is merely shown never speaks against it."""
    if one.example.kind in (ExampleKind.SHOWN, ExampleKind.CHANGING):
        return True
    if one.example.kind is ExampleKind.REPORTED:
        return any(other.head.holds is False for other in _report(one, case))
    return one.head.holds is True


def with_examples(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Lower the verdict of a demand whose example does not hold on head; others stay as they are."""
    if requirement.category not in ASKED:
        return verdict
    for one in case.observed.examples:
        if _fails(one, case) and _asking(one.example, case) == requirement:
            lowered = unsatisfied(requirement, _told(one), case, next_step=_MEND)
            return replace(lowered, evidence_ids=case.ids_of(ActionKind.EXAMPLES))
    if verdict.outcome is VerdictOutcome.SATISFIED:
        for one in case.observed.examples:
            if _is_open(one, case) and _asking(one.example, case) == requirement:
                shown, head = one.example, one.head.did
                told = (
                    f"{shown.origin[:1].upper()}{shown.origin[1:]} shows that `{shown.said_call}` gives "
                    f"`{shown.said_result}`. It {head} on head, and base does not give that either."
                )
                return unverified(requirement, told, _SAY, case.ids_of(ActionKind.EXAMPLES))
        if unchanged := _unchanged(verdict, requirement, case):
            lowered = unverified(requirement, *unchanged, case.ids_of(ActionKind.EXAMPLES))
            return replace(lowered, tests=verdict.tests)
    return verdict


def _unchanged(verdict: Verdict, requirement: Requirement, case: Case) -> tuple[str, str] | None:
    """What the task complains of, or wants otherwise, and is on head as on base; with what to do next.

    What stands in a test that fails without the change has changed in some way. Base's own tests bind.
    """
    is_of_base = verdict.tests and verdict.decided_by is not Decider.AUTHORS_TEST
    if requirement.category is not Category.BEHAVIOUR or is_of_base:
        return None
    code = code_of(case.groups.proofs)
    for one in case.observed.examples:
        shown = one.example
        if _asking(shown, case) != requirement or stands_in(shown.said_call, code):
            continue
        if one.is_same and _must_change(one, case):
            did = clip_line(one.head.did, _SHOWN_CHARACTERS)
            reason = f"The task speaks of `{shown.said_call}`. It {did} on base and on head."
            return reason, _CHANGE
        if _cannot_be_made(one) and stands_in(shown.said_call, code) is False:
            reason = (
                f"No test that fails without the change uses the values of `{shown.said_call}`, which the "
                "task shows and which cannot be called here by itself."
            )
            return reason, _TEST
    return None


def _must_change(one: ExampleSeen, case: Case) -> bool:
    """Whether a call is complained of; merely shown, it is where no other call of the text changed."""
    shown = one.example
    if shown.kind is ExampleKind.CHANGING:
        return not (shown.error and one.head.gave)
    if shown.kind is not ExampleKind.SHOWN or shown.results or shown.error or not one.head.gave:
        return False
    of_text = [other for other in case.observed.examples if other.example.origin == shown.origin]
    return not any(other.is_same is False for other in of_text)


def _cannot_be_made(one: ExampleSeen) -> bool:
    """Whether the task shows a call that something else is needed for: an object, a variable."""
    wanted = (ExampleKind.EXPECTED, ExampleKind.REPORTED, ExampleKind.CHANGING)
    is_call = one.example.language is not ExampleLanguage.SHELL and not one.example.before
    return (
        is_call
        and needs_more(one.example.said_call)
        and one.example.kind in wanted
        and not one.head.was_made
    )


def _is_open(one: ExampleSeen, case: Case) -> bool:
    """Whether something is merely shown that neither side gives, of a function that the change touches.

    It may be what should be, or how things are elsewhere: a person has to say.
    """
    if one.example.kind is not ExampleKind.SHOWN or not one.example.results or not one.head.gave:
        return False
    impact = case.observed.impact
    touched = impact.names if impact else frozenset[str]()
    is_of_change = not touched.isdisjoint(_NAME.findall(one.example.said_call))
    return is_of_change and one.base.holds is not True and one.head.holds is False


def _fails(one: ExampleSeen, case: Case) -> bool:
    """Whether head does not do what was shown; what base never showed is no report of anything."""
    if one.example.kind is ExampleKind.SHOWN:
        return False
    if one.example.kind is ExampleKind.REPORTED:
        report = _report(one, case)
        return all(each.base.holds is True and each.head.holds is True for each in report)
    if one.example.kind is ExampleKind.KEPT and one.base.holds is not True:
        return False
    return one.head.holds is False


def _report(one: ExampleSeen, case: Case) -> list[ExampleSeen]:
    """What is complained of together: a session has lines that are right beside the wrong one."""
    mine, report = one.example, ExampleKind.REPORTED
    if not mine.group:
        return [one]
    return [
        other
        for other in case.observed.examples
        if other.example.kind is report
        and (other.example.group, other.example.origin) == (mine.group, mine.origin)
    ]


def _asking(example: Example, case: Case) -> Requirement | None:
    """The demand that an example belongs to: the one that shows it, else the first of the same text."""
    asked = [r for r in case.requirements.items if r.category in ASKED and r.trust.is_asked]
    same = [r for r in asked if r.origin == example.origin] or asked
    showing = [r for r in same if example.said_call in r.text]
    behaviour = [r for r in same if r.category is Category.BEHAVIOUR]
    return next(iter((*showing, *behaviour, *same)), None)


def _told(one: ExampleSeen) -> str:
    example, head = one.example, one.head.did
    is_command = example.language is ExampleLanguage.SHELL
    gives = "prints" if is_command else "gives"
    shown = f"{gives} `{example.said_result}`"
    if example.error or example.message:
        says = f" that says “{example.message}”" if example.message else ""
        shown = f"raises {f'`{example.error}`' if example.error else 'an error'}{says}"
    call, origin = f"`{example.said_call}`", example.origin[:1].upper() + example.origin[1:]
    if example.kind is ExampleKind.REPORTED:
        return f"{origin} complains that {call} {shown}. On head it still does: it {head}."
    if not (example.results or example.error or example.message):
        return f"{origin} says that {call} must keep working. On base it {one.base.did}. On head it {head}."
    if example.kind is ExampleKind.KEPT:
        return f"{origin} says that {call} still {shown}. On head it {head}."
    return f"{origin} shows that {call} {shown}. On head it {head}."
