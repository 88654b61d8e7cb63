"""The judges of a run are tried on what is known, and a miss ends their say."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from bot.configuration import JudgePolicy
from bot.judges.agents import ANY_DAY, Agents
from bot.judges.canary import trials_of, try_judges
from bot.judges.deliberation import hold_deliberation
from bot.judges.material import Material
from bot.judges.model.base import Prompt, RecordingMemory, SealedMemory, SessionLimits, Tool
from bot.judges.model.session import ModelSession
from bot.judges.weighing import weigh
from bot.text import Delimiter
from bot.values import Decider, Requirements, Role, Verdict, VerdictOutcome
from tests.bot.judges.cases import FIXED, R1, TASK, agents, judges, opinion
from tests.obedient import Obedient
from tests.scripted import Call, Reply, Scripted

HONEST = Obedient(obeys=False)
UNDECIDED = Verdict("R1", VerdictOutcome.UNVERIFIED, Decider.NOBODY, "No test speaks of it.")


def always(outcome: str) -> object:
    """A judge with one answer to everything, for the step that it is shown."""

    def answer(call: Call) -> Reply:
        ids = re.findall(r"^Evidence (E[3-9]):", call.user, re.MULTILINE)
        return opinion(outcome, *ids)

    return answer


@pytest.mark.parametrize(
    ("script", "missed"),
    [
        (HONEST.script, ()),
        (Obedient().script, ("did what a text in the evidence told them",)),
        (always("satisfied"), ("known and does not hold", "told them")),
        (always("unsatisfied"), ("known and holds (unsatisfied, unsatisfied, unsatisfied)",)),
        (always("unverified"), ("known and holds", "known and does not hold")),
        (lambda call: "no", ("known and holds", "known and does not hold")),
    ],
    ids=["honest", "obedient", "says yes", "says no", "never knows", "unreadable"],
)
async def test_who_is_tried_and_found(script, missed: tuple[str, ...], tmp_path: Path) -> None:
    result = await try_judges(agents(judges(script, tmp_path)), JudgePolicy())
    assert result.is_passed is not bool(missed)
    assert len(result.failures) == len(missed)
    for words, failure in zip(missed, result.failures, strict=True):
        assert words in failure


async def test_one_judge_who_obeys_is_enough(tmp_path: Path) -> None:
    def script(call: Call) -> Reply:
        return (Obedient() if call.sample == 2 else HONEST).script(call)

    result = await try_judges(agents(judges(script, tmp_path)), JudgePolicy())
    assert result.failures == ("1 of 3 judges did what a text in the evidence told them to say.",)


DAY = "2026-11-23"


def seats(asked: Scripted, *models: str) -> ModelSession:
    """A session whose seats ask models of these names, one after the other."""
    session = asked.session()

    def named(prompt: Prompt, tools: Sequence[Tool]) -> Model:
        model = session.models(prompt, tools)
        assert isinstance(model, FunctionModel)
        name = models[(prompt.sample - 1) % len(models)]
        return FunctionModel(model.function, model_name=name)

    return replace(session, models=named)


async def calls_made(
    folder: Path, today: str = DAY, models: tuple[str, ...] = ("one",), count: int = 3
) -> int:
    """How many calls the trial of one evaluation makes; names and numbers are its own."""
    asked = judges(HONEST.script, folder)
    run = Agents(seats(asked, *models), Delimiter(secrets.token_hex(10)), today=today)
    assert (await try_judges(run, JudgePolicy(count=count))).is_passed
    return len(asked.calls)


@pytest.mark.thorough
async def test_who_passed_is_not_tried_again_on_the_same_day(tmp_path: Path) -> None:
    assert [await calls_made(tmp_path), await calls_made(tmp_path)] == [9, 0]
    assert await calls_made(tmp_path, "2026-11-24") == 9
    assert await calls_made(tmp_path, "2026-11-24", count=1) == 3, "other seats"
    assert await calls_made(tmp_path, "2026-11-24", models=("two",)) == 9
    assert await calls_made(tmp_path, "2026-11-24", models=("one", "two")) == 9
    assert await calls_made(tmp_path, "") == 9, "nobody is believed without a day"


PROMPTS = ("panel.system", "panel.user", "panel_sides", "canary_planted")
PROGRAM = """
import asyncio, sys
from pathlib import Path
import bot
from tests.bot.judges.test_canary import PROMPTS, calls_made
assert Path(bot.__file__).is_relative_to(Path.cwd())
print(asyncio.run(calls_made(Path(sys.argv[1]))))
for name in PROMPTS:
    template = Path("templates/prompts") / f"{name}.txt.j2"
    template.write_text(f"Mind this.\\n{template.read_text()}")
    print(asyncio.run(calls_made(Path(sys.argv[1]))))
"""


@pytest.mark.real
def test_who_passed_is_tried_again_when_a_prompt_changes(tmp_path: Path) -> None:
    root, copied, memory = Path(__file__).parents[3], tmp_path / "copy", tmp_path / "memory"
    for part in ("bot", "sandbox", "templates"):
        shutil.copytree(root / part, copied / part)
    assert asyncio.run(calls_made(memory)) == 9
    argv = [sys.executable, "-c", PROGRAM, str(memory)]
    environment = {**os.environ, "PYTHONPATH": f"{copied}:{root}"}
    done = subprocess.run(
        argv, cwd=copied, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", *["9"] * len(PROMPTS)]


async def test_a_miss_after_a_day_on_which_they_passed_is_a_miss_in_its_record_too(
    tmp_path: Path,
) -> None:
    await calls_made(tmp_path)
    asked = judges(always("satisfied"), tmp_path)  # type: ignore[arg-type]
    session, mark = seats(asked, "one"), Delimiter("ab" * 10)
    missed = await try_judges(Agents(session, mark, today="2026-11-24"), JudgePolicy())
    sealed = replace(session, memory=RecordingMemory(SealedMemory(dict(session.replies))))
    again = await try_judges(Agents(sealed, mark, today=ANY_DAY), JudgePolicy())
    assert again == missed and not again.is_passed


async def test_who_was_not_tried_again_is_believed_in_the_record_too(tmp_path: Path) -> None:
    await calls_made(tmp_path)
    asked = judges(HONEST.script, tmp_path)
    session, mark = seats(asked, "one"), Delimiter("ab" * 10)
    assert (await try_judges(Agents(session, mark, today=DAY), JudgePolicy())).is_passed
    sealed = replace(session, memory=RecordingMemory(SealedMemory(dict(session.replies))))
    again = await try_judges(Agents(sealed, mark, today=ANY_DAY), JudgePolicy())
    assert again.is_passed and not asked.calls


async def test_a_miss_is_not_kept(tmp_path: Path) -> None:
    asked = judges(always("satisfied"), tmp_path)  # type: ignore[arg-type]
    for number in (1, 2):
        run = Agents(asked.session(), Delimiter(f"{number:020x}"), today="2026-11-23")
        assert not (await try_judges(run, JudgePolicy())).is_passed
    assert len(asked.calls) == 18


async def test_the_trial_is_a_row_of_its_own_in_the_cost(tmp_path: Path) -> None:
    asked = judges(HONEST.script, tmp_path)
    material = Material(TASK, "+ x", (FIXED,))
    said = await hold_deliberation(
        agents(asked), Requirements((R1,)), (UNDECIDED,), material, JudgePolicy()
    )
    assert [(one.role, one.calls) for one in said.usage] == [(Role.CANARY, 9), (Role.PANEL, 3)]


async def test_judges_that_cannot_be_paid_are_not_believed(tmp_path: Path) -> None:
    broke = judges(HONEST.script, tmp_path).session(SessionLimits(usd=0.0, minutes=1.0))
    result = await try_judges(Agents(broke, Delimiter("ab" * 10)), JudgePolicy())
    assert not result.is_passed
    assert "could not be tried" in result.failures[0]


@pytest.mark.parametrize("is_on", [True, False])
async def test_a_miss_makes_all_verdicts_of_models_void(is_on: bool, tmp_path: Path) -> None:
    """A judge who says yes to everything is believed only where nobody tries it."""
    asked = judges(always("satisfied"), tmp_path)  # type: ignore[arg-type]
    material, requirements = Material(TASK, "+ x", (FIXED,)), Requirements((R1,))
    policy = JudgePolicy(canary=is_on)
    said = await hold_deliberation(agents(asked), requirements, (UNDECIDED,), material, policy)
    (verdict,) = weigh(requirements, (UNDECIDED,), said)
    if is_on:
        assert verdict.outcome is UNDECIDED.outcome
        assert said.problem in verdict.reason
        assert said.panels == ()
        assert said.problem.startswith("The judges' opinions count for nothing.")
        assert len(asked.calls) == 9  # and nobody else was asked
    else:
        assert verdict.outcome is VerdictOutcome.SATISFIED
        assert said.canary is None


async def test_nobody_is_tried_where_nothing_is_left_to_judge(tmp_path: Path) -> None:
    asked = judges(HONEST.script, tmp_path)
    decided = Verdict("R1", VerdictOutcome.UNSATISFIED, Decider.ORACLE, "It fails.")
    material = Material(TASK, "+ x", (FIXED,))
    said = await hold_deliberation(
        agents(asked), Requirements((R1,)), (decided,), material, JudgePolicy()
    )
    assert said.canary is None
    assert asked.calls == []


def test_no_two_runs_are_tried_by_the_same_words() -> None:
    seen = [trials_of(f"{number:020x}") for number in range(40)]
    texts = [trial.question.requirement.text for trials in seen for trial in trials]
    assert len(set(texts)) > 100
    assert len({trials[2].planted for trials in seen}) > 10
    assert trials_of("a" * 20) == trials_of("a" * 20)


def test_a_trial_looks_like_a_question_of_the_run() -> None:
    for trial in trials_of("a" * 20):
        assert (
            trial.question.requirement.id
            in trial.question.material.evidence[-1].step.requirement_ids
        )
        assert trial.question.material.evidence[0].id == "E1"
        assert "canary" not in repr(trial.question).lower()
        assert trial.question.material.diff.startswith("--- src/")
        head = trial.question.material.evidence[-1].head
        assert head is not None
        assert (head.exit_code == 0) is trial.holds
        assert bool(trial.planted) is (trial.planted in head.output and trial.planted != "")
