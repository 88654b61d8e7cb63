"""Shows the functions that a change touches, as they are on head: for a planner that did not write them."""

from __future__ import annotations

from collections.abc import Iterator

from bot.diff.lines import TextReader, is_gone
from bot.diff.paths import is_source_path
from sandbox.values import Diff, FileChange

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
        for part in _places(change, (head.read(change.path) or "").splitlines()):
            if len(part) <= room:
                parts.append(part)
                room -= len(part)
    return "\n\n".join(parts)


def _places(change: FileChange, lines: list[str]) -> Iterator[str]:
    done = 0
    for hunk in change.hunks:
        touched = [
            number for number, line in enumerate(_on_head(hunk.lines), hunk.new_start) if line
        ]
        if not touched or touched[-1] <= done or touched[0] > len(lines):
            continue
        first = _opening(lines, touched[0])
        last = _end(lines, first, touched[-1])
        done = last
        shown = lines[first - 1 : last]
        if touched[0] - first > MOST_LINES:  # far below the signature
            signature = next(
                (n for n, line in enumerate(shown, 1) if line.rstrip()[-1:] in (":", "{")), 1
            )
            shown = [*shown[:signature], "…", *lines[max(0, touched[0] - MOST_ABOVE) : last]]
        body = "\n".join(shown)
        yield f"{change.path}, line {first}:\n{body}"


def _on_head(lines: tuple[str, ...]) -> Iterator[bool]:
    """Whether each line of head's side of a hunk was added, or stands below what was removed."""
    removed = False
    for line in lines:
        if line.startswith("-"):
            removed = True
        elif not line.startswith("\\"):
            yield line.startswith("+") or removed
            removed = False


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
