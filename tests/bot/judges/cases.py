"""A small question for a panel, and judges that say what a test wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.judges.agents import Agents
from bot.judges.material import Material
from bot.judges.opinion import PanelQuestion
from bot.text import Delimiter
from bot.values import (
    ActionKind,
    Category,
    Evidence,
    Requirement,
    Step,
    Task,
    TaskSource,
    Transition,
    Trust,
)
from sandbox.values import Observation, Side
from tests.scripted import Call, Reply, Scripted

R1 = Requirement("R1", "split refuses zero people", Category.BEHAVIOUR, "issue #7", Trust.ASKER)
TASK = Task("Split", (TaskSource("issue #7", "Split", "split refuses zero people", Trust.ASKER),))
WORD = "0123456789abcdef0123"


def piece(
    id_: str, base: int | None, head: int | None, moved: Transition, **fields: object
) -> Evidence:
    """One step about R1; what it prints differs between the sides unless `said` is given."""
    said = fields.pop("said", None)
    action = fields.pop("action", ActionKind.DYNAMIC_EXECUTION)
    serves = fields.pop("serves", ("R1",))
    step = Step(id_, "goal", "", serves, action)  # type: ignore[arg-type]
    sides = (
        Observation(side, f"run {id_}", code, str(said or f"{side.value} says"), 0.1)
        for side, code in ((Side.BASE, base), (Side.HEAD, head))
    )
    return Evidence(id_, step, *sides, moved)


SUITE = piece(
    "E1", 0, 0, Transition.HELD, action=ActionKind.UNIT_TESTS, serves=("B1", "R1"), said="2 passed"
)
FIXED = piece("E3", 1, 0, Transition.FIXED)
FAILS = piece("E4", 1, 1, Transition.STILL_FAILING)
EVIDENCE = (SUITE, FIXED, FAILS)


def opinion(outcome: str, *cited: str, points: int = 3, reason: str = "As E3 shows.") -> Reply:
    """A blind opinion as the model writes it."""
    scores = {"correctness": points, "functionality": points, "clarity": points}
    return {"reason": reason, "outcome": outcome, "evidence": list(cited), **scores}


def act(own: str, why: str = "E3 shows it.", new: Reply | None = None, **others: str) -> Reply:
    """A turn in a round: `others` are acts about judges, as `j2="agree"`."""
    remarks = [
        {"judge": int(name[1:]), "act": done, "explanation": why} for name, done in others.items()
    ]
    return {"explanation": why, "own": own, "opinion": new, "others": remarks}


def judge_of(call: Call) -> int:
    """Which judge is asked in a round; 0 in a blind question."""
    found = re.search(r"^You are judge (\d+)\.", call.user, re.MULTILINE)
    return int(found.group(1)) if found else 0


@dataclass(slots=True)
class Blind:
    """Gives each judge its blind opinion, then asks `turn` in each round."""

    opinions: list[Reply]
    turn: Callable[[int, Call], Reply]

    def __call__(self, call: Call) -> Reply:
        judge = judge_of(call)
        return self.turn(judge, call) if judge else self.opinions[call.sample - 1]


def question(
    *evidence: Evidence, requirement: Requirement = R1, diff: str = "+ x"
) -> PanelQuestion:
    """A question with these pieces."""
    return PanelQuestion(requirement, Material(TASK, diff, evidence))


def agents(scripted: Scripted) -> Agents:
    """The session of scripted judges."""
    return Agents(scripted.session(), Delimiter(WORD))


def judges(script: Callable[[Call], Reply], folder: Path) -> Scripted:
    """Judges who say what the script says."""
    return Scripted(script, folder)
