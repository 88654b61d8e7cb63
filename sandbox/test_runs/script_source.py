"""Finds the code of a JavaScript or TypeScript test by its title: where it stands and how it reads.

A reader of brackets, strings, comments and templates, no parser: what it cannot follow it leaves out.
It takes linear time, whatever the file holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

from sandbox.toolchains.tree import Tree

LARGEST_SOURCE = 2000
WHOLE_FILE = "the whole file"
"""The title of what a file asserts outside of its tests."""
_LARGEST_FILE = 1_000_000
_PIECE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|(?<!\\)(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`)"
    r"|(?<=[(,=:\[!&|?{};\n])[ \t]{0,40}/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}"
    r"/[a-z]*"
    r"|[()\[\]{}]",
    re.S,
)
_ESCAPE = re.compile(r"\\(.)", re.S)
_OF_TEST = re.compile(r"(?:await\s)?(?:\w{1,40}\.)?(?:test|it|describe|suite)\b")
_FILLED_IN = re.compile(r"\$[\w.$]+|%[A-Za-z#$%]")  # by `test.each`, into a title
_MOST_TABLES = 200
_DEEPEST = 20  # suites round a test that are told apart
_NEAR = 200  # characters: between a bracket and a title, between `each` and its rows


@dataclass(frozen=True, slots=True)
class TitledCall:
    """A call whose first argument is a string: title("text", ...). Offsets into the text.

    `suites` are the titles of the calls round it. One of a table, `test.each(rows)("%s", ...)`, is made for
    every row. `bracket` is where its arguments begin.
    """

    title: str
    start: int
    end: int
    line: int
    suites: tuple[str, ...] = ()
    is_of_table: bool = False
    bracket: int = 0

    def can_make(self, titles: list[str]) -> bool:
        """Tell whether a test's titles can be those of one row of the table."""
        parts, said = _FILLED_IN.split(self.title), titles[-1]
        first, last = parts[0], parts[-1]
        if not (self.is_of_table and self.is_inside(titles[:-1])) or len(parts) == 1:
            return False
        if not (said.startswith(first) and said[len(first) :].endswith(last)):
            return False
        at, end = len(first), len(said) - len(last)
        for part in parts[1:-1]:
            found = said.find(part, at, end)
            if found < 0:
                return False
            at = found + len(part)
        return True

    def is_inside(self, suites: list[str]) -> bool:
        """Tell whether it stands in these suites and in no other titled call."""
        return self.suites == tuple(suites[-_DEEPEST:])


def calls(text: str) -> list[TitledCall]:
    """Return every call that begins with a string, in the order of their ends."""
    found: list[TitledCall] = []
    open_brackets: list[tuple[int, str, int]] = []  # offset, title, bracket
    titles: list[str] = []  # of these
    lines = [match.start() for match in re.finditer("\n", text)]
    before = -1
    closed = (0, 0)  # the last brackets or string: where they begin and end
    tables: set[int] = set()  # offsets of the brackets that follow a table
    for piece in _PIECE.finditer(text):
        mark = text[piece.start()]
        if mark in "([{":
            if mark == "(" and closed[1] and _is_table(text, *closed, piece.start()):
                tables.add(piece.start())
            open_brackets.append((piece.start(), "", mark == "("))
            before = piece.end()
        elif mark in ")]}":
            if open_brackets:
                start, title, _ = open_brackets.pop()
                closed = (start, piece.end())
                if title:
                    titles.pop()
                    # Where the line of the call begins, blanks left out.
                    begin = text.rfind("\n", max(0, start - 300), start) + 1
                    first = start - len(text[begin:start].lstrip())
                    line = bisect_right(lines, first - 1) + 1
                    is_table = start in tables and len(tables) <= _MOST_TABLES
                    suites = tuple(titles[-_DEEPEST:])
                    found.append(
                        TitledCall(title, first, piece.end(), line, suites, is_table, start)
                    )
        elif mark in "'\"`":
            closed = (piece.start(), piece.end())
            is_near = piece.start() - before <= _NEAR
            if not (open_brackets and is_near) or text[before : piece.start()].strip():
                continue
            start, title, is_call = open_brackets[-1]
            if is_call and not title and before == start + 1:
                title = _ESCAPE.sub(r"\1", piece.group()[1:-1])
                open_brackets[-1] = (start, title, is_call)
                titles += [title] if title else []
    return found


def _is_table(text: str, start: int, end: int, following: int) -> bool:
    """Tell whether brackets or a template are the rows of `each`, and what follows takes each of them."""
    if following - end > _NEAR or text[end:following].strip():
        return False
    said = text[max(0, start - _NEAR) : start]
    between = said[said.rfind(".each") + len(".each") :].strip() if ".each" in said else "?"
    return not between or (between[0] == "<" and between[-1] == ">")


def brackets(text: str) -> dict[int, int]:
    """Return where each bracket that is code closes: offset of the opening one → of the closing one."""
    found: dict[int, int] = {}
    open_brackets: list[int] = []
    for piece in _PIECE.finditer(text):
        mark = text[piece.start()]
        if mark in "([{":
            open_brackets.append(piece.start())
        elif mark in ")]}" and open_brackets:
            found[open_brackets.pop()] = piece.start()
    return found


class ScriptSources:
    """Reads each test file once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, tuple[str, dict[str, list[TitledCall]]]] = {}
        self._tables: dict[str, list[TitledCall]] = {}

    def of(self, path: str, titles: list[str], line: int) -> tuple[int, str]:
        """Return (line, title and body capped) of a test; the title alone where it is not found.

        The rows of a table have one body, which another row changes nothing of.
        """
        text, by_title = self._file(path)
        said = " > ".join(titles)
        found = by_title.get(titles[-1])
        if not found and titles == [WHOLE_FILE]:
            return 1, f"{said}\n{self._outside_of_tests(path)}"[:LARGEST_SOURCE]
        if not found and (row := self._made(path, titles)):
            return row.line, f"{said}\n{text[row.bracket : row.end]}"[:LARGEST_SOURCE]
        if not found:
            return 0, said
        # The one inside of the right suites, or below the name of the last; of several the one nearest to the
        # told line, which most runners do not tell.
        suite = titles[-2] if len(titles) > 1 else ""
        inside = [one for one in found if one.is_inside(titles[:-1])] or [
            one for one in found if suite and suite in text[max(0, one.start - 20_000) : one.start]
        ]
        call = min(inside or found, key=lambda one: abs(one.line - line))
        return call.line, f"{said}\n{text[call.start : call.end]}"[:LARGEST_SOURCE]

    def table_of(self, path: str, titles: list[str]) -> str:
        """Return the id of the one table of which a test can be a row; "" where none or several can."""
        made = self._made(path, titles)
        return f"{path}::{' > '.join([*titles[:-1], made.title])}" if made else ""

    def _made(self, path: str, titles: list[str]) -> TitledCall | None:
        """Return the one table that makes a test's title; None where that stands there, or several can."""
        _, by_title = self._file(path)
        tables = self._tables[path] if titles[-1] not in by_title else []
        made = [call for call in tables if call.can_make(titles)]
        return made[0] if len(made) == 1 else None

    def _outside_of_tests(self, path: str) -> str:
        text, by_title = self._file(path)
        found = (call for calls_of in by_title.values() for call in calls_of)
        tests = sorted((one.start, one.end) for one in found if _OF_TEST.match(text, one.start))
        parts, at = [], 0
        for start, end in tests:
            parts.append(text[at:start])  # nothing of one that stands in another
            at = max(at, end)
        return "".join((*parts, text[at:]))

    def _file(self, path: str) -> tuple[str, dict[str, list[TitledCall]]]:
        if path not in self._files:
            text = self._tree.read(path)[:_LARGEST_FILE]
            by_title: dict[str, list[TitledCall]] = defaultdict(list)
            found = calls(text)
            for call in found:
                by_title[call.title].append(call)
            self._tables[path] = [call for call in found if call.is_of_table]
            self._files[path] = (text, by_title)
        return self._files[path]
