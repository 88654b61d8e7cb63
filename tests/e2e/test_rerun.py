"""`/judge rerun [R2]`: the present head once more, with what is known of base."""

from __future__ import annotations

import pytest

from bot.demo.forge.rows import CheckRow
from tests.e2e.talking import answer_to, opened, refused_to_strangers, say
from tests.e2e.town import Town, eventually, report

pytestmark = [pytest.mark.real, pytest.mark.slow]


def test_the_present_head_is_judged_again(town: Town) -> None:
    place = town.place()
    sha, number = opened(place)
    first = place.completed(sha)
    refused_to_strangers(place, number, "/judge rerun R1")
    assert len(place.runs(sha)) == 1
    asked = place.command(number, "/judge rerun")
    again = place.completed(sha, 2)
    assert again.conclusion == "success"
    eventually(lambda: place.reactions(asked) == ["eyes", "rocket"], "the rocket")
    assert len(place.comments(number)) <= 2, "the verdict, and one answer to the stranger"

    def base_seconds(run: CheckRow) -> float:
        rows = report(run).items("evidence")
        suite = next(row for row in rows if row.text("action") == "unit_tests")
        seconds: float = suite.at("base").value["seconds"]
        return seconds

    assert base_seconds(again) == base_seconds(first), "base's tests did not run again"

    known = place.command(number, "/judge rerun r1")
    told = answer_to(place, number, known)
    assert "again, the whole of it" in told
    assert "R1 is not judged alone" in told
    assert place.completed(sha, 3).conclusion == "success"
    for line in ("/judge rerun R9", f"/judge rerun {'x' * 60_000}", "/judge rerun '\u202e👍"):
        assert "There is no requirement" in say(place, number, line)
    town.settle()
    assert len(place.runs(sha)) == 3, "an id that is gone starts nothing"
