"""`/judge plan` by people: the plan and its price stand there before anything runs."""

from __future__ import annotations

import re
import threading

import pytest

from tests.e2e.judges import COMPREHENDING, HONEST, JUDGING_PATCH, PLANNING, Judges
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, eventually
from tests.endpoint import Asked, Said

pytestmark = pytest.mark.real
NEVER_ENDS = {
    ".github/assay.yml": "triggers: [command]\nsetup: {install: sleep 900, test: sleep 900}\n"
}
"""Nobody gets an answer in time who builds or tests this."""


def answer_to(place: Place, number: int, command: int) -> str:
    """Waits for the one reply to a command; gives its text."""
    marker = f"<!-- assay:reply to {command} -->"

    def look() -> str:
        bodies = [one.text("body") for one in place.comments(number)]
        found = [body for body in bodies if body.startswith(marker)]
        assert len(found) < 2, "a command is answered once"
        return found[0] if found else ""

    return eventually(look, f"an answer to {command}")


def declined(place: Place, title: str = ASKED) -> tuple[int, str]:
    """A pull request in a repository that judges on request only; gives its number and head."""
    sha = place.push("mean", FIX)
    number = place.open("mean", title)
    place.completed(sha)
    return number, sha


def test_plan_and_price_stand_there_before_anything_runs(
    judged_town: tuple[Town, Judges],
) -> None:
    town, judges = judged_town
    place = town.place(NEVER_ENDS)
    number, sha = declined(place, "Mean of no planetoids is zero")
    by_stranger = place.command(number, "/judge plan", town.zoe)
    eventually(lambda: place.reactions(by_stranger) == ["confused"], "a refusal")
    town.settle()
    told = "the check run alone says that it waits, and one comment that a stranger may not ask"
    assert len(place.comments(number)) == 1, told
    assert judges.asked("", "planetoids") == [], "nobody pays for a stranger"

    command = place.command(number, "/judge plan")
    body = answer_to(place, number, command)
    assert f"The plan for <code>{sha[:12]}</code>" in body
    assert "planetoids" in body
    assert re.search(r"at most \$\d+\.\d\d; it stops at \$2\.00", body), body
    assert re.search(r"Planning took \$0\.\d*[1-9]", body), body
    assert re.search(r"\| panel \| test-model \| 0 to \d+ \|", body), body
    assert judges.asked(COMPREHENDING, "planetoids")
    assert judges.asked(PLANNING, "planetoids")

    paid = len(judges.asked("", "planetoids"))
    again = place.command(number, "/judge plan")
    second = answer_to(place, number, again)
    assert second.partition("\n")[2] == re.sub(
        r" Planning took \$[\d.]+, which is not paid again\.", "", body.partition("\n")[2]
    )
    assert len(judges.asked("", "planetoids")) == paid, "what models answered is remembered"
    redelivered = place.deliveries("issue_comment", "created")[-1]
    town.operator.control("POST", f"deliveries/{redelivered.id}/redeliver")
    town.settle()
    assert len(place.comments(number)) == 3, "one answer a command"
    assert judges.asked(JUDGING_PATCH, "planetoids") == []
    assert [run.conclusion for run in place.runs(sha)] == ["action_required"]


def test_nobody_waits_for_a_plan_that_a_model_thinks_about(
    judged_town: tuple[Town, Judges],
) -> None:
    town, judges = judged_town
    place = town.place(NEVER_ENDS)
    number, _ = declined(place, "Mean of no quasars is zero")
    asked, answered = threading.Event(), threading.Event()

    def slow(call: Asked) -> Said:
        asked.set()
        answered.wait(100)
        return HONEST.answer(call)

    judges.told[COMPREHENDING] = slow
    try:
        plan = place.command(number, "/judge plan")
        eventually(asked.is_set, "a question to the model")
        cancelled = answer_to(place, number, place.command(number, "/judge cancel"))
        assert "nothing to cancel" in cancelled
    finally:
        answered.set()
        del judges.told[COMPREHENDING]
    assert "quasars" in answer_to(place, number, plan)


def test_without_a_model_the_plan_costs_nothing(town: Town) -> None:
    place = town.place(NEVER_ENDS)
    number, sha = declined(place)
    body = answer_to(place, number, place.command(number, "/judge plan"))
    assert f"The plan for <code>{sha[:12]}</code>" in body
    assert "unit_tests" in body
    assert "**Price:** $0.00. No model is asked" in body
    issue = place.issue("No mean")
    told = answer_to(place, issue, place.command(issue, "/judge rubric"))
    assert "Drafting a rubric needs a model. Set <code>ASSAY_MODEL</code>" in told
    assert [run.conclusion for run in place.runs(sha)] == ["action_required"]
