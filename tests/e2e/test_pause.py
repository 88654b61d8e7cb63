"""`/judge pause` and `/judge resume`: pushes wait, the check run says so and blocks, nothing is lost."""

from __future__ import annotations

import pytest

from tests.e2e.talking import answer_to, opened, refused_to_strangers, say, sent_again
from tests.e2e.town import Town

pytestmark = [pytest.mark.real, pytest.mark.slow]
PAUSED = "Not judged: paused by ben; comment /judge resume"
MORE = {"more.py": "ONE = 1\n"}


def test_a_paused_pull_request_waits_and_is_resumed(town: Town) -> None:
    place = town.place()
    sha, number = opened(place)
    assert place.completed(sha).conclusion == "success"
    refused_to_strangers(place, number, "/judge pause")
    paused = place.command(number, "/judge pause")
    told = answer_to(place, number, paused)
    assert "pushes to this pull request are not judged" in told
    assert "@ben" not in told, "nobody is mentioned"
    assert place.runs(sha)[-1].conclusion == "success", "what was judged stays judged"

    newer = place.push("mean", MORE, new=False)
    run = place.completed(newer)
    assert (run.conclusion, run.title) == ("action_required", PAUSED)
    assert "/judge resume" in run.summary
    assert [one.identifier for one in run.actions] == ["judge"]
    place.rest("PATCH", f"pulls/{number}", title="mean of no prices is zero, again")
    town.settle()
    assert len(place.runs(newer)) == 1, "no event judges it"

    refused_to_strangers(place, number, "/judge resume")
    place.command(number, "/judge")
    assert place.completed(newer, 2).conclusion == "success", "who may asks for one commit"
    newest = place.push("mean", {"more.py": "TWO = 2\n"}, new=False)
    assert place.completed(newest).title == PAUSED, "it is paused still"

    told = say(place, number, "/judge resume", town.mara)
    assert f"The newest commit <code>{newest[:12]}</code> is being judged now" in told
    assert place.completed(newest, 2).conclusion == "success"
    sent_again(place, paused)
    last = place.push("mean", {"more.py": "THREE = 3\n"}, new=False)
    assert place.completed(last).conclusion == "success", "an old pause does not come back"
    assert "not paused" in say(place, number, "/judge resume")
    assert "does not understand" in say(place, number, "/judge pause \u202eplease 👍 'now'")


def test_resuming_judges_nothing_twice(town: Town) -> None:
    place = town.place()
    sha, number = opened(place)
    place.completed(sha)
    say(place, number, "/judge pause")
    say(place, number, "/judge pause", town.mara)
    resumed = place.command(number, "/judge resume")
    assert f"<code>{sha[:12]}</code> has its verdict" in answer_to(place, number, resumed)
    sent_again(place, resumed)
    assert len(place.runs(sha)) == 1
