"""Reads agents' logs tolerantly: whatever part has another shape is left out, and never an error.

The formats, as documented or as their programs write them:

    DevAI             a list of steps (Agent-as-a-Judge, appendix on trajectories)
    SWE-agent         `.traj`: https://swe-agent.com/latest/usage/trajectories/
    mini-swe-agent    `.traj.json`: https://mini-swe-agent.com/latest/usage/output_files/
    OpenHands         a list of events (openhands/events/serialization), or the SDK's (`kind`:
                      https://docs.openhands.dev/sdk/api-reference/openhands.sdk.event)
    Claude Code       a session's JSON lines: https://docs.claude.com/en/docs/claude-code/sdk/sdk-sessions
    Codex             a rollout's JSON lines (openai/codex: codex-rs/protocol/src/models.rs)
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from bot.text.json_reading import Payload
from bot.values import Trajectory, TrajectoryStep

MOST_CHARACTERS = 32_000_000
MOST_STEPS = 20_000
MOST_ROWS = 100_000
_MOST_BROKEN = 10_000
FIELD_CHARACTERS = 60_000
"""Kept of one text: its beginning, and as much of its end."""


class _Kind(Enum):
    SAYS = "says"
    DOES = "does"
    SEES = "sees"


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that an agent said, did or saw; `call` ties what it saw to what it did."""

    kind: _Kind
    text: str
    call: str = ""


Rows = tuple[Payload, ...]
Events = Iterator[_Event]


def read_trajectory(text: str) -> Trajectory:
    """Return the steps of a log in any of the formats; `problem` says why there are none."""
    if len(text) > MOST_CHARACTERS:
        most = f"{MOST_CHARACTERS // 1_000_000} million characters"
        return Trajectory("", problem=f"It is longer than {most}, and was not read.")
    found: Trajectory | None = None
    for name, rows, read in _readings(text):
        steps = _steps(read(rows))
        if steps and (found is None or len(steps) > len(found.steps)):
            found = Trajectory(name, steps)
    formats = "DevAI, SWE-agent, mini-swe-agent, OpenHands, Claude Code and Codex"
    return found or Trajectory("", problem=f"It is in none of the formats of {formats}.")


def _readings(text: str) -> Iterator[tuple[str, Rows, Callable[[Rows], Events]]]:
    """Every format that the outermost shape admits, with its rows."""
    try:
        whole = Payload.parse(text)
    except ValueError:
        yield from _of_rows(_lines(text))
        return
    yield from _of_rows(_rows(whole) or (whole,))
    yield "SWE-agent", _rows(whole.at("trajectory")), _swe_agent
    yield "mini-swe-agent", _rows(whole.at("messages")), _messages
    yield "OpenHands", _rows(whole.at("history")) or _rows(whole.at("events")), _openhands


def _rows(given: Payload) -> Rows:
    """The last elements of a list."""
    value = given.value
    return Payload(value[-MOST_ROWS:]).items() if isinstance(value, list) else ()


def _of_rows(rows: Rows) -> Iterator[tuple[str, Rows, Callable[[Rows], Events]]]:
    yield "DevAI", rows, _devai
    yield "OpenHands", rows, _openhands
    yield "Claude Code", rows, _claude_code
    yield "Codex", rows, _codex
    yield "mini-swe-agent", rows, _messages


def _lines(text: str) -> Rows:
    """The last JSON lines; one that is cut or broken is left out."""
    rows: list[Payload] = []
    broken = 0
    for line in text.split("\n")[-MOST_ROWS:]:
        if not line.startswith("{"):
            continue
        try:
            rows.append(Payload.parse(line))
        except ValueError:
            broken += 1
            if broken > _MOST_BROKEN:
                return ()
    return tuple(rows)


def _steps(events: Events) -> tuple[TrajectoryStep, ...]:
    """Group what was said, done and seen into steps: each has one action at most."""
    rows: list[tuple[list[str], list[str], list[str]]] = []
    calls: dict[str, int] = {}
    for event in events:
        if event.kind is _Kind.SEES:
            at = calls.get(event.call, len(rows) - 1) if event.call else len(rows) - 1
            if at >= 0:
                rows[at][2].append(event.text)
            continue
        if not rows or rows[-1][1] or rows[-1][2]:
            if len(rows) == MOST_STEPS:
                break
            rows.append(([], [], []))
        rows[-1][event.kind is _Kind.DOES].append(event.text)
        if event.call:
            calls[event.call] = len(rows) - 1
    half = FIELD_CHARACTERS // 2
    found: list[TrajectoryStep] = []
    for number, row in enumerate(rows, 1):
        whole = ["\n".join(filter(None, part)) for part in row]
        texts = [
            one if len(one) <= FIELD_CHARACTERS else f"{one[:half]}\n…\n{one[-half:]}"
            for one in whole
        ]
        if any(texts):
            found.append(TrajectoryStep(number, *texts))
    return tuple(found)


# --- the formats ----------------------------------------------------------------------------


def _devai(rows: Rows) -> Events:
    for row in rows:
        if row.has("agent", "thought") or row.has("agent", "action"):
            yield _says(_text(row.at("agent", "thought")))
            yield _Event(_Kind.DOES, _text(row.at("agent", "action")))
            yield _sees(_text(row.at("environment")))


def _swe_agent(rows: Rows) -> Events:
    for row in rows:
        if row.has("action") or row.has("response"):
            yield _says(row.text("thought") or row.text("response"))
            yield _Event(_Kind.DOES, row.text("action"))
            yield _sees(row.text("observation"))


def _messages(rows: Rows) -> Events:
    """Chat messages; what comes before the agent's first word is the task."""
    has_begun = False
    for row in rows:
        role, said = row.text("role"), _text(row.at("content"))
        if has_begun and role in ("user", "tool"):
            yield _sees(said, row.text("tool_call_id"))
        if role != "assistant":
            continue
        has_begun = True
        calls = row.items("tool_calls")
        done = [one.text("command") for one in row.items("extra", "actions")]
        if not calls and not any(done):
            # the first block of code is the command; its first line names the language
            before, mark, rest = said.partition("```")
            if mark:
                block, _, after = rest.partition("```")
                said, done = f"{before}{after}".strip(), [block.partition("\n")[2].strip()]
        yield _says(said)
        for call in calls:
            name, given = call.text("function", "name"), call.at("function", "arguments")
            yield _Event(_Kind.DOES, _called(name, given), call.text("id"))
        if not calls:
            yield from (_Event(_Kind.DOES, one) for one in done if one)


_NOT_DONE = ("message", "finish", "think", "system", "recall", "change_agent_state", "null")


def _openhands(rows: Rows) -> Events:
    for row in rows:
        kind, call = row.text("kind"), row.text("tool_call_id")
        if kind == "ActionEvent":
            yield _says(_text(row.at("thought")))
            yield _Event(_Kind.DOES, _called(row.text("tool_name"), row.at("action")), call)
        elif kind == "ObservationEvent":
            seen = row.at("observation")
            yield _sees(_text(seen.at("content")) or _text(seen.at("output")), call)
        elif kind.endswith("Event"):
            if kind == "MessageEvent" and row.text("source") == "agent":
                yield _says(_text(row.at("llm_message", "content")))
        elif row.has("observation") and row.has("content"):
            if row.text("observation") not in ("agent_state_changed", "null", "recall"):
                yield _sees(row.text("content"), _text(row.at("cause")))
        elif row.has("args") and row.text("source") == "agent":
            action, given = row.text("action"), row.at("args")
            yield _says(given.text("thought") or given.text("final_thought"))
            if action in ("message", "finish"):
                yield _says(given.text("content") or _text(given.at("outputs", "content")))
            elif action and action not in _NOT_DONE:
                yield _Event(_Kind.DOES, _called(action, given), _text(row.at("id")))


def _claude_code(rows: Rows) -> Events:
    for row in rows:
        said = row.at("message", "content")
        if row.text("type") == "assistant":
            if isinstance(said.value, str):
                yield _says(said.value)
            for block in said.items():
                if block.text("type") == "text":
                    yield _says(block.text("text"))
                elif block.text("type") == "tool_use":
                    done = _called(block.text("name"), block.at("input"))
                    yield _Event(_Kind.DOES, done, block.text("id"))
        elif row.text("type") == "user":
            for block in said.items():
                if block.text("type") == "tool_result":
                    yield _sees(_text(block.at("content")), block.text("tool_use_id"))


def _codex(rows: Rows) -> Events:
    for row in rows:
        item = row.at("payload") if row.text("type") == "response_item" else row
        kind, call = item.text("type"), item.text("call_id")
        if kind == "message" and item.text("role") == "assistant":
            yield _says(_text(item.at("content")))
        elif kind == "function_call":
            yield _Event(_Kind.DOES, _called(item.text("name"), item.at("arguments")), call)
        elif kind == "custom_tool_call":
            yield _Event(_Kind.DOES, f"{item.text('name')} {_text(item.at('input'))}", call)
        elif kind == "local_shell_call":
            yield _Event(_Kind.DOES, _called("shell", item.at("action")), call)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            given = _opened(item.at("output"))  # some are JSON texts with the output inside
            yield _sees(given.text("output") or _text(given.at("content")) or _text(given), call)


# --- parts ----------------------------------------------------------------------------------


def _says(text: str) -> _Event:
    return _Event(_Kind.SAYS, text)


def _sees(text: str, call: str = "") -> _Event:
    return _Event(_Kind.SEES, text, call)


def _called(name: str, given: Payload) -> str:
    """A tool's call: the command alone where it has one, else its name with what it was given."""
    given = _opened(given)
    for key in ("command", "cmd"):
        value = given.at(key).value
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return " ".join(value)
        if (
            isinstance(value, str) and value and not given.has("path")
        ):  # an editor's command is a verb
            return value
    hidden = ("thought", "kind")
    members = given.value.items() if isinstance(given.value, dict) else ()
    told = {key: value for key, value in members if value is not None and key not in hidden}
    return f"{name} {_text(Payload(told)) if told else _text(given)}".strip()


def _opened(given: Payload) -> Payload:
    """The object that a text holds as JSON; anything else as it is."""
    if not isinstance(given.value, str) or not given.value.startswith("{"):
        return given
    try:
        return Payload.parse(given.value)
    except ValueError:
        return given


def _text(given: Payload) -> str:
    """A text, the texts of a list of blocks, or JSON."""
    value = given.value
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list):
        parts = (one if isinstance(one, str) else Payload(one).text("text") for one in value)
        return "\n".join(filter(None, parts))
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""


# --- an agent's log in a ZIP archive that anybody may have made ------------------------------------


_ENDINGS = (".json", ".jsonl", ".ndjson", ".traj")
_MOST_ENTRIES = 1_000
_MOST_RATIO = 500
"""A log is text that repeats itself, but not as often as a bomb."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)
"""RuntimeError is of encrypted entries; OSError and ValueError are of offsets that lead nowhere."""


def log_in_archive(data: bytes) -> str:
    """Return the largest log's text; "" where there is none that can be read within the limits.

    Nothing is written to disk, and no name of an entry is used for anything.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            logs = [
                one
                for one in entries[:_MOST_ENTRIES]
                if one.filename.lower().endswith(_ENDINGS)
                and one.compress_type in _METHODS
                and 0 < one.file_size <= MOST_CHARACTERS
                and one.file_size <= _MOST_RATIO * max(one.compress_size, 1)
            ]
            largest = max(logs, key=lambda one: one.file_size, default=None)
            if largest is None:
                return ""
            with archive.open(largest) as opened:
                # What an entry says of its size may be a lie: reading ends here in any case.
                text = opened.read(MOST_CHARACTERS + 1)
    except _BROKEN:
        return ""
    return text.decode(errors="replace") if len(text) <= MOST_CHARACTERS else ""
