"""Writes a diff as people and models read it."""

from __future__ import annotations

from collections.abc import Iterator

from bot.diff.paths import is_source_path
from sandbox.values import Diff, FileChange, Hunk


def unified(diff: Diff) -> str:
    """The diff as unified text, with a word where something was left out."""
    lines = [line for change in diff.files for line in _file(change)]
    if diff.truncated:
        lines.append("[more files or hunks were left out]")
    return "\n".join(lines)


def _file(change: FileChange) -> Iterator[str]:
    yield from _heading(change)
    for hunk in change.hunks:
        yield from _hunk(hunk)
    if change.truncated:
        yield "[hunks left out]"


def _heading(change: FileChange) -> Iterator[str]:
    yield f"--- {change.old_path or change.path} ({change.status.value})"
    yield f"+++ {change.path}"
    if change.binary:
        yield "[binary]"


def _hunk(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    yield from hunk.lines


def unified_within(diff: Diff, most_chars: int) -> str:
    """The diff as text of about this length: context goes first, then what tests and documents change.

    Hunks stay whole; of files whose changed lines do not all fit, the rest is counted and named.
    """
    whole = unified(diff)
    if len(whole) <= most_chars:
        return whole
    files = sorted(diff.files, key=lambda change: not is_source_path(change.path))
    kept, left_out, room = list[str](), list[str](), most_chars
    for change in files:
        parts = ["\n".join(_heading(change)), *map(_without_context, change.hunks)]
        missing = 0
        for part, lines in zip(parts, (0, *map(_count_changed, change.hunks)), strict=True):
            if len(part) <= room:
                kept.append(part)
                room -= len(part) + 1
            else:
                missing += lines
        if missing:
            left_out.append(
                f"[{missing} changed lines of {change.path} are not shown: read the file]"
            )
    more = ["[more files or hunks were left out]"] if diff.truncated else []
    return "\n".join((*kept, *left_out[:_MOST_NAMED], *more))


_MOST_NAMED = 20


def _without_context(hunk: Hunk) -> str:
    return "\n".join(line for line in _hunk(hunk) if not line.startswith(" "))


def _count_changed(hunk: Hunk) -> int:
    return sum(line[:1] in ("+", "-") for line in hunk.lines)
