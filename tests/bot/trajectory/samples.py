"""One small log in each format, written from its documentation; all tell the same work.

Sources: DevAI, the schema of Agent-as-a-Judge's trajectories; SWE-agent,
https://swe-agent.com/latest/usage/trajectories/; mini-swe-agent, https://mini-swe-agent.com/latest/usage/output_files/
(messages, and `extra.actions` with tool calls since version 2); OpenHands, openhands/events/serialization,
and the SDK: https://docs.openhands.dev/sdk/api-reference/openhands.sdk.event; Claude Code,
https://docs.claude.com/en/docs/claude-code/sdk/sdk-sessions; Codex, codex-rs/protocol/src/models.rs
(`ResponseItem`) in the lines of a rollout.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

LOOK, LOOKED = "cat greeting.py", "def greet(name):\n    return 'hello'"
EDIT, EDITED = "sed -i 's/hello/good day/' /testbed/greeting.py", "done"
FIRST, SECOND = "Let me read the code.", "Now I edit it."
LAST = "Greets by name now. All tests pass."


def _lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _devai_step(number: int, thought: str, action: str | None, seen: str | None) -> object:
    return {
        "step": number,
        "user_message": None,
        "agent": {"thought": thought, "action": action, "agent_name": "a"},
        "environment": seen,
        "step_usage": {"input_tokens": 1, "output_tokens": 1, "model": "m", "cost": 0.1},
        "accumulated_usage": {"accumulated_cost": 0.1, "accumulated_time": 1},
    }


DEVAI = json.dumps(
    [
        _devai_step(0, FIRST, LOOK, LOOKED),
        _devai_step(1, SECOND, EDIT, EDITED),
        _devai_step(2, LAST, None, None),
    ]
)


def _swe_step(thought: str, action: str, seen: str) -> object:
    return {
        "action": action + "\n",
        "observation": seen,
        "response": f"{thought}\n```\n{action}\n```",
        "state": {"working_dir": "/testbed"},
        "thought": thought,
        "query": [{"role": "system", "content": "You are a helpful assistant"}],
    }


SWE_AGENT = json.dumps(
    {
        "environment": "main",
        "trajectory": [
            _swe_step(FIRST, LOOK, LOOKED),
            _swe_step(SECOND, EDIT, EDITED),
            _swe_step(LAST, "submit", ""),
        ],
        "history": [{"role": "system", "content": "You are …", "agent": "main"}],
        "info": {"exit_status": "submitted", "submission": "diff --git …"},
    }
)


def _fenced(thought: str, action: str) -> str:
    return f"THOUGHT: {thought}\n\n```bash\n{action}\n```"


MINI_SWE_AGENT = json.dumps(
    {
        "info": {"exit_status": "Submitted", "mini_version": "1.9.0"},
        "messages": [
            {"role": "system", "content": "You are a helpful assistant"},
            {"role": "user", "content": "Please solve this issue. All tests pass."},
            {"role": "assistant", "content": _fenced(FIRST, LOOK)},
            {"role": "user", "content": f"<returncode>0</returncode><output>{LOOKED}</output>"},
            {"role": "assistant", "content": _fenced(SECOND, EDIT)},
            {"role": "user", "content": f"<returncode>0</returncode><output>{EDITED}</output>"},
            {"role": "assistant", "content": LAST},
        ],
        "trajectory_format": "mini-swe-agent-1",
    }
)
MINI_SWE_AGENT_2 = json.dumps(
    {
        "trajectory_format": "mini-swe-agent-1.1",
        "messages": [
            {"role": "user", "content": "Please solve this issue."},
            {
                "role": "assistant",
                "content": FIRST,
                "tool_calls": [
                    {"id": "c1", "type": "function",
                     "function": {"name": "bash", "arguments": json.dumps({"command": LOOK})}}
                ],
                "extra": {"actions": [{"command": LOOK}]},
            },
            {"role": "tool", "tool_call_id": "c1", "content": LOOKED},
            {"role": "assistant", "content": [{"type": "text", "text": SECOND}],
             "extra": {"actions": [{"command": EDIT}]}},
            {"role": "tool", "content": EDITED},
            {"role": "assistant", "content": LAST},
        ],
    }
)  # fmt: skip

OPENHANDS = json.dumps(
    [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Please do. All tests pass."}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": LOOK, "thought": FIRST}},
        {"id": 2, "source": "agent", "cause": 1, "observation": "run", "content": LOOKED,
         "extras": {"command": LOOK, "metadata": {"exit_code": 0}}},
        {"id": 3, "source": "agent", "action": "run", "args": {"command": EDIT, "thought": SECOND}},
        {"id": 4, "source": "agent", "cause": 3, "observation": "run", "content": EDITED, "extras": {}},
        {"id": 5, "source": "environment", "observation": "agent_state_changed", "content": "",
         "extras": {"agent_state": "finished"}},
        {"id": 6, "source": "agent", "action": "finish", "args": {"final_thought": LAST, "outputs": {}}},
    ]
)  # fmt: skip
OPENHANDS_OUTPUT = json.dumps({"instance_id": "x", "history": json.loads(OPENHANDS)}) + "\n"
OPENHANDS_SDK = _lines(
    [
        {"kind": "MessageEvent", "source": "user",
         "llm_message": {"role": "user", "content": [{"type": "text", "text": "Please do."}]}},
        {"kind": "ActionEvent", "source": "agent", "thought": [{"type": "text", "text": FIRST}],
         "tool_name": "execute_bash", "tool_call_id": "c1",
         "action": {"kind": "ExecuteBashAction", "command": LOOK}},
        {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "c1",
         "observation": {"kind": "ExecuteBashObservation", "content": [{"type": "text", "text": LOOKED}]}},
        {"kind": "ActionEvent", "source": "agent", "thought": [{"type": "text", "text": SECOND}],
         "tool_name": "execute_bash", "tool_call_id": "c2",
         "action": {"kind": "ExecuteBashAction", "command": EDIT}},
        {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "c2",
         "observation": {"output": EDITED}},
        {"kind": "MessageEvent", "source": "agent",
         "llm_message": {"role": "assistant", "content": [{"type": "text", "text": LAST}]}},
    ]
)  # fmt: skip


def _claude(role: str, *blocks: object) -> object:
    return {
        "parentUuid": None,
        "sessionId": "s",
        "cwd": "/testbed",
        "type": role,
        "uuid": "u",
        "timestamp": "2026-01-01T10:00:00Z",
        "message": {"role": role, "content": list(blocks)},
    }


def _use(call: str, command: str) -> object:
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}


CLAUDE_CODE = _lines(
    [
        {"type": "summary", "summary": "Greet by name", "leafUuid": "u"},
        {"type": "user", "message": {"role": "user", "content": "Please do. All tests pass."}},
        _claude("assistant", {"type": "thinking", "thinking": "…"}),
        _claude("assistant", {"type": "text", "text": FIRST}),
        _claude("assistant", _use("t1", LOOK)),
        _claude("user", {"type": "tool_result", "tool_use_id": "t1", "content": LOOKED}),
        _claude("assistant", {"type": "text", "text": SECOND}, _use("t2", EDIT)),
        _claude("user", {"type": "tool_result", "tool_use_id": "t2",
                         "content": [{"type": "text", "text": EDITED}]}),
        _claude("assistant", {"type": "text", "text": LAST}),
    ]
)  # fmt: skip


def _codex(**payload: object) -> object:
    return {"timestamp": "2026-01-01T10:00:00Z", "type": "response_item", "payload": payload}


CODEX = _lines(
    [
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "x", "cwd": "/testbed"}},
        _codex(type="message", role="user", content=[{"type": "input_text", "text": "Please do."}]),
        _codex(type="reasoning", summary=[], encrypted_content="…"),
        _codex(type="message", role="assistant", content=[{"type": "output_text", "text": FIRST}]),
        _codex(type="function_call", name="shell", call_id="c1",
               arguments=json.dumps({"command": ["bash", "-lc", LOOK]})),
        _codex(type="function_call_output", call_id="c1", output=json.dumps({"output": LOOKED})),
        {"timestamp": "t", "type": "event_msg", "payload": {"type": "agent_message", "message": SECOND}},
        _codex(type="message", role="assistant", content=[{"type": "output_text", "text": SECOND}]),
        _codex(type="function_call", name="exec_command", call_id="c2", arguments=json.dumps({"cmd": EDIT})),
        _codex(type="function_call_output", call_id="c2", output=EDITED),
        _codex(type="message", role="assistant", content=[{"type": "output_text", "text": LAST}]),
    ]
)  # fmt: skip

SAMPLES = {
    "devai": ("DevAI", DEVAI),
    "swe-agent": ("SWE-agent", SWE_AGENT),
    "mini": ("mini-swe-agent", MINI_SWE_AGENT),
    "mini-2": ("mini-swe-agent", MINI_SWE_AGENT_2),
    "openhands": ("OpenHands", OPENHANDS),
    "openhands-output": ("OpenHands", OPENHANDS_OUTPUT),
    "openhands-sdk": ("OpenHands", OPENHANDS_SDK),
    "claude-code": ("Claude Code", CLAUDE_CODE),
    "codex": ("Codex", CODEX),
}
