"""Calls that come otherwise on head, and whose demand they stand in the way of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.values import TestChange, VerdictOutcome
from sandbox.elsewhere.values import BothSides, OtherResult, Otherwise, SecondLook, TestedInput
from tests.bot.verdict.cases import comparison, observed, requirements, verdict_of

WANTED = requirements("Relay needs a tolerance", "Old webhooks should be refused by the relay.")
CALL = BothSides("verify(secret='')", "raised ValueError", "raised SignatureError")
RELAY = comparison(
    "test_relay_tolerance",
    TestChange.FAIL_TO_PASS,
    "def test_relay_tolerance():\n    assert relay(tolerance=3) == 401\n",
)
SIGNING = replace(
    comparison(
        "test_verify_far", TestChange.FAIL_TO_PASS, "def test_verify_far():\n    assert verify(1)\n"
    ),
    id="tests/test_signing.py::test_verify_far",
    path="tests/test_signing.py",
)


@pytest.mark.parametrize("path", [RELAY.path, SIGNING.path], ids=["its own", "of no demand"])
def test_a_call_that_comes_otherwise_stands_in_the_way(path: str) -> None:
    (own,) = (one.id for one in WANTED.beside_baseline)
    look = SecondLook(otherwise=(OtherResult(Otherwise.DEFAULT, CALL, path),))
    verdict = verdict_of(own, WANTED, observed(RELAY, SIGNING, second_look=look))
    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert "without what is new in the tests' call, `verify(secret='')`" in verdict.reason
    assert verdict_of(own, WANTED, observed(RELAY, SIGNING)).outcome is VerdictOutcome.SATISFIED


GIVES = {
    "`mean` should give `None` for no numbers.": VerdictOutcome.SATISFIED,
    "`mean` should never give `None`.": VerdictOutcome.UNVERIFIED,
    "`mean` gives `None` for no numbers.": VerdictOutcome.UNVERIFIED,
    "`total` should give `None` for no numbers.": VerdictOutcome.UNVERIFIED,
}


@pytest.mark.parametrize(("said", "outcome"), GIVES.items())
@pytest.mark.parametrize("how", ["near", "held"])
def test_nothing_that_the_task_wants_of_a_function_is_no_bad_end(
    how: str, said: str, outcome: VerdictOutcome
) -> None:
    wanted = requirements("Gaps", f"- The mean should skip gaps.\n\n{said}\n")
    (own, *_) = (one.id for one in wanted.beside_baseline)
    shown = comparison(
        "test_mean_skips_gaps",
        TestChange.FAIL_TO_PASS,
        "def test_mean_skips_gaps():\n    assert mean([2, None, 4]) == 3\n",
    )
    near = BothSides("A.mean([])", "returned 0", "returned None")
    tested = BothSides("A.mean([2, None])", "raised TypeError", "returned 2")
    test = shown.id.rpartition("::")[2]
    look = SecondLook(inputs=(TestedInput(tested, "A.mean", shown.path, test, near=(near,)),))
    if how == "held":
        look = SecondLook(otherwise=(OtherResult(Otherwise.WORSE, near, shown.path),))

    assert verdict_of(own, wanted, observed(shown, second_look=look)).outcome is outcome


SHARES = requirements("Cents get lost", "`share` should lose no cent.")
FIXED = comparison(
    "test_share_loses_no_cent",
    TestChange.FAIL_TO_PASS,
    "def test_share_loses_no_cent():\n    assert share(10, 3) == [4, 3, 3]\n",
)
NOBODY = "def test_share_among_nobody():\n    with raises({}):\n        share(10, 0)\n"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [("ValueError", VerdictOutcome.SATISFIED), ("TypeError", VerdictOutcome.UNVERIFIED)],
)
def test_a_refusal_that_another_test_expects_is_shown(error: str, outcome: VerdictOutcome) -> None:
    near = BothSides("share(10, -3)", "returned []", "raised ValueError")
    tested = BothSides("share(10, 3)", "returned [3, 3, 3]", "returned [4, 3, 3]")
    called = TestedInput(
        tested,
        "share",
        FIXED.path,
        FIXED.id.rpartition("::")[2],
        near=(near,),
        errors=("ValueError",),
    )
    refusing = comparison("test_nobody", TestChange.FAIL_TO_PASS, NOBODY.format(error))
    (own,) = (one.id for one in SHARES.beside_baseline)
    seen = observed(FIXED, refusing, second_look=SecondLook(inputs=(called,)))
    assert verdict_of(own, SHARES, seen).outcome is outcome
