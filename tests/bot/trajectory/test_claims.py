"""What of a log is shown for which requirement, and which of its claims are findings."""

from __future__ import annotations

import json

import pytest

from bot.trajectory.claims import (
    ACTION_CHARACTERS,
    MOST_STEPS,
    STEPS_A_REQUIREMENT,
    SeenFacts,
    hold,
)
from bot.values.rules import CLAIM_CONTRADICTED
from sandbox.values import Severity
from tests.bot.trajectory.samples import SAMPLES

GREETING = SeenFacts((("R1", ("greeting.py",)), ("R2", ("docs/index.md",))))


def log(*steps: tuple[str, str]) -> str:
    rows = [{"thought": said, "action": done, "observation": "o" * 5_000} for said, done in steps]
    return json.dumps({"trajectory": rows})


@pytest.mark.parametrize("name", SAMPLES)
def test_the_newest_step_on_a_requirements_file_comes_first(name: str) -> None:
    claims = hold(SAMPLES[name][1], GREETING).claims
    assert [one.step.number for one in claims.steps] == [2, 1]
    assert {one.requirement_ids for one in claims.steps} == {("R1",)}
    assert claims.count == 3


def test_a_path_is_known_by_its_end_and_not_by_part_of_a_name() -> None:
    facts = SeenFacts((("R1", ("src/a.py", "lib/a.py", "src/b.py")),))
    done = (
        "vi src/a.py",
        "vi a.py",
        "vi /x/src/a.py",
        "vi b.py",
        "vi xsrc/a.py",
        "vi bb.py",
        "ls src",
    )
    claims = hold(log(*(("", one) for one in done)), facts).claims
    assert [one.step.action for one in claims.steps] == [
        "vi b.py", "vi /x/src/a.py", "vi src/a.py"
    ]  # fmt: skip


def test_what_is_shown_is_capped_and_its_middle_dropped() -> None:
    secret = "ghp_" + "a1B2" * 9
    steps = [("", f"vi greeting.py docs/index.md {secret}" + "x" * 5_000 + "end")] * 60
    claims = hold(log(*steps), GREETING).claims
    assert len(claims.steps) == STEPS_A_REQUIREMENT and claims.count == 60
    assert claims.steps[0].step.number == 60
    action = claims.steps[0].step.action
    assert "characters left out" in action and action.endswith("end")
    assert len(action) < ACTION_CHARACTERS + 100
    assert secret not in str(claims)
    many = SeenFacts(tuple((f"R{at}", (f"f{at}.py",)) for at in range(40)))
    shown = hold(log(*(("", f"vi f{at}.py") for at in range(40))), many).claims.steps
    assert len(shown) == MOST_STEPS


FAILING = SeenFacts((), failing=("tests/test_a.py::test_it",))


@pytest.mark.parametrize(
    "said",
    (
        "All tests pass.",
        "Done! All 12 tests pass now",
        "every test passes.",
        "All the unit tests are now passing. Bye.",
        "I ran it again: 12 tests passed",
        "The tests are all passing",
        "The test suite is green",
    ),
)
def test_all_tests_pass_is_a_finding_while_one_fails(said: str) -> None:
    (found,) = hold(log((said, "ls")), FAILING).findings
    assert (found.rule, found.severity) == (CLAIM_CONTRADICTED, Severity.ADVISE)
    assert "(step 1), but `tests/test_a.py::test_it` fails on head." in found.message
    assert not found.tests, "no test is put in doubt by what somebody says"
    assert not hold(log((said, "ls")), SeenFacts(())).findings, "nothing fails: it may be so"


@pytest.mark.parametrize(
    "said",
    (
        "Not all tests pass.",
        "All tests pass except one",
        "Let me see whether all tests pass",
        "Now all tests should pass",
        "If all tests pass, I submit",
        "Do all tests pass?",
        "All tests don't pass",
        "I wrote tests that pass a value",
        "One test fails",
    ),
)
def test_a_hope_is_no_claim(said: str) -> None:
    assert not hold(log((said, "ls")), FAILING).findings


def test_a_claim_of_somebody_else_is_not_the_agents() -> None:
    rows = [{"thought": "ok", "action": "pytest", "observation": "All tests pass."}]
    assert not hold(json.dumps({"trajectory": rows}), FAILING).findings


def test_the_last_claim_of_each_kind_is_told_once() -> None:
    facts = SeenFacts((), ("t1", "t2", "t3", "t4", "t5"), remarks=2, is_broken=True)
    steps = (
        "All tests pass.",
        "ruff is clean.",
        "The project builds cleanly.",
        "All tests passed!",
    )
    told = [one.message for one in hold(log(*((one, "") for one in steps)), facts).findings]
    assert [one.partition("”")[0] for one in told] == [
        "The agent's log says “All tests passed",
        "The agent's log says “The project builds cleanly",
        "The agent's log says “ruff is clean",
    ]
    assert "`t1`, `t2`, `t3` and 2 more fail on head" in told[0]
