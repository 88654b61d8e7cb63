"""Has source files parsed inside the sandbox; a file that kills its worker costs only itself."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Killed, Limits, Mount, Sandbox
from sandbox.code_map.facts import Facts
from sandbox.code_map.inventory import Listed
from sandbox.code_map.languages import PACKAGES
from sandbox.code_map.reading import Told, read_told
from sandbox.concurrently import concurrently
from sandbox.linters.programs import PYTHON_VARIABLES, packages
from sandbox.repository.names import raw_name

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


def _why(completed: Completed, told: Told, files: list[Listed]) -> str:
    at = f" at {files[told.begun].path}" if told.begun >= 0 else ""
    if completed.killed:
        return f"The parser was stopped{at}: it used too much {_USED[completed.killed]}."
    lines = completed.stderr[-2_000:].decode(errors="replace").strip().splitlines()
    return f"The parser ended{at}: {(lines or ['no reason given'])[-1][:200]}"


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
