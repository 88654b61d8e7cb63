"""Rows of a run on disk, a JSON line each, so that a run that was interrupted can go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

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


@dataclass(frozen=True, slots=True)
class Rows(Generic[T]):
    """Rows of one kind: `begin` is how their lines begin, `command` is what writes them, a `noun` one."""

    kind: TypeAdapter[T]
    begin: bytes
    command: str
    noun: str = "row"

    def are_in(self, file: Path) -> bool:
        """Whether a file has such rows, by its beginning."""
        return begins_with(file, self.begin)

    def append(self, file: Path, row: T) -> None:
        """Add a row."""
        append_line(file, self.kind.dump_json(row))

    def write(self, file: Path, rows: Iterable[T]) -> None:
        """Write rows in place of what was there."""
        file.write_bytes(b"".join(self.kind.dump_json(row) + b"\n" for row in rows))

    def read(self, file: Path) -> Iterator[T]:
        """Read every row, later ones last. Raises UserError for what is no row.

        A line that ends in the middle is what a killed run left: it is passed over.
        """
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            try:
                yield self.kind.validate_json(line)
            except ValidationError as error:
                is_cut = error.errors()[0]["type"] == "json_invalid"
                if is_cut and (line.startswith(self.begin) or self.begin.startswith(line)):
                    continue
                what = f"{file}, line {number}, is no {self.noun} of `{self.command}`."
                raise UserError(what, "Name another file.") from error
