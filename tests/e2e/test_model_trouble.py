"""What people see of models that are in trouble for ever: a finished check run that says what to do."""

from __future__ import annotations

import pytest

from tests.e2e.judges import DRAFTING, JUDGING_PATCH, Judges
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, eventually, report, verdicts_of
from tests.endpoint import Said

pytestmark = [pytest.mark.real, pytest.mark.slow]
SLOW = pytest.mark.slow
AGAIN, UNREAD = ". Try again when it is back", "reply could not be parsed, twice in a row"
AT_ONCE = (("retry-after-ms", "1"),)
DRAFTED = '{"root_cause": "None is there.", "requirements": ["mean() is 0"]}'
UNTESTED = {"calc.py": FIX["calc.py"]}
"""No test shows that ASKED is met: judges would have to say."""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        pytest.param(Said(status=503, headers=AT_ONCE), f"failed (status 503){AGAIN}", id="5xx"),
        pytest.param(Said(refusal="No."), "The model refused to answer", id="refusal", marks=SLOW),
        pytest.param(Said(tool_calls=(("no_such_tool", "{}"),)), UNREAD, id="no such tool"),
        pytest.param(Said(text='{"outcome": "satis'), UNREAD, id="malformed", marks=SLOW),
        pytest.param(
            Said(status=429, headers=AT_ONCE), f"busy (status 429){AGAIN}", id="429", marks=SLOW
        ),
        pytest.param(Said(status=401), "rejects the key in", id="401", marks=SLOW),
        pytest.param(
            Said(body=b"<html>Hello</html>"),
            "does not return chat completions",
            id="no API",
            marks=SLOW,
        ),
    ],
)
def test_for_ever_ends_in_a_check_run_that_says_what_to_do(
    judged_town: tuple[Town, Judges], said: Said, told: str
) -> None:
    town, judges = judged_town
    place = town.place()
    sha = place.push("mean", UNTESTED)
    judges.told = {"": lambda _asked: said}
    try:
        number = place.open("mean", ASKED)
        run = place.completed(sha)
        _check(place, number, told)
    finally:
        judges.told = {}
    assert run.conclusion == "action_required"
    assert verdicts_of(run)["R1"] == "unverified"
    assert "Add a test that fails without this change" in run.summary
    assert "For a second opinion, fix what prevented judging, then comment " in run.summary
    (r1,) = [one for one in report(run).items("requirements") if one.text("id") == "R1"]
    assert told in r1.text("reason")


def _check(place: Place, number: int, told: str) -> None:
    shown = place.verdict(number).replace("&#8203;", "")
    assert "could not be verified" in shown
    assert told in shown.replace("\\_", "_")
    for words in ("retries", "pydantic", "Exceeded"):
        assert words not in shown, "people read of the model, not of a library"


def test_when_the_endpoint_is_back_judge_asks_it_again(judged_town: tuple[Town, Judges]) -> None:
    town, judges = judged_town
    place = town.place()
    trusted = place.push("trusted", UNTESTED)
    place.open("trusted", "mean of no red planets is zero")
    assert report(place.completed(trusted)).flag("judges", "canary", "is_passed")
    sha = place.push("mean", UNTESTED)
    judges.told = {"": lambda _asked: Said(status=503, headers=AT_ONCE)}
    try:
        number = place.open("mean", "mean of no ringed planets is zero")
        assert "503" in report(place.completed(sha)).text("judges", "problem")
    finally:
        judges.told = {}
    place.command(number, "/judge")
    again = report(place.completed(sha, 2))
    assert again.flag("judges", "canary", "is_passed")
    assert judges.asked(JUDGING_PATCH, "ringed planets")


def test_a_rubric_that_nobody_can_draft_is_told(judged_town: tuple[Town, Judges]) -> None:
    town, judges = judged_town
    place = town.place()
    issue = place.issue("No mean of moons")
    judges.told = {DRAFTING: lambda _asked: Said(status=503, headers=AT_ONCE)}
    try:
        place.command(issue, "/judge rubric", town.mara)
        (only,) = eventually(lambda: place.comments(issue), "an answer")
    finally:
        judges.told = {DRAFTING: lambda _asked: Said(text=DRAFTED)}
    assert "No rubric could be drafted: The model's endpoint failed (status 503)" in only.text(
        "body"
    )
    place.command(issue, "/judge rubric", town.mara)
    eventually(lambda: len(place.comments(issue)) == 3, "the form and its answer")
