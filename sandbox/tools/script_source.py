"""Finds the code of a JavaScript or TypeScript test by its title: where it stands and how it reads.

A reader of brackets, strings, comments and templates, no parser: what it cannot follow it leaves out.
It takes linear time, whatever the file holds.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

from sandbox.environments.tree import Tree

LARGEST_SOURCE = 2000
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


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose first argument is a string: title("text", ...). Offsets into the text."""

    title: str
    start: int
    end: int
    line: int


def calls(text: str) -> list[Call]:
    """Return every call that begins with a string, in the order of their ends."""
    found: list[Call] = []
    open_brackets: list[tuple[int, str, int]] = []  # offset, title, bracket
    lines = [match.start() for match in re.finditer("\n", text)]
    before = -1
    for piece in _PIECE.finditer(text):
        mark = text[piece.start()]
        if mark in "([{":
            open_brackets.append((piece.start(), "", mark == "("))
            before = piece.end()
        elif mark in ")]}":
            if open_brackets:
                start, title, _ = open_brackets.pop()
                if title:
                    first = _line_start(text, start)
                    line = bisect_right(lines, first - 1) + 1
                    found.append(Call(title, first, piece.end(), line))
        elif mark in "'\"`" and open_brackets and not text[before : piece.start()].strip():
            start, title, is_call = open_brackets[-1]
            if is_call and not title and before == start + 1:
                open_brackets[-1] = (start, _ESCAPE.sub(r"\1", piece.group()[1:-1]), is_call)
    return found


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


def _line_start(text: str, offset: int) -> int:
    """Return where the line of a call begins, blanks left out."""
    start = text.rfind("\n", max(0, offset - 300), offset) + 1
    return start + len(text[start:offset]) - len(text[start:offset].lstrip())


class ScriptSources:
    """Reads each test file once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[str, tuple[str, dict[str, list[Call]]]] = {}

    def of(self, path: str, titles: list[str], line: int) -> tuple[int, str]:
        """Return (line, title and body capped) of a test; the title alone where it is not found."""
        text, by_title = self._file(path)
        said = " > ".join(titles)
        found = by_title.get(titles[-1])
        if not found:
            return 0, said
        call = found[0] if len(found) == 1 else _nearest(found, text, titles, line)
        return call.line, f"{said}\n{text[call.start : call.end]}"[:LARGEST_SOURCE]

    def _file(self, path: str) -> tuple[str, dict[str, list[Call]]]:
        if path not in self._files:
            text = self._tree.read(path)[:_LARGEST_FILE]
            by_title: dict[str, list[Call]] = defaultdict(list)
            for call in calls(text):
                by_title[call.title].append(call)
            self._files[path] = (text, by_title)
        return self._files[path]


def _nearest(found: list[Call], text: str, titles: list[str], line: int) -> Call:
    """Prefer the one inside the suite of the right name, then the one nearest to the told line."""
    suite = titles[-2] if len(titles) > 1 else ""
    inside = [
        call for call in found if suite and suite in text[max(0, call.start - 20_000) : call.start]
    ]
    return min(inside or found, key=lambda call: abs(call.line - line))
