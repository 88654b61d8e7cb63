"""kill -9 of the worker between model calls and between comments: each once, and nothing paid twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.configuration import JudgePolicy
from bot.demo.town import await_ready, running_part
from bot.evaluation.forecast import CANARIES
from tests.e2e.judges import DRAFTING, HONEST, Judges, environment_for
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Place, Town, eventually, running_forge
from tests.endpoint import Asked, Said, model_endpoint

pytestmark = [pytest.mark.real, pytest.mark.slow]
READ = Said(tool_calls=(("read_file", '{"path": "calc.py"}'),))
FIND = Said(tool_calls=(("find_definition", '{"name": "total"}'),))
DRAFTED = Said(text=json.dumps({"root_cause": "None is there.", "requirements": ["mean() is 0"]}))
TURNS = (READ, FIND, DRAFTED)
DEADLY_TURN = 1
HANGS_S = 100.0


@dataclass(slots=True)
class Deadly:
    """Drafts in three turns, and kills who asks for the second one, once; `turns` are those asked for."""

    victim: subprocess.Popen[bytes] | None = None
    turns: list[int] = field(default_factory=list)

    def answer(self, asked: Asked) -> Said:
        turn = sum(one["role"] == "tool" for one in asked["messages"])
        self.turns.append(turn)
        if turn == DEADLY_TURN and self.victim:
            kill(self.victim)
            self.victim = None
        return TURNS[turn]


def kill(worker: subprocess.Popen[bytes]) -> None:
    """As the kernel does it."""
    os.kill(worker.pid, signal.SIGKILL)
    assert worker.wait(30) == -signal.SIGKILL


@contextmanager
def half_a_town(folder: Path) -> Iterator[tuple[Town, Judges, dict[str, str]]]:
    """Forge, web and models; workers come and go."""
    judges = Judges()
    with (
        model_endpoint(judges.answer) as judges.endpoint,
        running_forge(folder) as town,
        ExitStack() as stack,
    ):
        one_at_a_time = environment_for(judges.endpoint, ASSAY_MODEL_CALLS_AT_ONCE="1")
        environment = {**town.environment, **one_at_a_time}
        web = stack.enter_context(running_part("web", folder, environment))
        await_ready(town.public_url, folder, web)
        yield town, judges, environment


def bodies(place: Place, number: int) -> list[str]:
    return [one.text("body") for one in place.comments(number)]


def test_a_killed_worker_drafts_once(tmp_path: Path) -> None:
    with half_a_town(tmp_path) as (town, judges, environment):
        deadly = Deadly()
        judges.told[DRAFTING] = deadly.answer
        place = town.place()
        issue = place.issue("No mean", "Beside `total` there is no mean.")
        create = "issues/create-comment"

        def created() -> int:
            return town.operator.control("GET", "calls").integer(create)

        with running_part("worker", tmp_path, environment) as first:
            deadly.victim = first
            place.command(issue, "/judge rubric", town.mara)
            eventually(lambda: first.poll() is not None, "the first death")
        assert deadly.turns == [0, DEADLY_TURN]
        assert bodies(place, issue) == []

        # The draft is posted, and the answer to that is lost; the answer to the person hangs.
        town.operator.fault(create, "cut_after")
        town.operator.fault(create, "hang", seconds=HANGS_S, calls=100)
        before = created()
        with running_part("worker", tmp_path, environment) as second:
            eventually(lambda: created() == before + 2, "the second comment")
            kill(second)
        (form,) = bodies(place, issue)
        assert form.startswith("<!-- assay:rubric")
        assert deadly.turns == [0, DEADLY_TURN, DEADLY_TURN, 2], (
            "only what it died in is paid again"
        )

        town.operator.control("DELETE", "faults")
        with running_part("worker", tmp_path, environment):
            eventually(lambda: len(bodies(place, issue)) == 2, "the answer")
            town.settle()
        assert bodies(place, issue)[0] == form
        assert "stands [here]" in bodies(place, issue)[1]
        assert len(deadly.turns) == 4


@dataclass(slots=True)
class DeadlyJudge:
    """Reads honestly; kills the victim, once, at its call of that number."""

    victim: subprocess.Popen[bytes] | None = None
    deadly_call: int = 0
    calls: int = 0

    def answer(self, asked: Asked) -> Said:
        self.calls += 1
        if self.victim and self.calls == self.deadly_call:
            kill(self.victim)
            self.victim = None
        return HONEST.answer(asked)


def test_a_killed_evaluation_pays_only_for_the_call_it_died_in(tmp_path: Path) -> None:
    untested = {"calc.py": FIX["calc.py"]}
    with half_a_town(tmp_path) as (town, judges, environment):
        place, other = town.place(), town.place()
        whole = DeadlyJudge()
        judges.told[""] = whole.answer
        with running_part("worker", tmp_path, environment):
            sha = place.push("mean", untested)
            place.open("mean", ASKED)
            expected = place.completed(sha)
            town.settle()
        others = whole.calls - CANARIES * JudgePolicy().count  # tried once a day, then believed
        assert others > 3

        broken = DeadlyJudge(deadly_call=others - 2)
        judges.told[""] = broken.answer
        sha = other.push("mean", untested)
        with running_part("worker", tmp_path, environment) as first:
            broken.victim = first
            number = other.open("mean", ASKED)
            eventually(lambda: first.poll() is not None, "the death")
        assert broken.calls == broken.deadly_call
        with running_part("worker", tmp_path, environment):
            run = other.completed(sha)
            town.settle()
        assert broken.calls == others + 1, "only the call it died in is asked twice"
        assert (run.conclusion, run.title) == (expected.conclusion, expected.title)
        assert len(other.runs(sha)) == len(other.comments(number)) == 1
