"""What a linter would put into a file, as whole lines: what a person can commit with one click.

A linter speaks in columns of its own kind. What cannot be said as one short run of lines is no fix:
edits that overlap, that stand far apart, or that leave the file.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from sandbox.linters.base import Edit, Position
from sandbox.values import Replacement

MOST_LINES = 20
"""Replaced by one fix, and put in their place."""
MOST_CHARACTERS = 4_000
MOST_EDITS = 20


class SourceText:
    """The text of one file that a linter looked at."""

    __slots__ = ("_begins", "_lines", "_utf16_begins")

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._begins = list(accumulate((len(line) + 1 for line in self._lines), initial=0))
        self._utf16_begins: list[int] = []

    def replacement(self, edits: tuple[Edit, ...]) -> Replacement | None:
        """Return the lines that the edits change, and what they become; None for what is no fix."""
        if not edits or len(edits) > MOST_EDITS:
            return None
        try:
            places = sorted((self._at(one.start), self._at(one.end), one.text) for one in edits)
        except ValueError:
            return None
        if any(start > end for start, end, _ in places):
            return None
        if any(one[1] > two[0] or one[:2] == two[:2] for one, two in pairwise(places)):
            return None
        (first, _), (last, _) = places[0][0], places[-1][1]
        if last - first > MOST_LINES:
            return None
        after = "\n".join(self._lines[first : last + 1])
        begin = self._begins[first]
        for start, end, text in reversed(places):
            after = after[: self._offset(start) - begin] + text + after[self._offset(end) - begin :]
        found = _smallest(first, self._lines[first : last + 1], after.split("\n"))
        # A line break at the very end of a file cannot be told from an empty line there.
        is_last = found is not None and found.last == len(self._lines)
        return None if found and is_last and found.after[-1:] == ("",) else found

    def _offset(self, place: tuple[int, int]) -> int:
        return self._begins[place[0]] + place[1]

    def _at(self, position: Position) -> tuple[int, int]:
        """The line and the column, from 0. Raises ValueError for what lies outside."""
        line, column = position.line - 1, position.column - 1
        if position.line == 0:
            line, column = self._from_beginning(column)
        if not 0 <= line < len(self._lines):
            raise ValueError
        text = self._lines[line]
        if position.is_utf16 and not text.isascii():
            # A column inside a character is a UnicodeDecodeError, which is a ValueError.
            column = len(
                text.encode("utf-16-le", "surrogatepass")[: column * 2].decode("utf-16-le")
            )
        if not 0 <= column <= len(text):
            raise ValueError
        return line, column

    def _from_beginning(self, offset: int) -> tuple[int, int]:
        """The line, and the column in UTF-16 code units: only ESLint counts so."""
        if not self._utf16_begins:
            lengths = (len(line.encode("utf-16-le", "surrogatepass")) // 2 for line in self._lines)
            self._utf16_begins = list(accumulate((one + 1 for one in lengths), initial=0))
        begins = self._utf16_begins
        low, high = 0, len(self._lines)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if begins[middle] <= offset else (low, middle)
        return low, offset - begins[low]


def _smallest(first: int, before: list[str], after: list[str]) -> Replacement | None:
    """Leave out equal lines at both ends, but keep a line to replace."""
    while len(before) > 1 and after and before[-1] == after[-1]:
        del before[-1], after[-1]
    while len(before) > 1 and after and before[0] == after[0]:
        del before[0], after[0]
        first += 1
    size = sum(map(len, (*before, *after)))
    if before == after or max(len(before), len(after)) > MOST_LINES or size > MOST_CHARACTERS:
        return None
    return Replacement(first + 1, tuple(before), tuple(after))
