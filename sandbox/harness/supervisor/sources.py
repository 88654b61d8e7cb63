"""Finds test functions in sources, for reports: where they stand and what they say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FILE_BYTES = 1_000_000
_SOURCE_CHARS = 4000


@dataclass(frozen=True)
class FunctionSource:
    """A test function: its file as the tree names it, its line from 1, its text."""

    path: str
    line: int
    text: str


def read_text(path: Path) -> str:
    """Return the start of a regular file, "" for anything else."""
    try:
        if path.is_symlink() or not path.is_file():
            return ""
        with path.open("rb") as stream:
            return stream.read(_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def find_functions(text: str, pattern: re.Pattern[str], path: str) -> dict[str, FunctionSource]:
    """Return the functions whose first line `pattern` matches, by the pattern's group `name`.

    A function ends with the first `}` that is indented as its first line is.
    """
    found: dict[str, FunctionSource] = {}
    lines = text.splitlines()
    for index, line in enumerate(lines):
        match = pattern.match(line)
        if match:
            indent = line[: len(line) - len(line.lstrip())]
            end, first, stop = f"{indent}}}", index, index
            while first > 0 and lines[first - 1].lstrip().startswith(("//", "#[", "@", "/*", "*")):
                first -= 1
            while stop < len(lines) - 1 and lines[stop].rstrip() != end:
                stop += 1
            body = "\n".join(lines[first : stop + 1])[:_SOURCE_CHARS]
            found.setdefault(match.group("name"), FunctionSource(path, index + 1, body))
    return found
