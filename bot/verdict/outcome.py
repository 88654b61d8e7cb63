"""Gives each requirement its own verdict, independently of the others, and says where a person may look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.configuration import PATH, Weight
from bot.evidence.case import Case, Weigher
from bot.evidence.oracle import satisfied, unsatisfied, unverified
from bot.evidence.test_plan.ended import item_evidence, plain_endings
from bot.evidence.test_plan.points import judge_criterion
from bot.task.categories import ASKED, asks_for_speed
from bot.text.clipping import clip_line
from bot.values import (
    ActionKind,
    Category,
    Decider,
    Evidence,
    Located,
    Requirement,
    Transition,
    Verdict,
    VerdictOutcome,
)
from bot.values.four_way import passed
from bot.values.rules import CONFIGURATION
from bot.values.verdicts import with_blockers
from bot.verdict.baseline import judge_baseline
from bot.verdict.behaviour import judge_behaviour
from bot.verdict.keeping import judge_keep
from bot.verdict.reverts import judge_revert
from bot.verdict.upkeep import judge_by_kind, judge_speed, judge_types, judge_upkeep
from sandbox.browser.records import FAILED_ACT
from sandbox.values import NOT_RUNNABLE

_LONGEST_SAID = 200  # characters of a sentence


def verdicts(case: Case, weighing: tuple[Weigher, ...] = ()) -> tuple[Verdict, ...]:
    """One verdict for each requirement, in order. `blocked_by` shows, it never changes an outcome.

    Tests and checks decide; then kinds of evidence have a say, by `weighing`, and the configuration.
    """
    given: list[Verdict] = []
    for requirement in case.requirements.items:
        found = _judge_one(requirement, case)
        for weigh in weighing:
            found = weigh(found, requirement, case)
        found = _as_configured(found, requirement, case)
        # What changed is no place in the code.
        located = () if case.only_tests_changed else case.observed.located
        given.append(with_places(found, requirement, located))
    return with_blockers(given, case.requirements.items)


def _as_configured(verdict: Verdict, requirement: Requirement, case: Case) -> Verdict:
    """Let less than the configuration asks for satisfy no demand of the task."""
    gate, unjudged = case.configuration.gate, case.requirements.not_apart
    is_of_task = requirement.category in ASKED and requirement.origin != "configuration"
    if verdict.outcome is not VerdictOutcome.SATISFIED:
        return verdict
    if verdict.decided_by is Decider.AUTHORS_TEST and gate.authors_tests is Weight.BLOCK:
        but = "Nothing else shows it, and `gate.authors_tests` asks for more."
        next_step = "Read these tests. If they show it, accept it."
    elif is_of_task and unjudged and gate.unjudged is Weight.BLOCK:
        left = clip_line(unjudged[0], _LONGEST_SAID)
        but = f"But “{left}” was not judged on its own, and `gate.unjudged` asks for that."
        next_step = (
            "Read what the task says beside this, and accept it if the change does that, too. "
            "What a task asks for in a check list is judged item by item."
        )
    else:
        return verdict
    asked = unverified(requirement, f"{verdict.reason} {but}", next_step)
    return replace(asked, evidence_ids=verdict.evidence_ids, tests=verdict.tests)


def _judge_one(requirement: Requirement, case: Case) -> Verdict:
    if requirement.category is Category.BASELINE:
        return judge_baseline(requirement, case)
    if requirement.category is Category.CRITERION:
        return judge_criterion(
            requirement,
            item_evidence(requirement, case.observed),
            plain_endings(case.requirements, case.observed),
        )
    if requirement.category not in ASKED:
        return _BY_CATEGORY[requirement.category](requirement, case)
    # The author's own words are about what changed; somebody else's only if they name Assay.
    is_about_it = not requirement.trust.is_asked or "assay" in requirement.text.lower()
    if case.is_configuration_alone and is_about_it:
        return _judge_configuration(requirement, case)
    if found := judge_revert(requirement, case) or judge_by_kind(requirement, case):
        return found
    return _BY_CATEGORY[requirement.category](requirement, case)


def _judge_behaviour(requirement: Requirement, case: Case) -> Verdict:
    """A demand of behavior by what tests show; one of types or of speed, where none does, by what holds."""
    given = judge_behaviour(requirement, case)
    if given.outcome is not VerdictOutcome.UNVERIFIED or case.groups.proofs:
        return given
    held = judge_speed(requirement, case) if asks_for_speed(requirement) else None
    return held or judge_types(requirement, case) or given


def _judge_configuration(requirement: Requirement, case: Case) -> Verdict:
    """A change of Assay's configuration alone is right when it is valid: nothing else differs."""
    wrong = [f for f in case.observed.findings if f.rule == CONFIGURATION]
    if wrong:
        told = f"{PATH}:{wrong[0].line}: {wrong[0].message}"
        fix = f"Fix `{PATH}` until `assay config check` accepts it, and push."
        return replace(unsatisfied(requirement, told, case), next_step=fix)
    shown = ", ".join(f"`{path}`" for path in case.observed.changed_paths[:3])
    reason = f"Only Assay's configuration ({shown}) changed, and `{PATH}` is valid."
    return satisfied(requirement, reason, case)


_LEAST_SHARE = 0.35  # of what a demand says, from which on a place is worth a word
_CHECKS = (ActionKind.BASH, ActionKind.INTERACTION)


def _judge_check(requirement: Requirement, case: Case) -> Verdict:
    """A configured check binds by its exit code on head; base tells what changed."""
    checks = (e for e in case.observed.evidence if e.step.action in _CHECKS)
    evidence = next((e for e in checks if requirement.id in e.step.requirement_ids), None)
    head = passed(evidence.head) if evidence else None
    # Where the program is missing on both sides, the check is broken, not the change.
    sides = (evidence.base, evidence.head) if evidence else ()
    cannot_run = all(side is None or side.exit_code in NOT_RUNNABLE for side in sides)
    if evidence is None or head is None or cannot_run:
        return unverified(
            requirement,
            _why_no_answer(evidence),
            "Fix the check in `.github/assay.yml`, or run it yourself.",
        )
    head_alone = f"The check {'passes' if head else 'fails'} on head. It could not be run on base."
    findings = evidence.head.findings if evidence.head else ()
    failed_act = next((f" {f.message}" for f in findings if f.rule == FAILED_ACT), "")
    return Verdict(
        requirement.id,
        VerdictOutcome.SATISFIED if head else VerdictOutcome.UNSATISFIED,
        Decider.ORACLE,
        _CHECK_REASONS.get((evidence.transition, head), head_alone) + failed_act,
        (evidence.id,),
    )


_BY_CATEGORY = {
    Category.BEHAVIOUR: _judge_behaviour,
    Category.KEEP: judge_keep,
    Category.UPKEEP: judge_upkeep,
    Category.PROHIBITION: lambda requirement, _: unverified(
        requirement,
        "No test can show that the change does nothing of the kind.",
        "Read the change for it, or set up a model.",
    ),
    Category.CHECK: _judge_check,
}
_CHECK_REASONS = {
    (Transition.FIXED, True): "The check failed on base and passes on head.",
    (Transition.HELD, True): "The check passes on base and on head.",
    (Transition.REGRESSED, False): "The check passed on base and fails on head.",
    (Transition.STILL_FAILING, False): "The check fails on head, as it does on base.",
}


def _why_no_answer(evidence: Evidence | None) -> str:
    if evidence is None or evidence.head is None:
        return "The check was not run."
    if evidence.head.timed_out:
        return "The check timed out on head."
    if evidence.head.exit_code in NOT_RUNNABLE:
        return "The check's program was not found on either side."
    return evidence.head.problem or "The check was stopped before it gave an answer."


def with_places(verdict: Verdict, requirement: Requirement, located: Iterable[Located]) -> Verdict:
    """Name the best place of an unverified demand of behaviour; every other verdict stays as it is.

    The place is a hint: neither the outcome nor what decided it changes. A reason that tests are named for
    says more than that, and a place that shares one word of many says nothing.
    """
    if verdict.outcome is not VerdictOutcome.UNVERIFIED or verdict.tests:
        return verdict
    found = next((one for one in located if one.requirement_id == requirement.id), None)
    if requirement.category is not Category.BEHAVIOUR or found is None or not found.places:
        return verdict
    best, *others = found.places
    if best.score < _LEAST_SHARE:
        return verdict
    next_one = next((one for one in others if one.score >= _LEAST_SHARE), None)
    also = f", then at `{next_one.place.words}`" if next_one else ""
    said = f"Look at `{best.place.words}` ({best.reason}){also}."
    return replace(verdict, reason=f"{verdict.reason} {said}")
