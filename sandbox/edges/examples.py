"""Makes the calls that a task shows on one side, in the project's own environment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

from sandbox.base import Completed, Sandbox
from sandbox.edges.calls import NOT_TRIED
from sandbox.edges.trial import beside
from sandbox.linters.reading import records
from sandbox.values import Environment

_CHANNEL_BYTES = 2_000_000
_MOST_ERRORS = 20
VALUE, RAISED = "value", "raised"


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

    tree: str
    environment: Environment | None
    calls: tuple[str, ...]
    changed: tuple[str, ...]


async def make_calls(sandbox: Sandbox, asked: ShownCalls) -> tuple[tuple[Shown, ...], Completed]:
    """Return what each call did, and the run as a whole. Raises SandboxError."""
    orders = {"changed": asked.changed, "calls": asked.calls}
    command = beside(asked.tree, asked.environment, "example.py", orders)
    done = await sandbox.run(replace(command, channel_bytes=_CHANNEL_BYTES))
    return _read(done, len(asked.calls)), done


def _read(done: Completed, count: int) -> tuple[Shown, ...]:
    """Read the program's lines; of what it says twice the first counts."""
    told: dict[int, Shown] = {}
    for item in records(done.channel):
        if item["outcome"].text in (VALUE, RAISED, NOT_TRIED):
            errors = tuple(one.text for one in islice(item["errors"], _MOST_ERRORS))
            shown = Shown(item["outcome"].text, item["said"].text, item["literal"].text, errors)
            told.setdefault(item["number"].number, shown)
    return tuple(
        told.get(number, Shown(NOT_TRIED, "nothing was heard of it")) for number in range(count)
    )
