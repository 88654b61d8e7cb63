"""Writes a diff as people and models read it."""

from __future__ import annotations

from collections.abc import Iterator

from sandbox.values import Diff, FileChange, Hunk


def unified(diff: Diff) -> str:
    """The diff as unified text, with a word where something was left out."""
    lines = [line for change in diff.files for line in _file(change)]
    if diff.truncated:
        lines.append("[more files or hunks were left out]")
    return "\n".join(lines)


def _file(change: FileChange) -> Iterator[str]:
    yield f"--- {change.old_path or change.path} ({change.status.value})"
    yield f"+++ {change.path}"
    if change.binary:
        yield "[binary]"
    for hunk in change.hunks:
        yield from _hunk(hunk)
    if change.truncated:
        yield "[hunks left out]"


def _hunk(hunk: Hunk) -> Iterator[str]:
    yield f"@@ -{hunk.old_start},{hunk.old_count} +{hunk.new_start},{hunk.new_count} @@"
    yield from hunk.lines
