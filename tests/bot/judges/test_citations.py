"""What is cited must exist, be about the claim, and show something."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.judges.citations import citation_problem, failing_on_head
from bot.values import ActionKind, Category, Transition, VerdictOutcome
from sandbox.values import Picture
from tests.bot.judges.cases import FAILS, FIXED, R1, SUITE, piece

HELD, VACUOUS, UNKNOWN = Transition.HELD, Transition.VACUOUS, Transition.UNKNOWN
LINT = piece("E2", 0, 0, HELD, action=ActionKind.STATIC_LINTER)
PLACE = piece("E5", 0, 0, HELD, action=ActionKind.LOCATE)
OTHERS = piece("E6", 1, 0, Transition.FIXED, serves=("R2",))
SAME = piece("E7", 0, 0, HELD, said="it took 0.31s at 0x7f00aa")
DIFFERS = piece("E8", 0, 0, HELD)
EMPTY = piece("E9", 0, 0, VACUOUS)
KILLED = piece("E10", 0, None, UNKNOWN)
READ = piece("E11", 0, 0, HELD, action=ActionKind.READ)
CHOSEN = piece("E12", 1, 0, Transition.FIXED, action=ActionKind.UNIT_TESTS)
BROKEN_TOOL = piece("E13", 127, 127, Transition.STILL_FAILING)
SUITE_FAILS = replace(SUITE, id="E14", head=FAILS.head, transition=Transition.REGRESSED)
SHELL = piece("E15", 0, 1, Transition.REGRESSED, action=ActionKind.BASH)
ALL = (
    *(SUITE, LINT, PLACE, OTHERS, FIXED, FAILS, SAME, DIFFERS, EMPTY, KILLED, READ, CHOSEN),
    *(BROKEN_TOOL, SUITE_FAILS, SHELL),
)
UPKEEP = replace(R1, category=Category.UPKEEP)
CRITERION = replace(R1, category=Category.CRITERION)


@pytest.mark.parametrize(
    ("outcome", "cited", "why"),
    [
        ("satisfied", ("E3",), ""),
        ("satisfied", ("E8",), ""),
        ("satisfied", ("E11",), ""),
        ("satisfied", ("E12",), ""),
        ("satisfied", ("E1", "E3"), ""),
        ("satisfied", (), "cites nothing"),
        ("satisfied", ("E99",), "no evidence on this requirement"),
        ("satisfied", ("E3", "E99"), "no evidence on this requirement"),
        ("satisfied", ("E6",), "no evidence on this requirement"),
        ("satisfied", ("E5",), "no evidence on this requirement"),
        ("satisfied", ("E2",), "linter"),
        ("satisfied", ("E1",), "whole test suite"),
        ("satisfied", ("E1", "E2"), "whole test suite"),
        ("satisfied", ("E7",), "the same on base and on head"),
        ("satisfied", ("E9",), "passes on base too"),
        ("satisfied", ("E10",), "not executed or read"),
        ("satisfied", ("E3", "E4"), "by E4, which fails on head"),
        ("unsatisfied", ("E4",), ""),
        ("unsatisfied", ("E7",), ""),
        ("unsatisfied", ("E1",), "whole test suite"),
        ("unsatisfied", ("E2",), "linter"),
        ("unsatisfied", (), "cites nothing"),
        ("unverified", (), ""),
        ("unverified", ("E1",), ""),
        ("unverified", ("E99",), "no evidence on this requirement"),
    ],
)
def test_a_citation_holds_or_says_why_not(outcome: str, cited: tuple[str, ...], why: str) -> None:
    problem = citation_problem(R1, VerdictOutcome(outcome), cited, ALL)
    assert bool(problem) is bool(why)
    assert why in problem


def test_upkeep_needs_a_change_too_and_a_submission_has_no_base() -> None:
    satisfied = VerdictOutcome.SATISFIED
    assert "whole test suite" in citation_problem(UPKEEP, satisfied, ("E1",), ALL)
    assert "the same" in citation_problem(UPKEEP, satisfied, ("E7",), ALL)
    assert citation_problem(CRITERION, satisfied, ("E7",), ALL) == ""


def test_a_picture_that_changed_shows_something() -> None:
    assert SAME.head is not None
    drawn = replace(SAME.head, pictures=(Picture("wide", "a.png", "d.png", 12, 100),))
    shot = replace(SAME, head=drawn)
    assert citation_problem(R1, VerdictOutcome.SATISFIED, ("E7",), (shot,)) == ""


def test_facts_are_steps_of_the_requirement_that_fail_on_head() -> None:
    assert failing_on_head(R1, tuple(one.id for one in ALL), ALL) == ("E4",)
