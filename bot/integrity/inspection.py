"""What every integrity check looks at, and how it makes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.diff.lines import TextReader, hunk_at, is_gone, is_new, old_path
from bot.integrity.standing import TestStanding
from bot.values import Requirements
from sandbox.values import Diff, FileChange, Finding, Severity, Side


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
