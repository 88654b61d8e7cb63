"""What an analyst's own step can show, and what a verdict may rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.own_steps.weigh import own_step, refutes
from bot.judges.citations import citation_problem
from bot.judges.weighing import weigh
from bot.values import (
    ActionKind,
    Analysis,
    Category,
    Decider,
    Deliberation,
    Requirement,
    Requirements,
    Transition,
    Trust,
    Verdict,
    VerdictOutcome,
)
from sandbox.values import Side
from tests.bot.verdict.cases import evidence, observation

SATISFIED, UNSATISFIED, UNVERIFIED = VerdictOutcome
EXECUTED = ActionKind.DYNAMIC_EXECUTION
NEW = Requirement("R1", "It doubles.", Category.BEHAVIOUR, "issue #7", Trust.ASKER)
KEPT = replace(NEW, category=Category.UPKEEP)
FAILING = evidence(
    observation(1, Side.BASE), observation(1), Transition.STILL_FAILING, EXECUTED, ("R1",)
)


def held(action: ActionKind, outputs: tuple[str, str] = ("", "")):
    base, head = (replace(observation(0, s), output=o) for s, o in zip(Side, outputs, strict=True))
    return evidence(base, head, Transition.HELD, action, ("R1",))


@pytest.mark.parametrize(
    ("seen", "requirement", "is_vacuous"),
    [
        (held(EXECUTED), NEW, True),
        (held(EXECUTED, ("ran in 1.0s", "4 cases")), NEW, True),
        (held(EXECUTED), KEPT, False),  # a refactoring is shown by what stays
        (held(ActionKind.BASH, ("8\nin 0.1s", "8\nin 0.2s")), NEW, True),
        (held(ActionKind.BASH, ("4", "8")), NEW, False),  # it asserts nothing, and shows a change
        (held(ActionKind.READ, ("x", "x")), NEW, False),
    ],
)
def test_a_new_check_that_passes_on_base_proves_nothing(seen, requirement, is_vacuous) -> None:
    assert (own_step(seen, requirement).transition is Transition.VACUOUS) is is_vacuous


def test_satisfied_cannot_rest_on_what_proves_nothing() -> None:
    vacuous = own_step(held(EXECUTED), NEW)
    assert "on base too" in citation_problem(NEW, SATISFIED, ("E3",), (vacuous,))
    failing = observation(1, Side.BASE)
    fixed = replace(vacuous, id="E4", base=failing, transition=Transition.FIXED)
    assert citation_problem(NEW, SATISFIED, ("E3", "E4"), (vacuous, fixed)) == ""


def by_authors_test() -> Verdict:
    return Verdict("R1", SATISFIED, Decider.AUTHORS_TEST, "Its test passes.", ("E1",), ("t",))


def weighed(seen, verdict: Verdict, outcome: VerdictOutcome = UNSATISFIED, **more) -> Verdict:
    given = {"evidence_ids": ("E3",), "refuted_by": ("E3",), **more}
    analysis = Analysis("R1", outcome, "5 gives 5.", **given)
    held_by = Deliberation(evidence=(seen,), analyses=(analysis,))
    (found,) = weigh(Requirements((NEW,)), (verdict,), held_by)
    return found


def test_an_assertion_that_fails_on_head_lowers_what_only_the_authors_tests_prove() -> None:
    found = weighed(FAILING, by_authors_test())
    assert (found.outcome, found.evidence_ids) == (UNSATISFIED, ("E3", "E1"))
    assert "5 gives 5." in found.reason and found.next_step


OWN_FAULT = replace(FAILING, head=observation(1, problem="The judge's own file fails by itself."))
OF_ANOTHER = evidence(None, observation(1), Transition.UNKNOWN, EXECUTED, ("R2",))


@pytest.mark.parametrize(
    "seen",
    [
        OWN_FAULT,
        OF_ANOTHER,
        replace(FAILING, step=replace(FAILING.step, requirement_ids=("R1", "R2"))),
        replace(FAILING, step=replace(FAILING.step, action=ActionKind.BASH)),
        replace(FAILING, step=replace(FAILING.step, action=ActionKind.READ)),
        replace(FAILING, head=observation(None)),
        replace(FAILING, head=observation(1, timed_out=True)),
        replace(FAILING, head=observation(0)),
        replace(FAILING, head=None),
    ],
)
def test_nothing_else_refutes(seen) -> None:
    assert not refutes(seen, "R1")
    assert weighed(seen, by_authors_test()) == by_authors_test()


def test_a_step_that_the_analyst_did_not_take_or_does_not_name_refutes_nothing() -> None:
    verdict = by_authors_test()
    assert weighed(FAILING, verdict, evidence_ids=()) == verdict
    assert weighed(FAILING, verdict, refuted_by=("E9",)) == verdict
    assert weighed(FAILING, verdict, UNVERIFIED) == verdict
    oracle = replace(verdict, decided_by=Decider.ORACLE)
    assert weighed(FAILING, oracle) == oracle  # a trusted check passed: it binds


@pytest.mark.parametrize(
    ("category", "base", "outcome"),
    [
        (Category.KEEP, 0, UNSATISFIED),
        (Category.KEEP, 1, UNVERIFIED),  # it may fail by a mistake of its own
        (Category.BEHAVIOUR, 0, UNVERIFIED),
    ],
)
def test_a_planned_line_that_broke_refutes_what_must_stay(
    category: Category, base: int, outcome: VerdictOutcome
) -> None:
    moved = Transition.STILL_FAILING if base else Transition.REGRESSED
    seen = evidence(observation(base, Side.BASE), observation(1), moved, ActionKind.BASH, ("R1",))
    seen = replace(seen, step=replace(seen.step, is_proposed=True))
    nobody = Verdict("R1", UNVERIFIED, Decider.NOBODY, "No test covers this.")
    analysis = Analysis("R1", UNSATISFIED, "It gives 5 now.", refuted_by=("E3",))
    held_by = Deliberation(analyses=(analysis,))
    requirements = Requirements((replace(NEW, category=category),))
    (found,) = weigh(requirements, (nobody,), held_by, (seen,))
    assert found.outcome is outcome
