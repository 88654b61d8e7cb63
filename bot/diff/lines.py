"""The files and the lines that a diff changes, on both sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from sandbox.values import ChangeStatus, FileChange, Hunk, Side

MAX_HUNK_LINES = 40


class Texts(Protocol):
    """The texts of one side's tree."""

    def read(self, path: str) -> str | None:
        """The text of a file; None when it is absent, no text, or too large to read."""


class TextReader(Texts, Protocol):
    """The files of one side's tree."""

    def read_bytes(self, path: str) -> bytes | None:
        """The bytes of a file; None when it is absent or too large to read."""

    def paths(self) -> tuple[str, ...]:
        """The paths of all files that are not hidden or vendored."""


def old_path(change: FileChange) -> str:
    """The file's name on base."""
    return change.old_path or change.path


def is_new(change: FileChange) -> bool:
    """Whether base does not have the file."""
    return change.status is ChangeStatus.ADDED


def is_gone(change: FileChange) -> bool:
    """Whether head does not have the file."""
    return change.status is ChangeStatus.DELETED


def added_lines(change: FileChange) -> list[tuple[int, str]]:
    """Head's lines that base does not have, with their numbers."""
    numbered = (one for hunk in change.hunks for one in numbered_lines(hunk, Side.HEAD))
    return [(number, line[1:]) for number, line in numbered if line[:1] == "+"]


def removed_lines(change: FileChange) -> list[tuple[int, str]]:
    """Base's lines that head does not have, with their numbers."""
    numbered = (one for hunk in change.hunks for one in numbered_lines(hunk, Side.BASE))
    return [(number, line[1:]) for number, line in numbered if line[:1] == "-"]


def numbered_lines(hunk: Hunk, side: Side) -> Iterator[tuple[int, str]]:
    """The lines of a hunk with their numbers on one side; one of the other side has its next one's."""
    absent = "-" if side is Side.HEAD else "+"
    number = hunk.new_start if side is Side.HEAD else hunk.old_start
    for line in hunk.lines:
        yield number, line
        number += not line.startswith((absent, "\\"))


def hunk_at(change: FileChange, line: int, side: Side) -> str:
    """The hunk that a line stands in, or the nearest one, with at most 40 lines."""
    if not change.hunks:
        return ""

    def distance(index: int) -> int:
        hunk = change.hunks[index]
        start, count = (
            (hunk.old_start, hunk.old_count)
            if side is Side.BASE
            else (hunk.new_start, hunk.new_count)
        )
        return max(start - line, line - (start + count - 1), 0)

    nearest = change.hunks[min(range(len(change.hunks)), key=distance)]
    return "\n".join(nearest.lines[:MAX_HUNK_LINES])
