"""Runs one item of a test plan: its commands in order in one fresh tree, with simulated input.

The commands come from the plan on the base branch; what they run is the tree under test. Inside, a
driver outside the tree (`sandbox.terminal`) starts each line behind a pseudo-terminal, types when
the program waits, compares the files that were left with the expected ones (which stand outside the
tree, read-only), and answers by the private channel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from sandbox.base import (
    TREE,
    Command,
    Completed,
    Killed,
    Limits,
    Mount,
    MountMode,
    Network,
    Sandbox,
)
from sandbox.terminal.bash import KILLED
from sandbox.terminal.values import CaseRun, FileCheck, FileOutcome, ItemRun
from sandbox.toolchains import layers
from sandbox.values import Environment, Observation, Side

OUTPUT_BYTES = 64 * 1024
_DRIVER = Path(__file__).parent
_DRIVER_TARGET = "/opt/assay/sandbox/terminal"
_EXPECTED_TARGET = "/opt/assay/expected"
_CHANNEL_BYTES = 16 << 20
_TYPED_KEPT = 8000
_SLACK_S = 60.0  # for comparing files and for ending what is left
_KILLED = {Killed.TIMEOUT: "It did not end in time.", **KILLED}
_CONTROL = {"ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+z": "\x1a", "^c": "\x03", "^d": "\x04"}


@dataclass(frozen=True, slots=True)
class TypedCase:
    """One command and the text that is typed into it, line by line; "Ctrl+C" is the key."""

    line: str
    typed: str = ""

    @property
    def key(self) -> str:
        """The control key that the text names, if that is all it names."""
        return _CONTROL.get(self.typed.strip().casefold().replace("-", "+").replace(" ", ""), "")


@dataclass(frozen=True, slots=True)
class WantedFile:
    """An expected file: its name in the plan, where it stands on the host, where to look for it.

    `expected` is None when there is nothing to compare with.
    """

    name: str
    expected: Path | None
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interaction:
    """One item on one side. `watched` are paths of the tree: which of them does the run write?"""

    side: Side
    tree: str
    cases: tuple[TypedCase, ...]
    files: tuple[WantedFile, ...] = ()
    watched: tuple[str, ...] = ()
    environment: Environment | None = None
    case_limit_s: float = 60.0
    limits: Limits = field(default_factory=Limits)
    network: Network = Network.NONE

    @property
    def shown(self) -> str:
        """The commands as a person would type them."""
        return "\n".join(case.line for case in self.cases)


async def interact(sandbox: Sandbox, wanted: Interaction) -> Observation:
    """Carry out one item; a failing, hanging or shouting program is data. Raises SandboxError only."""
    environment = wanted.environment
    problem = layers.unbuilt(wanted.side, environment)
    try:
        "".join(case.line + case.typed for case in wanted.cases).encode()
        is_text = all("\0" not in case.line for case in wanted.cases)
    except UnicodeEncodeError:  # half of a surrogate pair
        is_text = False
    if not problem and not is_text:
        problem = "A command holds characters that no program can be given."
    if problem:
        return Observation(wanted.side, wanted.shown, problem=problem, item=ItemRun())
    compared = [file for file in wanted.files if file.expected is not None]
    expected = (
        Mount(str(file.expected), f"{_EXPECTED_TARGET}/{number}")
        for number, file in enumerate(compared)
    )
    seconds = wanted.case_limit_s * len(wanted.cases) + _SLACK_S
    completed = await sandbox.run(
        Command(
            argv=("/usr/bin/python3", "-I", f"{_DRIVER_TARGET}/drive.py"),
            mounts=(
                Mount(wanted.tree, TREE, MountMode.COPY_ON_WRITE),
                *layers.mounts(environment),
                Mount(str(_DRIVER), _DRIVER_TARGET),
                *expected,
            ),
            environment=environment.variables if environment else (),
            stdin=json.dumps(_orders(wanted, compared)).encode(),
            network=wanted.network,
            limits=replace(wanted.limits, timeout_s=min(wanted.limits.timeout_s, seconds)),
            channel_bytes=_CHANNEL_BYTES,
        )
    )
    return _observed(wanted, completed)


def _orders(wanted: Interaction, compared: list[WantedFile]) -> dict[str, object]:
    return {
        "cases": [
            {
                "line": case.line,
                "typed": "" if case.key else case.typed,
                "pressed": case.key,
                "limit_s": wanted.case_limit_s,
            }
            for case in wanted.cases
        ],
        "files": [
            {
                "expected": f"{_EXPECTED_TARGET}/{number}",
                "name": file.name,
                "candidates": list(file.candidates),
            }
            for number, file in enumerate(compared)
        ],
        "watched": list(wanted.watched),
        "output_bytes": OUTPUT_BYTES,
    }


# --- what came back -----------------------------------------------------------------------------


def _observed(wanted: Interaction, completed: Completed) -> Observation:
    try:
        answer = json.loads(completed.channel)
    except ValueError:  # the driver was killed before it could write one
        answer = None
    if not isinstance(answer, dict):
        why = _KILLED.get(completed.killed) if completed.killed else None
        return Observation(
            side=wanted.side,
            command=wanted.shown,
            exit_code=None,
            output=completed.stderr.decode(errors="replace").strip()[-500:],
            seconds=completed.seconds,
            timed_out=completed.killed is Killed.TIMEOUT,
            problem=why or "What was run ended the driver of the item before it could answer.",
            item=ItemRun(),
        )
    run = _item_run(wanted, answer)
    codes = [case.exit_code for case in run.cases]
    lines = []
    for case in run.cases:
        ended = "did not end in time" if case.exit_code is None else f"exit code {case.exit_code}"
        lines += [f"$ {case.command}", case.output.rstrip("\n"), f"[{ended}]"]
    for file in run.files:
        lines.append(f"[{file.name}: {file.outcome}{': ' if file.detail else ''}{file.detail}]")
    return Observation(
        side=wanted.side,
        command=wanted.shown,
        exit_code=None if None in codes else next((code for code in codes if code), 0),
        output="\n".join(lines),
        seconds=completed.seconds,
        timed_out=None in codes,
        truncated=any(case.truncated for case in run.cases),
        item=run,
    )


def _item_run(wanted: Interaction, answer: Mapping[str, Any]) -> ItemRun:
    cases = tuple(
        CaseRun(
            command=case.line,
            exit_code=seen["exit_code"],
            output=seen["output"],
            seconds=round(seen["seconds"], 3),
            truncated=seen["truncated"],
            asked_for_more=seen["asked_for_more"],
            typed=case.typed[:_TYPED_KEPT],
            typed_at=tuple(seen["typed_at"]),
        )
        for case, seen in zip(wanted.cases, answer["cases"], strict=True)
    )
    files = tuple(
        FileCheck(file["name"], file["actual"], FileOutcome(file["outcome"]), file["detail"])
        for file in answer["files"]
    )
    detail = "the base branch has no such file to compare with"
    without_reference = (
        FileCheck(file.name, "", FileOutcome.UNDECIDED, detail)
        for file in wanted.files
        if file.expected is None
    )
    return ItemRun(cases, (*files, *without_reference), tuple(answer["made"]))


# --- where a program may have put the file that a test plan expects --------------------------------
# PRDBench's plans name the reference (`evaluation/expected_outputs/path.txt`); where the program's
# own file goes stands in the command, in what is typed, or in the prose, or follows from the
# reference's name.


_PATH = re.compile(r"(?<![\w./-])(?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,5}(?![\w/])")
_ABBREVIATIONS = {"e.g", "i.e"}
_MARK = re.compile(r"(?i)(?:^|(?<=[_\-. ]))(?:expected|reference|golden)(?:$|[_\-. ]+)")


def named_paths(texts: Iterable[str]) -> tuple[str, ...]:
    """Return everything in the texts that reads as a relative path of a file, in order, each once."""
    found = (match.group() for text in texts for match in _PATH.finditer(text))
    paths = (_normalised(path) for path in found if not path.startswith(".."))
    return tuple(dict.fromkeys(path for path in paths if path.lower() not in _ABBREVIATIONS))


def candidates(expected: str, named: Iterable[str], folder: str = "") -> tuple[str, ...]:
    """Return the paths where a program may have written what is compared with `expected`, best first.

    `named` are the paths that the item names besides its inputs, `folder` where its command runs.
    """
    reference = PurePosixPath(_normalised(expected))
    own_name = _MARK.sub("", reference.name) or reference.name
    alike = [path for path in named if _suffix(path) == _suffix(reference.name)]
    same_name = [path for path in alike if PurePosixPath(path).name == own_name]
    parts = [_MARK.sub("", part) for part in reference.parent.parts]
    unmarked = "/".join(part for part in parts if part)
    folders = (unmarked, str(reference.parent), folder or ".", ".", "src")
    guesses = [f"{where}/{own_name}" for where in folders]
    others = alike if len(alike) == 1 else []
    found = [_normalised(path) for path in (*same_name, *guesses, *others)]
    return tuple(dict.fromkeys(path for path in found if path != str(reference)))


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _normalised(path: str) -> str:
    steps = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    return "/".join(steps)
