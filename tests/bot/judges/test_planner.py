"""Which proposed steps enter a plan, and that a frozen plan only grows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.evidence.planning import plan
from bot.judges.agents import Agents
from bot.judges.planner import MOST_STEPS, PlanningFacts, Proposed, propose_steps
from bot.task.requirements import comprehend
from bot.text import delimiter_of
from bot.values import (
    ActionKind,
    CodePlace,
    Located,
    LocatedPlace,
    Plan,
    PlanBroken,
    PlanExtension,
    Role,
    Step,
    Task,
    TaskSource,
    Trust,
)
from tests.bot.verdict.cases import DEFAULTS, task
from tests.scripted import Scripted

REQUIREMENTS = comprehend(
    task("Split", "## Requirements\n- [ ] `split` refuses zero people\n- [ ] the page shows it"),
    DEFAULTS,
    (),
)
FACTS = PlanningFacts(
    fixed=plan(REQUIREMENTS, DEFAULTS, ("shop.py",)),
    changed_paths=("shop.py",),
    has_file={"shop.py", "index.html"}.__contains__,
    located=(Located("R1", (LocatedPlace(CodePlace("shop.py", 4, "split"), 0.9, "named"),)),),
)


def step(
    action: str, *arguments: str, requirements: tuple[str, ...] = ("R1",)
) -> dict[str, object]:
    return {
        "goal": f"See it by {action}",
        "guidance": "Exit code 0",
        "requirements": list(requirements),
        "action": action,
        "arguments": list(arguments),
    }


async def proposed(
    folder: Path, *steps: dict[str, object], facts: PlanningFacts = FACTS
) -> tuple[Proposed, Scripted]:
    scripted = Scripted(lambda call: {"steps": list(steps)}, folder)
    agents = Agents(scripted.session(), delimiter_of(b"key", "run"))
    return await propose_steps(agents, REQUIREMENTS, facts), scripted


async def test_steps_are_typed_bound_to_requirements_and_numbered_on(tmp_path: Path) -> None:
    found, scripted = await proposed(
        tmp_path,
        step("bash", "python -c 'import shop; shop.split(1, 0)'"),
        step("read", "shop.py", "1", "20"),
        step("search", "def split", requirements=("R2", "R1", "R1")),
        step("screenshot", "index.html"),
        step("interaction", "goto index.html", "expect visible #total"),
    )
    assert found.remarks == ()
    first = len(FACTS.fixed.steps) + 1
    assert [one.id for one in found.steps] == [f"E{first + n}" for n in range(5)]
    assert found.steps[2].requirement_ids == ("R2", "R1")
    assert found.steps[0].action is ActionKind.BASH
    (call,) = scripted.calls
    assert call.role is Role.PLANNER
    assert "R1 may be about shop.py: split, line 4" in call.user, "the code graph feeds the plan"


@pytest.mark.parametrize(
    "wrong, told",
    [
        (step("rm_everything", "x"), "not on the menu"),
        (step("unit_tests", "pytest"), "not on the menu"),
        (step("shell_interaction", "python shop.py", "3"), "not on the menu"),
        (step("read", "../../etc/passwd"), "no file"),
        (step("read", "/etc/passwd"), "no file"),
        (step("read", "shop.py", "9", "1"), "first and the last line"),
        (step("read", "shop.py", "-1", "2"), "first and the last line"),
        (step("search", "one", "pattern"), "one text"),
        (step("bash", "a", "b"), "one shell line"),
        (step("bash", "a\0b"), "a character"),
        (step("screenshot", "https://evil.example"), "no page"),
        (step("interaction", "goto index.html"), "expects something"),
        (step("interaction", "goto file:///etc/passwd.html", "expect visible a"), "no page"),
        (step("read", "shop.py", requirements=("B1",)), "serves no requirement"),
        (step("read", "shop.py", requirements=("R77",)), "serves no requirement"),
    ],
)
async def test_a_step_that_does_not_hold_is_dropped_and_told(
    wrong: dict[str, object], told: str, tmp_path: Path
) -> None:
    found, _ = await proposed(tmp_path, wrong, step("read", "shop.py"))
    assert [one.arguments for one in found.steps] == [("shop.py",)]
    (remark,) = found.remarks
    assert told in remark


@pytest.mark.parametrize(
    "page, holds",
    [
        ("/cart", True),
        ("http://localhost:5173/cart", True),
        ("http://localhost:5173.evil.example/", False),
        ("//evil.example/", False),
        ("/../secret", False),
    ],
)
async def test_a_served_project_is_looked_at_below_its_address_only(
    page: str, holds: bool, tmp_path: Path
) -> None:
    facts = replace(FACTS, site="http://localhost:5173")
    found, _ = await proposed(tmp_path, step("screenshot", page), facts=facts)
    assert bool(found.steps) is holds


async def test_more_steps_than_a_plan_takes_are_cut(tmp_path: Path) -> None:
    many = [step("search", f"text {n}") for n in range(MOST_STEPS + 2)]
    found, _ = await proposed(tmp_path, *many)
    assert len(found.steps) == MOST_STEPS
    assert len(found.remarks) == 2


# --- frozen --------------------------------------------------------------------------------------


def extra(id_: str, reason: str = "An edge that nobody looked at.") -> PlanExtension:
    return PlanExtension(Step(id_, "g", "h", ("R1",), ActionKind.READ, ("shop.py",)), reason)


def test_a_frozen_plan_grows_with_a_reason() -> None:
    frozen = FACTS.fixed.digest
    grown = FACTS.fixed.extended(extra("A1"), extra("A2"))
    assert grown.held_to(frozen) is grown
    assert [one.step.id for one in grown.extensions] == ["A1", "A2"]


@pytest.mark.parametrize("bad", [extra("A1", " "), extra("E1")])
def test_no_step_is_added_without_a_reason_or_over_another(bad: PlanExtension) -> None:
    with pytest.raises(PlanBroken):
        FACTS.fixed.extended(bad)


def test_a_plan_that_lost_or_changed_a_step_is_not_the_frozen_one() -> None:
    frozen, steps = FACTS.fixed.digest, FACTS.fixed.steps
    changed = (replace(steps[0], arguments=("true",)), *steps[1:])
    for other in (steps[:-1], steps[1:], changed, tuple(reversed(steps)), ()):
        with pytest.raises(PlanBroken):
            Plan(other).held_to(frozen)


async def test_the_planner_sees_task_change_and_code(tmp_path: Path) -> None:
    seeing = replace(
        FACTS,
        task=Task(
            "Split",
            (
                TaskSource("the pull request", "Split", "It should return 0.", Trust.AUTHOR),
                *task("Split", "`split` refuses zero people, says the issue").sources,
            ),
        ),
        diff="+    if people == 0:",
        code="shop.py, line 4:\ndef split(total: int, people: int) -> list[int]:",
    )
    _, scripted = await proposed(tmp_path / "a", facts=seeing)
    (call,) = scripted.calls
    for seen in (
        "says the issue",
        "+    if people == 0:",
        "def split(total: int, people: int) -> list[int]:",
    ):
        assert seen in call.user and seen not in call.system
    asked, claimed = call.user.split("words of the change's author", 1)
    assert "says the issue" in asked and "It should return 0." not in asked
    assert "It should return 0." in claimed and "says the issue" not in claimed
    _, blind = await proposed(tmp_path / "b")
    assert "begin diff" not in blind.calls[0].user


async def test_the_planner_is_told_what_shows_that_something_stays(tmp_path: Path) -> None:
    """Elsewhere it is told to expect nothing that it reads in code, and that a step must fail on base."""
    _, scripted = await proposed(tmp_path)
    (call,) = scripted.calls
    told = " ".join(call.system.split())
    assert "for what must stay (keep) it passes on both" in told
    assert "Only for what must stay take them from what base did" in told
