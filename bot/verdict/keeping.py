"""Judges demands that something stays as it is: by tests that hold on both sides and can see damage."""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.case import Case
from bot.evidence.damage import Proofs, blindness, differing_call, held_by, is_beside, with_counted
from bot.evidence.oracle import satisfied, unsatisfied, unverified
from bot.evidence.tests.results import told_of
from bot.task.categories import is_invariant
from bot.task.code_names import code_around, named_code
from bot.values import (
    ActionKind,
    Category,
    Decider,
    ExampleKind,
    Requirement,
    TestComparison,
    Verdict,
    VerdictOutcome,
)
from bot.verdict.behaviour import judge_behaviour, proofs_of
from bot.verdict.claims import Claim
from bot.verdict.damaged_copies import asks_unseen


def judge_keep(requirement: Requirement, case: Case) -> Verdict:
    """Satisfied by what holds on both sides and notices damage, unsatisfied by what passed on base only.

    A test that fails on base and passes on head shows it too: what must not depend on something may well
    be wrong on base.
    """
    ties = case.tied(requirement)
    broken = tuple(test for test in case.regressions if test.id in ties)
    if broken:
        told = f"{told_of(broken, 'passed on base and fails', 'passed on base and fail')} on head."
        return unsatisfied(requirement, told, case, tuple(test.id for test in broken))
    given = judge_behaviour(requirement, case)
    if given.outcome is not VerdictOutcome.UNVERIFIED or case.observed.tests.problem:
        return given
    proofs = proofs_of(requirement, case, ties)
    if proofs and asks_unseen(Claim(requirement, proofs, case)):
        return given
    if found := _by_example(requirement, case) or _by_held(requirement, case):
        return found
    may_be_wrong_on_base = is_invariant(requirement.text)
    if given.tests and may_be_wrong_on_base:
        return given
    return unverified(
        requirement,
        "No test that covers this holds on both sides and notices damage to what changed.",
        "Add a test of what must stay: it passes on base and on head, and fails when that breaks.",
    )


def held_tests(requirement: Requirement, case: Case) -> tuple[TestComparison, ...]:
    """The tests that hold on both sides and are about it, the best first."""
    ties = case.tied(requirement)
    held = case.groups.held
    tied = [test for test in held if test.id in ties and not case.is_doubted(test)]
    return tuple(sorted(tied, key=lambda test: -ties[test.id].score)[:MOST_HELD])


def proofs_of_each(case: Case) -> tuple[Proofs, ...]:
    """The tests that speak for each demand: what is to be shown to notice damage.

    Changed code is asked for tests whatever its title says, so upkeep has them, too.
    """
    found: list[tuple[Requirement, tuple[TestComparison, ...]]] = []
    for one in case.requirements.items:
        is_shown = one.category in (Category.BEHAVIOUR, Category.KEEP)
        if is_shown or (one.category is Category.UPKEEP and case.code_changes):
            found.append((one, proofs_of(one, case, case.tied(one))))
        if one.category is Category.KEEP:
            found.append((one, held_tests(one, case)))
    groups = (
        Proofs(frozenset(test.id for test in tests), named_code(one), code_around(one))
        for one, tests in found
        if tests
    )
    return tuple(dict.fromkeys(groups))


MOST_HELD = 8
"""Tests for one demand that are run on damaged copies of head."""


def _by_held(requirement: Requirement, case: Case) -> Verdict | None:
    tests, seen = held_tests(requirement, case), case.observed.damage
    if differing_call(tests, case.observed.second_look):
        return None
    seeing = tuple(
        test
        for test in tests
        if (counted := held_by([test], seen))
        and counted.noticed
        and not blindness(test, seen)
        and not is_beside(test, named_code(requirement), seen)
    )
    if not seeing:
        return None
    counted = held_by(seeing, seen)
    reason = (
        f"{told_of(seeing, 'holds', 'hold')} on base and on head, and would notice "
        f"damage to what changed ({counted})."
    )
    given = satisfied(requirement, reason, case, tuple(test.id for test in seeing))
    of_author = all(test.written_by_author for test in seeing)
    given = replace(
        given,
        decided_by=Decider.AUTHORS_TEST if of_author else Decider.ORACLE,
        evidence_ids=(*given.evidence_ids, *case.damage_ids),
    )
    return with_counted(given, counted)


def _by_example(requirement: Requirement, case: Case) -> Verdict | None:
    """The very calls that it shows, with the value that both sides give."""
    shown = [
        one
        for one in case.observed.examples
        if one.example.origin == requirement.origin and one.example.said_call in requirement.text
    ]
    kept = [one for one in shown if one.example.kind is not ExampleKind.REPORTED]
    if not kept or len(kept) < len(shown) or not all(one.example.results for one in kept):
        return None
    if not all(one.base.holds is True and one.head.holds is True for one in kept):
        return None
    first = kept[0]
    told = (
        f"`{first.example.said_call}` {first.head.did} on base and on head, as it must according to "
        f"{first.example.origin}."
    )
    looks = case.ids_of(ActionKind.EXAMPLES)
    return replace(satisfied(requirement, told, case), evidence_ids=looks)
