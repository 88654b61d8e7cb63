"""What every integrity check looks at, and how it makes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from bot.judge.standing import TestStanding
from bot.models import Requirements
from sandbox.models import ChangeStatus, Diff, FileChange, Finding, Severity, Side

MAX_HUNK_LINES = 40


class TextReader(Protocol):
    """The files of one side's tree."""

    def read(self, path: str) -> str | None:
        """The text of a file; None when it is absent, no text, or too large to read."""
        ...

    def read_bytes(self, path: str) -> bytes | None:
        """The bytes of a file; None when it is absent or too large to read."""
        ...


@dataclass(frozen=True, slots=True)
class Inspection:
    """One change with both sides' files, what its tests did and what was asked."""

    diff: Diff
    base: TextReader
    head: TextReader
    standing: TestStanding
    requirements: Requirements

    def before(self, change: FileChange) -> str | None:
        """A changed file's text on base; None when it is new there, or no text."""
        return None if is_new(change) else self.base.read(old_path(change))

    def after(self, change: FileChange) -> str | None:
        """A changed file's text on head; None when it is gone, or no text."""
        return None if is_gone(change) else self.head.read(change.path)


Check = Callable[[Inspection], Iterator[Finding]]


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
    return [(number, line[1:]) for number, line in _numbered(change, Side.HEAD) if line[:1] == "+"]


def removed_lines(change: FileChange) -> list[tuple[int, str]]:
    """Base's lines that head does not have, with their numbers."""
    return [(number, line[1:]) for number, line in _numbered(change, Side.BASE) if line[:1] == "-"]


def _numbered(change: FileChange, side: Side) -> Iterator[tuple[int, str]]:
    absent = "-" if side is Side.HEAD else "+"
    for hunk in change.hunks:
        number = hunk.new_start if side is Side.HEAD else hunk.old_start
        for line in hunk.lines:
            yield number, line
            number += not line.startswith((absent, "\\"))


def make_finding(
    rule: str, change: FileChange, line: int, message: str, side: Side = Side.HEAD
) -> Finding:
    """An advising finding with the hunk that its line stands in."""
    path = old_path(change) if side is Side.BASE else change.path
    return Finding(
        rule=rule,
        severity=Severity.ADVISE,
        path=path,
        line=line,
        message=message,
        side=side,
        hunk=hunk_at(change, line, side),
        tool="integrity",
    )


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
