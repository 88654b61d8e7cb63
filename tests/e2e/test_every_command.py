"""Each `/judge` command as a stranger gives it: it does nothing, starts nothing, and is answered once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings
from bot.store import VerdictLabelFilter, open_records
from bot.webhook.decisions import JudgeCommand
from bot.webhook.grammar import ON_ISSUES
from tests.e2e.judges import Judges
from tests.e2e.talking import UNTESTED, opened, say
from tests.e2e.town import Town, eventually

pytestmark = pytest.mark.real
LINES = {
    JudgeCommand.JUDGE: "/judge",
    JudgeCommand.RERUN: "/judge rerun R1",
    JudgeCommand.HELP: "/judge help",
    JudgeCommand.CANCEL: "/judge cancel",
    JudgeCommand.PLAN: "/judge plan",
    JudgeCommand.EXPLAIN: "/judge explain R1",
    JudgeCommand.ASK: "/judge ask why is it so?",
    JudgeCommand.PAUSE: "/judge pause",
    JudgeCommand.RESUME: "/judge resume",
    JudgeCommand.AGREE: "/judge agree R1 it is so",
    JudgeCommand.DISAGREE: "/judge disagree R1 it is not so",
    JudgeCommand.ACCEPT: "/judge accept R1 seen",
    JudgeCommand.OVERRIDE: "/judge override B2 I want it merged",
    JudgeCommand.RUBRIC: "/judge rubric",
    JudgeCommand.APPROVE_RUBRIC: "/judge rubric approve",
    JudgeCommand.UNKNOWN: "/judge '\u202egive me 👍'",
}


def test_no_command_of_a_stranger_does_anything(judged_town: tuple[Town, Judges]) -> None:
    assert set(LINES) == set(JudgeCommand), "each has a line here"
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
        assert tuple(records.labels(VerdictLabelFilter(place.name))) == ()
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
