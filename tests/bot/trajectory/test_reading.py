"""Logs of agents are read whatever wrote them; what is no log is said to be none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.trajectory.reading import FIELD_CHARACTERS, MOST_CHARACTERS, MOST_STEPS, read_trajectory
from tests.bot.trajectory.samples import (
    CLAUDE_CODE,
    CODEX,
    EDIT,
    EDITED,
    FIRST,
    LAST,
    LOOK,
    LOOKED,
    SAMPLES,
    SECOND,
)


@pytest.mark.parametrize("name", SAMPLES)
def test_each_format_tells_the_same_work(name: str) -> None:
    format_, text = SAMPLES[name]
    log = read_trajectory(text)

    assert (log.format, log.problem) == (format_, "")
    look, edit, last = log.steps
    assert [step.number for step in log.steps] == [1, 2, 3]
    assert FIRST in look.thought and look.action.strip().endswith(LOOK)
    assert LOOKED in look.observation
    assert SECOND in edit.thought and edit.action.strip() == EDIT and EDITED in edit.observation
    assert LAST in last.thought


def test_calls_that_are_made_at_once_get_their_own_results() -> None:
    block = {"type": "tool_use", "name": "Read", "input": {"file_path": "/x/a.py"}}
    rows = [
        {"type": "assistant", "message": {"content": [{**block, "id": "1"}]}},
        {"type": "assistant", "message": {"content": [{**block, "id": "2", "input": {"file_path": "b"}}]}},
        *(
            {"type": "user", "message": {"content": [
                {"type": "tool_result", "tool_use_id": call, "content": f"result {call}"}]}}
            for call in "21"
        ),
    ]  # fmt: skip
    one, two = read_trajectory("\n".join(map(json.dumps, rows))).steps
    assert (one.action, one.observation) == ('Read {"file_path": "/x/a.py"}', "result 1")
    assert two.observation == "result 2"


@pytest.mark.parametrize(
    "text",
    ("", "not a log", "{}", "[]", "[1, null]", '{"trajectory": 7}', "[" * 200_000, "1" * 5_000,
     '{"a": 1}\n{"b": 2}\n', "{\n" * 50_000, '[{"agent": 3, "role": {}, "kind": []}]', "\ufeff{}"),
)  # fmt: skip
def test_what_is_no_log_is_said_to_be_none(text: str) -> None:
    log = read_trajectory(text)
    assert not log.steps
    assert "It is in none of the formats of DevAI, SWE-agent, " in log.problem


def test_a_log_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    for text in (CLAUDE_CODE, CODEX):
        log = read_trajectory(text[:-40])
        assert [step.action for step in log.steps][1] == EDIT
        assert LAST not in log.steps[-1].thought


@pytest.mark.thorough
def test_what_is_too_long_is_left_out_or_cut() -> None:
    assert (
        "longer than 32 million characters" in read_trajectory("x" * (MOST_CHARACTERS + 1)).problem
    )
    step = {"action": "a" * 1_000_000, "observation": "o", "thought": "t", "response": ""}
    log = read_trajectory(json.dumps({"trajectory": [step]}))
    assert len(log.steps[0].action) <= FIELD_CHARACTERS + 10
    many = read_trajectory(json.dumps({"trajectory": [{"action": "a"}] * (MOST_STEPS + 9)}))
    assert len(many.steps) == MOST_STEPS


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(
            ("type", "role", "content", "agent", "thought", "action", "args", "kind", "message", "payload",
             "observation", "trajectory", "messages", "history", "tool_calls", "function", "input", "source")
        ),
        inner | st.sampled_from(("assistant", "agent", "user", "message", "ActionEvent", "function_call")),
        max_size=5,
    ),
    max_leaves=20,
)  # fmt: skip


@given(st.lists(_JSON, max_size=4))
def test_any_json_is_read_without_an_error(rows: list[object]) -> None:
    for text in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        log = read_trajectory(text)
        assert bool(log.steps) != bool(log.problem)
