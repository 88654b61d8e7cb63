"""Has source files parsed inside the sandbox; a file that kills its worker costs only itself."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Killed, Limits, Mount, Sandbox
from sandbox.code_map.facts import Definition, Facts
from sandbox.code_map.inventory import PACKAGES, Listed
from sandbox.concurrently import concurrently
from sandbox.linters.programs import PYTHON_VARIABLES, packages
from sandbox.repository.names import raw_name
from sandbox.streams import last_line

_KINDS = frozenset(("function", "method", "class", "type", "constant", "macro", "module"))
_NAME_CHARACTERS, _LINES = 120, 1_000_000
_MOST = 8_000  # of anything in one file


@dataclass(slots=True)
class ParserRecords:
    """What one run told: facts by the file's number, files that took too long, the last one begun."""

    facts: dict[int, Facts] = field(default_factory=dict)
    gave_up: set[int] = field(default_factory=set)
    begun: int = -1


def read_told(channel: bytes, files: int) -> ParserRecords:
    """Read the lines of a worker that was given so many files; a line of another shape is skipped."""
    told = ParserRecords()
    for record in _records(channel):
        number = record[0] if record else None
        if type(number) is not int or not 0 <= number < files:
            continue
        told.begun = max(told.begun, number)
        if len(record) == 2:
            told.gave_up.add(number)
        elif len(record) == 4 and number not in told.facts:
            facts = read_facts(record[1:])
            if facts:
                told.facts[number] = facts
    return told


def _records(channel: bytes) -> Iterator[list[object]]:
    for line in channel.split(b"\n"):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, list):
            yield record


def read_facts(record: object) -> Facts | None:
    """Check [definitions, uses, imports] piece by piece; None when it is something else."""
    if not (isinstance(record, list) and len(record) == 3):
        return None
    definitions, uses, imports = record
    if not (isinstance(definitions, list) and isinstance(uses, dict) and isinstance(imports, dict)):
        return None
    found = (_definition(one) for one in definitions[:_MOST])
    return Facts(tuple(one for one in found if one), _lines_by_name(uses), _lines_by_name(imports))


def _definition(value: object) -> Definition | None:
    if not (isinstance(value, list) and len(value) == 4):
        return None
    name, kind, line, end_line = value
    if not (_is_name(name) and kind in _KINDS and _is_line(line) and _is_line(end_line)):
        return None
    return Definition(name, kind, line, max(line, end_line))


def _lines_by_name(value: dict[object, object]) -> dict[str, tuple[int, ...]]:
    kept: dict[str, tuple[int, ...]] = {}
    for name, lines in list(value.items())[:_MOST]:
        if isinstance(name, str) and _is_name(name) and isinstance(lines, list):
            kept[name] = tuple(line for line in lines[:_MOST] if _is_line(line))
    return kept


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _NAME_CHARACTERS


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= _LINES


def plain(facts: Facts) -> list[object]:
    """The inverse of `read_facts`: what is kept."""
    definitions = [[d.name, d.kind, d.line, d.end_line] for d in facts.definitions]
    return [definitions, dict(facts.uses), dict(facts.imports)]


_HOME = "/opt/assay/graph"
_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=16, output_bytes=20_000)
_CHANNEL_BYTES = 200_000_000
_RESTARTS = 5
_WORTH_A_WORKER = 300  # files


@dataclass(slots=True)
class Parsed:
    """Facts by path; `problems` are one sentence each."""

    facts: dict[str, Facts] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


async def parse(sandbox: Sandbox, tree: Path, files: list[Listed]) -> Parsed:
    """Parse files of one tree. Raises SandboxError when isolation cannot be had."""
    if not files:
        return Parsed()
    workers = max(1, min(os.cpu_count() or 1, 4, len(files) // _WORTH_A_WORKER))
    shares = (files[number::workers] for number in range(workers))
    done = await concurrently(*(_parse(sandbox, tree, share) for share in shares))
    whole = Parsed()
    for one in done:
        whole.facts |= one.facts
        whole.problems += one.problems
    return whole


async def _parse(sandbox: Sandbox, tree: Path, files: list[Listed]) -> Parsed:
    """Start a worker, and another one behind the file that ended the last one."""
    parsed, left = Parsed(), files
    for _ in range(_RESTARTS):
        completed = await sandbox.run(_command(tree, left))
        told = read_told(completed.channel, len(left))
        parsed.facts |= {left[number].path: facts for number, facts in told.facts.items()}
        parsed.problems += [f"{left[n].path} takes too long to parse." for n in told.gave_up]
        if completed.exit_code == 0:
            return parsed
        parsed.problems.append(_why(completed, told, left))
        if told.begun < 0 or completed.killed in (Killed.TIMEOUT, Killed.CHANNEL):
            left = left[told.begun + 1 :] if told.begun >= 0 else left
            break
        left = left[told.begun + 1 :]
        if not left:
            return parsed
    parsed.problems.append(f"{len(left)} source files were not parsed.")
    return parsed


def _why(completed: Completed, told: ParserRecords, files: list[Listed]) -> str:
    at = f" at {files[told.begun].path}" if told.begun >= 0 else ""
    if completed.killed:
        return f"The parser was stopped{at}: it used too much {_USED[completed.killed]}."
    return f"The parser ended{at}: {last_line(completed.stderr)}"


_USED = {
    Killed.TIMEOUT: "time",
    Killed.MEMORY: "memory",
    Killed.DISK: "disk",
    Killed.ENTRIES: "room for its files",
    Killed.CHANNEL: "room for its result",
}


def _command(tree: Path, files: list[Listed]) -> Command:
    named = [(os.fsdecode(raw_name(one.path)), one.language) for one in files]
    return Command(
        argv=("/usr/bin/python3", "-P", "-s", f"{_HOME}/parse.py"),
        mounts=(
            Mount(str(tree), TREE),
            Mount(str(Path(__file__).parent / "inside"), _HOME),
            *_grammars(),
        ),
        environment=PYTHON_VARIABLES,
        stdin=json.dumps(named).encode(),
        limits=_LIMITS,
        channel_bytes=_CHANNEL_BYTES,
    )


@lru_cache(maxsize=1)
def _grammars() -> tuple[Mount, ...]:
    found = {mount.target: mount for name in PACKAGES for mount in packages(name)}
    return tuple(found.values())
