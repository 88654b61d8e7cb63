"""What was looked up on the web may inform a judge; nothing is decided by it alone."""

from __future__ import annotations

from bot.judges.citations import citation_problem
from bot.values import (
    ActionKind,
    Category,
    Evidence,
    Requirement,
    Step,
    Transition,
    Trust,
    VerdictOutcome,
)
from sandbox.values import Observation, Side

WANTED = Requirement("R1", "It works", Category.BEHAVIOUR, "issue #1", Trust.ASKER)


def evidence(id_: str, action: ActionKind) -> Evidence:
    seen = Observation(side=Side.HEAD, command="look", exit_code=0, output="it works", seconds=0.1)
    step = Step(id_, "goal", "", ("R1",), action)
    return Evidence(id_, step, None, seen, Transition.UNKNOWN)


BOTH = (evidence("E1", ActionKind.WEB_BROWSING), evidence("E2", ActionKind.BASH))


def test_a_page_of_the_web_satisfies_nothing_by_itself() -> None:
    alone = citation_problem(WANTED, VerdictOutcome.SATISFIED, ("E1",), BOTH)
    assert "was looked up" in alone
    assert citation_problem(WANTED, VerdictOutcome.SATISFIED, ("E1", "E2"), BOTH) == ""
