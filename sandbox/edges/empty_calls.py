"""Calls with an empty input, `src/stats.py::average(values=[])`: made on one side, in the project's own
environment."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from sandbox.linters.reading import records
from sandbox.toolchains import layers
from sandbox.values import Environment, Finding, Observation, Severity, Side

DIVIDES_BY_ZERO = "divides-by-zero"
ANSWERS = "answers"
"""It returned, or refused with an error of another kind."""
NOT_TRIED = "not-tried"

_SHOWN = re.compile(
    r"(?P<path>.+)::(?P<name>[\w.]+)\((?P<arguments>[^()]*(?:\(\)[^()]*)*)\)", re.DOTALL
)
_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=128, output_bytes=100_000)
_CHANNEL_BYTES = 1_000_000
_INSIDE = "/opt/assay/edges"
_OUTCOMES = (ANSWERS, DIVIDES_BY_ZERO, NOT_TRIED)


@dataclass(frozen=True, slots=True)
class EmptyCall:
    """What is called, `name` as in `Grades.average`, and the empty literal of each argument."""

    path: str
    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def call(self) -> str:
        """The call as code; a method's object is made without arguments."""
        owner, _, method = self.name.rpartition(".")
        given = ", ".join(f"{name}={literal}" for name, literal in self.arguments)
        return f"{owner}().{method}({given})" if owner else f"{method}({given})"

    def __str__(self) -> str:
        given = ", ".join(f"{name}={literal}" for name, literal in self.arguments)
        return f"{self.path}::{self.name}({given})"


def read_call(text: str) -> EmptyCall | None:
    """Read what `str` wrote; None for anything else."""
    found = _SHOWN.fullmatch(text)
    if found is None:
        return None
    given = (pair.partition("=") for pair in found["arguments"].split(", ") if pair)
    return EmptyCall(
        found["path"], found["name"], tuple((name, literal) for name, _, literal in given)
    )


@dataclass(frozen=True, slots=True)
class EmptyCalls:
    """Calls to make on one side. `named` are their paths there: a file may have been renamed."""

    side: Side
    tree: str
    environment: Environment | None
    calls: tuple[EmptyCall, ...]
    named: tuple[str, ...]


async def try_calls(sandbox: Sandbox, asked: EmptyCalls) -> Observation:
    """Make the calls; a finding says what each did, under its rule and with the call as its message.

    The exit code is 1 when one divided by zero; without any that could be made it proves nothing.
    Raises SandboxError when isolation cannot be had.
    """
    shown = "\n".join(f"python -c '…; {call.call}'  # {call.path}" for call in asked.calls)
    if problem := layers.unbuilt(asked.side, asked.environment):
        return Observation(asked.side, shown, problem=problem)
    wanted = [
        {"path": path, "name": call.name, "arguments": dict(call.arguments)}
        for call, path in zip(asked.calls, asked.named, strict=True)
    ]
    done = await sandbox.run(beside(asked.tree, asked.environment, "call.py", wanted))
    # What was not told of was not tried.
    told = dict.fromkeys(range(len(asked.calls)), (NOT_TRIED, "Nothing was heard of it."))
    for item in records(done.channel):
        if item["outcome"].text in _OUTCOMES and item["number"].number in told:
            told[item["number"].number] = (item["outcome"].text, item["said"].text)
    findings = tuple(
        Finding(told[number][0], Severity.ADVISE, call.path, 0, call.call, side=asked.side)
        for number, call in enumerate(asked.calls)
    )
    output = "\n".join(
        f"{call.call}: {told[number][0]}\n{told[number][1]}".rstrip()
        for number, call in enumerate(asked.calls)
    )
    rules = {finding.rule for finding in findings}
    tried = rules & {ANSWERS, DIVIDES_BY_ZERO}
    return Observation(
        asked.side,
        shown,
        (1 if DIVIDES_BY_ZERO in rules else 0) if tried else None,
        output,
        done.seconds,
        findings=findings,
        problem="" if tried else "None of these calls could be made here.",
    )


def beside(
    tree: str,
    environment: Environment | None,
    program: str,
    asked: object,
    laid: tuple[Mount, ...] = (),
) -> Command:
    """Return a program of `inside` that is asked something in JSON, where it can import a tree's code.

    Files may be `laid` over the tree.
    """
    return Command(
        argv=("python3", f"{_INSIDE}/{program}"),
        mounts=(
            Mount(tree, TREE, MountMode.COPY_ON_WRITE),
            *laid,
            *layers.mounts(environment),
            Mount(str(Path(__file__).parent / "inside"), _INSIDE),
        ),
        environment=environment.variables if environment else (),
        stdin=json.dumps(asked).encode(),
        limits=_LIMITS,
        channel_bytes=_CHANNEL_BYTES,
    )
