"""Rows of a run on disk, a JSON line each, so that a run that was interrupted can go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.errors import UserError

T = TypeVar("T")


def append_line(file: Path, line: bytes) -> None:
    """Add a line; one that a killed run left half is ended first."""
    is_cut = file.is_file() and not file.read_bytes().endswith(b"\n") and file.stat().st_size
    with file.open("ab") as lines:
        lines.write((b"\n" if is_cut else b"") + line + b"\n")


def begins_with(file: Path, begin: bytes) -> bool:
    """Whether a file is of the kind whose lines begin so."""
    with file.open("rb") as lines:
        return lines.read(len(begin)) == begin


def read_lines(file: Path, row: TypeAdapter[T], begin: bytes, command: str) -> Iterator[T]:
    """Read every row; `begin` is how a line of this kind begins. Raises UserError for what is no row.

    A line that ends in the middle is what a killed run left: it is passed over.
    """
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            yield row.validate_json(line)
        except ValidationError as error:
            is_cut = error.errors()[0]["type"] == "json_invalid"
            if is_cut and (line.startswith(begin) or begin.startswith(line)):
                continue
            raise UserError(
                f"{file}, line {number}, is no row of `{command}`.", "Name another file."
            ) from error
