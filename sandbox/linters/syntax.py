"""Files that a parser must be able to read, whoever lints them: JSON, YAML, TOML, scripts."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.linters.base import (
    Breaks,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    ends,
)
from sandbox.linters.programs import script
from sandbox.linters.reading import json_lines, tree_path


def parse_calls(kind: str, job: LintJob) -> tuple[LinterCall, ...]:
    """Call `inside/parse.py`, which asks a parser about one file after the other."""
    return (script("parse.py", kind, needs="pyyaml", paths=job.paths, shown=_SHOWN[kind]),)


_SHOWN = {"data": "# read by Python's parsers:", "bash": "bash -n", "node": "node --check"}


def read_parsed(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read what `inside/parse.py` prints: one object a line."""
    for item in json_lines(said.out):
        spoken = item["breaks"].text
        yield LinterRemark(
            rule=item["rule"].text,
            path=tree_path(item["path"].text),
            line=item["line"].number,
            message=item["message"].text,
            breaks=Breaks(spoken) if spoken in set(Breaks) else Breaks.NO,
        )


DATA = Linter(
    name="data files",
    install="apt-get install python3",
    takes=ends(".json", ".yaml", ".yml", ".toml"),
    calls=lambda job: parse_calls("data", job),
    read=read_parsed,
    ends_with=frozenset({0}),
    largest_bytes=2_000_000,
)
