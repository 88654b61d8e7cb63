"""Makes the calls that a task shows on one side, in the project's own environment."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Limits, Mount, MountMode, Sandbox
from sandbox.environments import layers
from sandbox.linters.reading import Node
from sandbox.models import Environment, Side

_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=128, output_bytes=100_000)
_CHANNEL_BYTES = 2_000_000
_INSIDE = "/opt/assay/edges"
_MOST_ERRORS = 20
VALUE, RAISED, NOT_TRIED = "value", "raised", "not-tried"


@dataclass(frozen=True, slots=True)
class Shown:
    """What a call did: `outcome` is value, raised or not-tried; `literal` is a value of plain data as code,
    `errors` the class of what was raised and its bases, `said` any of it for people."""

    outcome: str
    said: str
    literal: str = ""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownCalls:
    """Calls to make on one side; of two files that define a name, one of `changed` counts."""

    side: Side
    tree: str
    environment: Environment
    calls: tuple[str, ...]
    changed: tuple[str, ...]


async def make_calls(sandbox: Sandbox, asked: ShownCalls) -> tuple[tuple[Shown, ...], Completed]:
    """Return what each call did, and the run as a whole. Raises SandboxError."""
    done = await sandbox.run(
        Command(
            argv=("python3", f"{_INSIDE}/example.py"),
            mounts=(
                Mount(asked.tree, TREE, MountMode.COPY_ON_WRITE),
                *layers.mounts(asked.environment),
                Mount(str(Path(__file__).parent / "inside"), _INSIDE),
            ),
            environment=asked.environment.variables,
            stdin=json.dumps({"changed": asked.changed, "calls": asked.calls}).encode(),
            limits=_LIMITS,
            channel_bytes=_CHANNEL_BYTES,
        )
    )
    return _read(done, len(asked.calls)), done


def _read(done: Completed, count: int) -> tuple[Shown, ...]:
    """Read the program's lines; of what it says twice the first counts."""
    told: dict[int, Shown] = {}
    for line in done.channel.splitlines():
        try:
            item = Node(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if item["outcome"].text in (VALUE, RAISED, NOT_TRIED):
            errors = tuple(one.text for one in islice(item["errors"], _MOST_ERRORS))
            shown = Shown(item["outcome"].text, item["said"].text, item["literal"].text, errors)
            told.setdefault(item["number"].number, shown)
    return tuple(
        told.get(number, Shown(NOT_TRIED, "nothing was heard of it")) for number in range(count)
    )
