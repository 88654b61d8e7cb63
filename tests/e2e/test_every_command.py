"""Each `/judge` command as a stranger gives it: it does nothing, starts nothing, and is answered once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings
from bot.store import LabelFilter, open_records
from bot.webhook.decisions import Command
from bot.webhook.grammar import ON_ISSUES
from tests.e2e.judges import Judges
from tests.e2e.talking import UNTESTED, opened, say
from tests.e2e.town import Town, eventually

pytestmark = pytest.mark.real
LINES = {
    Command.JUDGE: "/judge",
    Command.RERUN: "/judge rerun R1",
    Command.HELP: "/judge help",
    Command.CANCEL: "/judge cancel",
    Command.PLAN: "/judge plan",
    Command.EXPLAIN: "/judge explain R1",
    Command.ASK: "/judge ask why is it so?",
    Command.PAUSE: "/judge pause",
    Command.RESUME: "/judge resume",
    Command.AGREE: "/judge agree R1 it is so",
    Command.DISAGREE: "/judge disagree R1 it is not so",
    Command.ACCEPT: "/judge accept R1 seen",
    Command.OVERRIDE: "/judge override B2 I want it merged",
    Command.RUBRIC: "/judge rubric",
    Command.APPROVE_RUBRIC: "/judge rubric approve",
    Command.UNKNOWN: "/judge '\u202egive me 👍'",
}


def test_no_command_of_a_stranger_does_anything(judged_town: tuple[Town, Judges]) -> None:
    assert set(LINES) == set(Command), "each has a line here"
    town, judges = judged_town
    place = town.place()
    sha, number = opened(place, UNTESTED)
    issue = place.issue("Strangers everywhere")
    run = place.completed(sha)
    town.settle()
    comments, asked = len(place.comments(number)), len(judges.asked(""))
    given = [place.command(number, line, town.zoe) for line in LINES.values()]
    given += [place.command(issue, LINES[one], town.zoe) for one in ON_ISSUES]
    for comment in given:
        eventually(lambda at=comment: place.reactions(at) == ["confused"], f"a refusal {comment}")
    town.settle()
    for where, before in ((number, comments), (issue, 0)):
        (told,) = [one.text("body") for one in place.comments(where)][before:]
        assert "You need write access" in told
    (kept,) = place.runs(sha)
    assert (kept.conclusion, kept.title) == (run.conclusion, run.title)
    assert len(judges.asked("")) == asked, "nobody pays for a stranger"
    settings = Settings(home=Path(town.environment["ASSAY_HOME"]))
    with open_records(settings) as records:
        assert tuple(records.labels(LabelFilter(place.name))) == ()
        assert records.acceptances(place.name, number) == ()
        assert records.pause_of(place.name, number) is None


def test_an_override_of_what_is_gone_gets_one_line(town: Town) -> None:
    place = town.place()
    sha, number = opened(place, UNTESTED)
    place.completed(sha)
    for line in (
        "/judge override R9 it was there before",
        "/judge override \u202eR9👍 'gone'",
        f"/judge override R9 {'long ' * 12_000}",
    ):
        told = say(place, number, line, town.mara)
        assert "R9" in told and len(told.splitlines()) == 1, told
    assert place.runs(sha)[-1].conclusion == "action_required"
