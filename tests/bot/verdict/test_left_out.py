"""What a task asks for and the tests of a change leave out."""

from __future__ import annotations

import pytest

from bot.values import TestChange, VerdictOutcome
from tests.bot.verdict.cases import comparison, observed, requirements, verdict_of

ASKED = "`parse` should know the nickname `@daily`. An unknown nickname must raise `CronError`."
DAILY = comparison(
    "test_daily_nickname",
    TestChange.FAIL_TO_PASS,
    "def test_daily_nickname():\n    assert parse('@daily') == 1\n",
)
UNKNOWN = "def test_unknown_nickname():\n    {}\n"


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ("with raises(CronError):\n        parse('@often')", VerdictOutcome.SATISFIED),
        ("assert parse('@often') is None", VerdictOutcome.UNVERIFIED),
        ("", VerdictOutcome.UNVERIFIED),
    ],
)
def test_an_error_that_base_raises_already_is_shown_by_a_new_test(
    body: str, outcome: VerdictOutcome
) -> None:
    wanted = requirements("Nicknames", f"## Requirements\n- {ASKED}")
    (own,) = (one.id for one in wanted.beside_baseline)
    held = comparison(
        "test_unknown_nickname", TestChange.NEVER_FAILED, UNKNOWN.format(body or "pass")
    )
    tests = (DAILY, held) if body else (DAILY,)
    verdict = verdict_of(own, wanted, observed(*tests))
    assert verdict.outcome is outcome
    is_asked = "no test that fails without this change expects an error" in verdict.reason
    assert is_asked is (outcome is VerdictOutcome.UNVERIFIED)
