"""Searches a tree for a text or a pattern, inside the sandbox: no pattern can hold up the judge."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE, Command, Completed, Killed, Limits, Mount, Sandbox
from sandbox.repository.names import display_name
from sandbox.values import Observation, Side

MOST_HITS = 200
_PROGRAM = "/opt/assay/search.py"
_CHANNEL_BYTES = 4_000_000
_LIMITS = Limits(timeout_s=30.0, memory_mb=1024, processes=16, output_bytes=20_000)
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, line by line: a text as it stands, or a pattern as Python writes them."""

    text: str
    is_pattern: bool = False


async def search(sandbox: Sandbox, side: Side, tree: str, wanted: Wanted) -> Observation:
    """Return the lines as `path:line: text`; exit code 0 whether or not there are any.

    `truncated` says that there are more than MOST_HITS; a search that did not end has a `problem`.
    """
    asked = {"wanted": wanted.text, "is_pattern": wanted.is_pattern, "most": MOST_HITS}
    program = Path(__file__).parent / "inside" / "search.py"
    command = Command(
        argv=("/usr/bin/python3", "-P", "-s", _PROGRAM),
        mounts=(Mount(tree, TREE), Mount(str(program), _PROGRAM)),
        environment=(("LANG", "C.UTF-8"), ("PYTHONDONTWRITEBYTECODE", "1")),
        stdin=json.dumps(asked).encode(),
        limits=_LIMITS,
        channel_bytes=_CHANNEL_BYTES,
    )
    completed = await sandbox.run(command)
    hits = list(_hits(completed.channel))
    is_more = len(hits) > MOST_HITS
    found = "\n".join(hits[:MOST_HITS])
    return Observation(
        side=side,
        command=shlex.join(
            ("grep", "-rnE" if wanted.is_pattern else "-rnF", "--", wanted.text, ".")
        ),
        exit_code=completed.exit_code,
        output=found or "Not found.",
        seconds=completed.seconds,
        timed_out=completed.killed is Killed.TIMEOUT,
        truncated=is_more,
        problem=_problem(completed),
    )


def _problem(completed: Completed) -> str:
    if completed.killed:
        return (
            f"The search did not end within its limits ({completed.killed}); what it found counts."
        )
    if completed.exit_code:
        said = completed.stderr[-500:].decode(errors="replace").strip()
        return f"The search could not be done: {said[-200:] or 'no reason given'}."
    return ""


def _hits(channel: bytes) -> Iterator[str]:
    """Read the program's lines; one of another shape is skipped."""
    for line in channel.splitlines():
        try:
            hit = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(hit, list) and [type(one) for one in hit] == [str, int, str]:
            path, number, text = hit
            name = display_name(os.fsencode(path.encode(errors="replace").decode())[:1_000])
            yield f"{name}:{number}: {text[:_SHOWN]}"
