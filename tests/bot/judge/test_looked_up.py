"""What was looked up on the web may inform a judge; nothing is satisfied by it alone."""

from __future__ import annotations

from bot.judge.citations import citation_problem
from bot.models import ActionKind, Evidence, Step, Transition, VerdictOutcome
from sandbox.models import Observation, Side


def evidence(id_: str, action: ActionKind) -> Evidence:
    seen = Observation(side=Side.HEAD, command="look", exit_code=0, output="it works", seconds=0.1)
    step = Step(id_, "goal", "", ("R1",), action)
    return Evidence(id_, step, None, seen, Transition.UNKNOWN)


LOOKED_UP = evidence("E1", ActionKind.WEB_BROWSING)
RUN = evidence("E2", ActionKind.BASH)


def test_a_page_of_the_web_satisfies_nothing_by_itself() -> None:
    both = (LOOKED_UP, RUN)
    assert "nothing that it cites" in citation_problem(VerdictOutcome.SATISFIED, ("E1",), both)
    assert citation_problem(VerdictOutcome.SATISFIED, ("E1", "E2"), both) == ""
    assert citation_problem(VerdictOutcome.UNSATISFIED, ("E1",), both) == ""
