"""Reads one file for people: text by its lines, a document converted to text inside the sandbox."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.base import TREE, Command, Killed, Limits, Mount, Sandbox
from sandbox.linters.programs import PYTHON_VARIABLES, packages
from sandbox.repository.names import MAX_FILE_BYTES, TreeReader, display_name, raw_name
from sandbox.streams import json_values, last_line
from sandbox.values import Observation, Side

DOCUMENTS: Mapping[str, tuple[str, ...]] = {
    ".docx": ("mammoth",),
    ".xlsx": ("pandas", "openpyxl"),
    ".pptx": ("python-pptx",),
    ".pdf": ("pdfminer.six", "pdfplumber"),
}
"""By suffix: what markitdown needs beside itself."""
_LIMITS = Limits(timeout_s=90.0, memory_mb=2048, processes=64, output_bytes=400_000)
_CHARACTERS = 100_000
_PROGRAM = "/opt/assay/convert.py"
_INSTALL = "pip install 'assay[documents]'"


@dataclass(frozen=True, slots=True)
class FilePassage:
    """Lines of a file, counted from 1, both included; 0: until the end."""

    path: str
    first: int = 1
    last: int = 0


def is_document(path: str) -> bool:
    """Whether a file is read by conversion."""
    return PurePosixPath(path).suffix.lower() in DOCUMENTS


async def read(sandbox: Sandbox, side: Side, tree: str, passage: FilePassage) -> Observation:
    """Return what stands there; a file that cannot be read has a `problem`. Raises SandboxError."""
    if is_document(passage.path):
        return await _convert(sandbox, side, tree, passage)
    data = TreeReader(Path(tree)).read_bytes(passage.path)
    if data is None:
        most_mb = MAX_FILE_BYTES / 1e6
        problem = f"{passage.path} is not a file of at most {most_mb:g} MB on {side}."
        return Observation(side, problem=problem)
    if b"\0" in data[:8_000]:
        return Observation(side, problem=f"{passage.path} is no text.")
    return _shown(side, passage, data.decode(errors="replace"), 0.0)


def _shown(side: Side, passage: FilePassage, text: str, seconds: float) -> Observation:
    lines = text.splitlines()[max(passage.first, 1) - 1 : passage.last or None]
    whole = "\n".join(lines)
    # The line by which a person reads the same; none for what is converted.
    path = shlex.quote(passage.path)
    command = f"sed -n '{passage.first},{passage.last or '$'}p' -- {path}"
    if passage.first <= 1 and not passage.last:
        command = f"cat -- {path}"
    if is_document(passage.path):
        command = ""
    return Observation(
        side=side,
        command=command,
        exit_code=0,
        output=whole[:_CHARACTERS],
        seconds=seconds,
        truncated=len(whole) > _CHARACTERS,
    )


async def _convert(sandbox: Sandbox, side: Side, tree: str, passage: FilePassage) -> Observation:
    """A converter is a parser of hostile files: it sees this tree, no network, and nothing else."""
    if TreeReader(Path(tree)).read_bytes(passage.path) is None:
        problem = f"{passage.path} is not a readable file on {side}."
        return Observation(side, problem=problem)
    names = ("markitdown", *DOCUMENTS[PurePosixPath(passage.path).suffix.lower()])
    found = {name: packages(name) for name in names}
    if not all(found.values()):
        problem = f"Documents are read by an extra that is not installed: {_INSTALL}."
        return Observation(side, problem=problem)
    mounts = {mount.target: mount for each in found.values() for mount in each}
    file = f"{TREE}/{os.fsdecode(raw_name(passage.path))}"
    program = Path(__file__).parent / "inside" / "convert.py"
    command = Command(
        argv=("/usr/bin/python3", "-P", "-s", "-W", "ignore", _PROGRAM, file),
        mounts=(Mount(tree, TREE), Mount(str(program), _PROGRAM), *mounts.values()),
        environment=(*PYTHON_VARIABLES, ("LANG", "C.UTF-8"), ("HOME", "/tmp")),  # noqa: S108
        limits=_LIMITS,
    )
    completed = await sandbox.run(command)
    if completed.killed:
        problem = f"{passage.path} could not be converted within the limits ({completed.killed})."
    elif completed.exit_code:
        problem = f"{passage.path} could not be converted: {last_line(completed.stderr)}"
    else:
        text = completed.stdout.decode(errors="replace")
        return _shown(side, passage, text, completed.seconds)
    return Observation(side, seconds=completed.seconds, problem=problem)


# --- searches a tree for a text or a pattern, inside the sandbox: no pattern can hold up the judge


MOST_HITS = 200
_SEARCH = "/opt/assay/search.py"
_CHANNEL_BYTES = 4_000_000
_SEARCH_LIMITS = Limits(timeout_s=30.0, memory_mb=1024, processes=16, output_bytes=20_000)
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class WantedPassage:
    """What is looked for, line by line: a text as it stands, or a pattern as Python writes them."""

    text: str
    is_pattern: bool = False


async def search(sandbox: Sandbox, side: Side, tree: str, wanted: WantedPassage) -> Observation:
    """Return the lines as `path:line: text`; exit code 0 whether or not there are any.

    `truncated` says that there are more than MOST_HITS; a search that did not end has a `problem`.
    """
    asked = {"wanted": wanted.text, "is_pattern": wanted.is_pattern, "most": MOST_HITS}
    program = Path(__file__).parent / "inside" / "search.py"
    command = Command(
        argv=("/usr/bin/python3", "-P", "-s", _SEARCH),
        mounts=(Mount(tree, TREE), Mount(str(program), _SEARCH)),
        environment=(("LANG", "C.UTF-8"), ("PYTHONDONTWRITEBYTECODE", "1")),
        stdin=json.dumps(asked).encode(),
        limits=_SEARCH_LIMITS,
        channel_bytes=_CHANNEL_BYTES,
    )
    completed = await sandbox.run(command)
    hits = []
    for hit in json_values(completed.channel.splitlines()):
        if isinstance(hit, list) and [type(one) for one in hit] == [str, int, str]:
            path, number, text = hit
            name = display_name(os.fsencode(path.encode(errors="replace").decode())[:1_000])
            hits.append(f"{name}:{number}: {text[:_SHOWN]}")
    is_more = len(hits) > MOST_HITS
    found = "\n".join(hits[:MOST_HITS])
    problem = ""
    if completed.killed:
        problem = (
            f"The search did not end within its limits ({completed.killed}); what it found counts."
        )
    elif completed.exit_code:
        said = completed.stderr[-500:].decode(errors="replace").strip()
        problem = f"The search could not be done: {said[-200:] or 'no reason given'}."
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
        problem=problem,
    )
