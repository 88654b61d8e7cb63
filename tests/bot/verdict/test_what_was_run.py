"""B2 says which folders were run and how many tests in each, and never hides what was not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.values import (
    Conclusion,
    FourWay,
    NotRun,
    TestChange,
    TestComparison,
    TestedFolder,
    Transition,
    Verdict,
    VerdictOutcome,
)
from tests.bot.verdict.cases import SPLIT, comparison, gate_of, observed, requirements, verdict_of

ALPHA, BETA = TestedFolder("packages/alpha", 2, 3), TestedFolder("packages/beta", 1, 1)


def test_in(folder: str, name: str, change: TestChange = TestChange.PASS_TO_PASS) -> TestComparison:
    return comparison(name, change, path=f"{folder}/tests/test_x.py")


test_in.__test__ = False  # type: ignore[attr-defined]
KEPT = (
    test_in("packages/alpha", "test_one"),
    test_in("packages/alpha", "test_two"),
    test_in("packages/beta", "test_three"),
)
RAN = FourWay((*KEPT, SPLIT), evidence_id="E1", folders=(ALPHA, BETA))


def said(tests: FourWay) -> Verdict:
    return verdict_of("B2", requirements(), observed(tests=tests))


def test_folders_and_counts_are_named() -> None:
    found = said(RAN)
    assert found.outcome is VerdictOutcome.SATISFIED
    assert found.reason.startswith(
        "2 tests in packages/alpha/ and 1 in packages/beta/ passed on base and pass on head."
    )


def test_they_are_named_where_something_broke() -> None:
    broken = test_in("packages/beta", "test_four", TestChange.PASS_TO_FAIL)
    found = said(replace(RAN, comparisons=(*KEPT, broken)))
    assert found.outcome is VerdictOutcome.UNSATISFIED
    assert found.reason.endswith("3 tests in packages/alpha/ and 1 in packages/beta/ were run.")


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (
            NotRun("packages/beta", ("price",), "it does not build on base"),
            "Only packages/alpha/ was run; packages/beta/ uses `price` (it does not build on base).",
        ),
        (
            NotRun("", (), "`setup.test` does not run it"),
            "Only packages/alpha/ was run; the root directory is changed too (`setup.test` does not run",
        ),
    ],
)
def test_what_was_not_run_is_no_success(left: NotRun, told: str) -> None:
    tests = replace(RAN, comparisons=(*KEPT[:2], SPLIT), folders=(ALPHA,), not_run=(left,))
    found = said(tests)
    assert found.outcome is VerdictOutcome.UNVERIFIED
    assert found.reason.startswith(told)
    assert "`projects`" in found.next_step
    gate = gate_of(requirements(), observed(tests=tests))
    assert gate.conclusion is Conclusion.ACTION_REQUIRED


def test_two_hundred_projects_that_were_not_run_are_counted() -> None:
    left = tuple(NotRun(f"packages/p{n}", ("price",), "why") for n in range(200))
    found = said(replace(RAN, not_run=left))
    assert "; and 196 more." in found.reason
    assert len(found.reason) < 400


@pytest.mark.parametrize(
    ("folder", "outcome"),
    [
        (replace(BETA, problem="The test command timed out after 9 s."), VerdictOutcome.UNVERIFIED),
        (replace(BETA, transition=Transition.REGRESSED), VerdictOutcome.UNSATISFIED),
        (replace(BETA, transition=Transition.HELD), VerdictOutcome.SATISFIED),
    ],
)
def test_one_folder_that_proves_nothing_or_breaks_decides(folder, outcome) -> None:
    found = said(replace(RAN, comparisons=(*KEPT[:2], SPLIT), folders=(ALPHA, folder)))
    assert found.outcome is outcome
    assert "packages/beta" in found.reason
