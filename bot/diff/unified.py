"""Writes a diff as people and models read it, and the functions that it touches as they are on head."""

from __future__ import annotations

from collections.abc import Iterator

from bot.diff.lines import TextReader, is_gone, numbered_lines
from bot.diff.paths import is_source_path
from sandbox.values import Diff, FileChange, Hunk, Side


def unified(diff: Diff) -> str:
    """The diff as unified text, with a word where something was left out."""
    lines: list[str] = []
    for change in diff.files:
        lines += _heading(change)
        for hunk in change.hunks:
            lines += _hunk(hunk)
        if change.truncated:
            lines.append("[hunks left out]")
    if diff.truncated:
        lines.append("[more files or hunks were left out]")
    return "\n".join(lines)


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
        parts = [("\n".join(_heading(change)), 0)]
        for hunk in change.hunks:
            without_context = (line for line in _hunk(hunk) if not line.startswith(" "))
            changed = sum(line[:1] in ("+", "-") for line in hunk.lines)
            parts.append(("\n".join(without_context), changed))
        missing = 0
        for part, lines in parts:
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


MOST_LINES = 60
"""Of one place."""
MOST_ABOVE = 12
"""Lines above what changed, where the signature is far above."""
MOST_SEARCHED = 600
_CLOSES = (")", "]", "}")


def changed_code(diff: Diff, head: TextReader, most_chars: int) -> str:
    """The code round each hunk of a source file, from the line that it is indented below."""
    parts: list[str] = []
    room = most_chars
    for change in diff.files:
        if is_gone(change) or change.binary or not is_source_path(change.path):
            continue
        lines, done = (head.read(change.path) or "").splitlines(), 0
        for hunk in change.hunks:
            touched = _touched(hunk)
            if not touched or touched[-1] <= done or touched[0] > len(lines):
                continue
            first = _opening(lines, touched[0])
            done = _end(lines, first, touched[-1])
            shown = lines[first - 1 : done]
            if touched[0] - first > MOST_LINES:  # far below the signature
                ends = (n for n, line in enumerate(shown, 1) if line.rstrip()[-1:] in (":", "{"))
                signature = shown[: next(ends, 1)]
                shown = [*signature, "…", *lines[max(0, touched[0] - MOST_ABOVE) : done]]
            part = "\n".join((f"{change.path}, line {first}:", *shown))
            if len(part) <= room:
                parts.append(part)
                room -= len(part)
    return "\n\n".join(parts)


def _touched(hunk: Hunk) -> list[int]:
    """The lines of head that were added, or stand below what was removed."""
    found: list[int] = []
    removed = False
    for number, line in numbered_lines(hunk, Side.HEAD):
        if line.startswith("-"):
            removed = True
        elif not line.startswith("\\"):
            found += [number] if line.startswith("+") or removed else []
            removed = False
    return found


def _opening(lines: list[str], number: int) -> int:
    """The line that a function or class begins with, upwards: the next one that is indented less."""
    inner = _indent(lines[number - 1])
    for above in range(number - 1, max(0, number - MOST_SEARCHED), -1):
        line = lines[above - 1]
        if line.strip() and _indent(line) < inner:
            inner = _indent(line)
            number = above
        if not inner:
            break
    while number > 1 and lines[number - 1].lstrip()[:1] in _CLOSES:  # of a signature on many lines
        number -= 1
        while number > 1 and _indent(lines[number - 1]) > inner:
            number -= 1
    return number


def _end(lines: list[str], first: int, touched: int) -> int:
    outer = _indent(lines[first - 1])
    last = min(touched, len(lines))
    for number in range(last + 1, min(len(lines), first + MOST_LINES) + 1):
        line = lines[number - 1]
        if line.strip() and _indent(line) <= outer:
            break
        last = number
    return last


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip()) if line.strip() else 1_000
