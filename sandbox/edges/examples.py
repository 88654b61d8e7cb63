"""Runs what a task shows on one side: code of Python and JavaScript, and commands of the project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from sandbox.base import TREE, Completed, Mount, Sandbox
from sandbox.edges.empty_calls import NOT_TRIED, beside
from sandbox.linters.reading import records
from sandbox.values import Environment

_CHANNEL_BYTES = 2_000_000
_MOST_ERRORS = 20
_MOST_SOURCES = 5_000
VALUE, RAISED, PRINTED = "value", "raised", "printed"


class ExampleProgram(StrEnum):
    """The program that runs examples of one language."""

    PYTHON = "example.py"
    JAVASCRIPT = "example.cjs"
    COMMANDS = "command.py"


@dataclass(frozen=True, slots=True)
class ExampleResult:
    """What an example did: `outcome` is value, raised, printed or not-tried; `literal` is a value of plain
    data as code, `errors` the class of what was raised and its bases, `message` what that says, `said` any of
    it for people."""

    outcome: str
    said: str
    literal: str = ""
    errors: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class ShownCode:
    """An expression and the statements before it; for a command its words and what it reads.

    A command's `before` are others' words, or `cat` with a file's name and what it holds.
    """

    code: str = ""
    before: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()
    stdin: str = ""
    before_it: tuple[ShownCode, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownCalls:
    """What to run on one side. `sources` are its own modules; of two that define a name, one of `changed`
    counts. Files may be `laid` over its tree."""

    tree: str
    environment: Environment | None
    program: ExampleProgram
    calls: tuple[ShownCode, ...]
    changed: tuple[str, ...]
    sources: tuple[str, ...] = ()
    laid: tuple[Mount, ...] = ()


async def make_calls(
    sandbox: Sandbox, asked: ShownCalls
) -> tuple[tuple[ExampleResult, ...], Completed]:
    """Return what each example did, and the run as a whole. Raises SandboxError."""
    orders = {
        "changed": asked.changed,
        "sources": asked.sources[:_MOST_SOURCES],
        "calls": [_order(one) for one in asked.calls],
    }
    command = beside(asked.tree, asked.environment, asked.program.value, orders, asked.laid)
    if asked.program is not ExampleProgram.PYTHON:
        start = ("node",) if asked.program is ExampleProgram.JAVASCRIPT else ("python3", "-I", "-S")
        root = asked.environment.recipe.root if asked.environment else ""
        command = replace(
            command, argv=(*start, command.argv[-1]), cwd=f"{TREE}/{root}".rstrip("/")
        )
    done = await sandbox.run(replace(command, channel_bytes=_CHANNEL_BYTES))
    # Of what it says twice the first counts.
    told: dict[int, ExampleResult] = {}
    for item in records(done.channel):
        if item["outcome"].text in (VALUE, RAISED, PRINTED, NOT_TRIED):
            errors = tuple(one.text for one in islice(item["errors"], _MOST_ERRORS))
            outcome, said, literal = (item[key].text for key in ("outcome", "said", "literal"))
            shown = ExampleResult(outcome, said, literal, errors, item["message"].text)
            told.setdefault(item["number"].number, shown)
    unheard = ExampleResult(NOT_TRIED, "nothing was heard of it")
    return tuple(told.get(number, unheard) for number in range(len(asked.calls))), done


def defining(done: Completed, tree_paths: Collection[str]) -> tuple[str, ...]:
    """Return which modules were found to define what the calls name; only Python's are told."""
    told = (one["defined"].text for one in records(done.channel))
    return tuple(dict.fromkeys(path for path in told if path in tree_paths))


def _order(one: ShownCode) -> dict[str, object]:
    return {
        "code": one.code,
        "before": [_order(other) for other in one.before_it] if one.argv else one.before,
        "argv": one.argv,
        "stdin": one.stdin,
    }
