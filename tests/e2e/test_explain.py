"""`/judge explain R2` and the button "Explain": answered from what is kept, without a run."""

from __future__ import annotations

import pytest

from tests.e2e.project import BREAKS, FIX
from tests.e2e.talking import UNTESTED, answer_to, opened, refused_to_strangers, say, sent_again
from tests.e2e.town import Town, eventually

pytestmark = [pytest.mark.real, pytest.mark.slow]


def test_a_verdict_is_explained_from_what_was_kept(town: Town) -> None:
    place = town.place()
    sha, number = opened(place)
    place.completed(sha)
    command = place.command(number, "/judge explain r1 please\n\nbecause I want to know")
    told = answer_to(place, number, command)
    assert "**R1** mean of no prices is zero" in told
    assert f"**satisfied** at <code>{sha[:12]}</code>, decided by the author's test" in told
    assert "test_mean_of_no_prices_is_zero" in told
    assert "fail → pass (base error, head passed)" in told or "base failed, head passed" in told
    assert "- base: exit code" in told
    assert "- head: exit code 0" in told
    assert "```sh" in told, "the command stands there to be repeated"
    assert "It becomes unsatisfied when one of these tests or checks fails on head" in told

    before = [one.text("body") for one in place.comments(number)]
    sent_again(place, command)
    assert [one.text("body") for one in place.comments(number)] == before
    refused_to_strangers(place, number, "/judge explain R1")
    edited = place.command(number, "Looks good")
    place.rest("PATCH", f"issues/comments/{edited}", town.ben, body="/judge explain R1")
    town.settle()
    assert place.reactions(edited) == [], "an edit gives no command"
    assert len(place.runs(sha)) == 1, "nothing was judged again"


def test_what_cannot_be_explained_is_one_clear_line(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", UNTESTED)
    issue = place.issue("Explain nothing")
    place.command(issue, "/judge explain R1")
    number = place.open("mean", "mean of no prices is zero", draft=True)
    told = say(place, number, "/judge explain R1")
    assert f"The newest commit <code>{sha[:12]}</code> has no verdict yet" in told

    town.operator.control("POST", "pulls/ready", repository=place.name, number=number)
    place.completed(sha)
    expected = {
        "/judge explain": "Name a requirement: <code>/judge explain",
        "/judge explain R9": "no requirement <code>R9</code> here. This verdict has B1, B2",
        "/judge explain 'R1\"; rm -rf / #👍": "There is no requirement",
        "/judge explain \u202eR1\u200f": "**unverified**",
        f"/judge explain {'R9 ' * 20_000}": "There is no requirement",
        "/judge explain @everyone": "There is no requirement",
        "/judge explian R1": "does not understand",
    }
    for line, answer in expected.items():
        said = say(place, number, line)
        assert answer in said, (line, said)
        if answer != "**unverified**":
            assert len(said.splitlines()) == 1, said
    said = say(place, number, "/judge explain R1")
    assert "/judge accept R1 &lt;reason&gt;" in said
    assert [one.text("body") for one in place.comments(issue)] == []

    newer = place.push("mean", {"slow.py": "ONE = 1\n"}, new=False)
    place.completed(newer)
    assert newer[:12] in say(place, number, "/judge explain R1"), "the present head counts"


def test_the_button_explains_what_is_not_met(town: Town) -> None:
    place = town.place()
    sha, number = opened(place, {**UNTESTED, **BREAKS})
    run = place.completed(sha)
    assert [one.identifier for one in run.actions] == ["rerun", "accept", "explain"]
    before = len(place.comments(number))
    place.click(run, town.zoe, "explain")
    town.settle()
    assert len(place.comments(number)) == before, "strangers get no answer"
    for _ in range(2):
        place.click(run, town.ben, "explain")
        town.settle()
    (told,) = [
        one.text("body").replace("&#8203;", "")
        for one in place.comments(number)
        if one.text("body").startswith("<!-- assay:explained ")
    ]
    assert "**B2**" in told
    assert "test_total_adds_up" in told
    assert "passed on base, fails on head" in told
    assert "**R1**" in told
    assert len(place.runs(sha)) == 1

    place.click(run, town.zoe, "rerun")
    town.settle()
    assert len(place.runs(sha)) == 1, "strangers do not spend a run"
    place.click(run, town.ben, "rerun")
    again = eventually(lambda: len(place.runs(sha)) == 2 and place.completed(sha, 2), "a new run")
    assert again.conclusion == "failure"


def test_a_passing_check_run_has_its_buttons_too(town: Town) -> None:
    place = town.place()
    sha, number = opened(place, FIX)
    run = place.completed(sha)
    assert run.conclusion == "success"
    assert [one.identifier for one in run.actions] == ["rerun", "explain"]
    place.click(run, town.ben, "explain")
    town.settle()
    assert any("**R1**" in one.text("body") for one in place.comments(number))
