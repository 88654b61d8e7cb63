"""Readers of what linters print: hostile text that may be anything, cut off anywhere.

Nothing here trusts a type: what is not there is empty, what is too deep or no JSON is Unreadable.
Source: SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import takewhile
from posixpath import normpath
from urllib.parse import unquote

from sandbox.base import TREE
from sandbox.linters.base import (
    Breaks,
    Edit,
    LinterOutput,
    LinterRemark,
    Position,
    UnreadableOutput,
)
from sandbox.streams import json_values

MAX_REMARKS = 5_000
"""Read of one linter on one side."""


class Node:
    """A value of a JSON document that may be of any type, read without surprises."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __getitem__(self, key: str) -> Node:
        """Return a member; an empty node where there is none."""
        return Node(self._value.get(key) if isinstance(self._value, dict) else None)

    def __iter__(self) -> Iterator[Node]:
        """Go through a list; anything else has no items."""
        return iter([Node(item) for item in self._value] if isinstance(self._value, list) else [])

    def members(self) -> Iterator[tuple[str, Node]]:
        """Go through an object's members; anything else has none."""
        found = self._value if isinstance(self._value, dict) else {}
        return iter([(str(key), Node(value)) for key, value in found.items()])

    @property
    def text(self) -> str:
        """Return a string or a number as text, else ""."""
        plain = isinstance(self._value, str | int) and not isinstance(self._value, bool)
        return str(self._value) if plain else ""

    @property
    def number(self) -> int:
        """Return a line number: a whole number from 0 to a billion, else 0."""
        value = self._value
        return value if type(value) is int and 0 <= value < 10**9 else 0

    @property
    def is_text(self) -> bool:
        """Whether it is a string, which may be empty."""
        return isinstance(self._value, str)

    @property
    def is_true(self) -> bool:
        """Whether it is JSON's `true`."""
        return self._value is True


def parsed(data: bytes) -> Node:
    """Parse one JSON document. Raises Unreadable."""
    try:
        return Node(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableOutput("its output is no JSON") from error


def json_lines(data: bytes) -> Iterator[Node]:
    """Parse what prints one JSON document a line; other lines are passed over."""
    for line in data.splitlines():
        if line.startswith(b"{"):
            yield parsed(line)


def records(channel: bytes) -> Iterator[Node]:
    """Read the JSON lines that a program of ours told beside strangers' code; what is none is passed over."""
    yield from map(Node, json_values(channel.splitlines()))


def read_parsed(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read what the programs of `inside` print: one object a line."""
    for item in json_lines(said.out):
        spoken = item["breaks"].text
        yield LinterRemark(
            rule=item["rule"].text,
            path=tree_path(item["path"].text),
            line=item["line"].number,
            message=item["message"].text,
            breaks=Breaks(spoken) if spoken in set(Breaks) else Breaks.NO,
        )


def tree_path(path: str, folder: str = "") -> str:
    """Return a path as the repository has it; "" when it is not in the tree."""
    path = unquote(path.removeprefix("file://")) if path.startswith("file:") else path
    whole = normpath(f"{TREE}/{folder}/{path}" if not path.startswith("/") else path)
    return whole.removeprefix(f"{TREE}/") if whole.startswith(f"{TREE}/") else ""


def sarif(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read a SARIF log: every result with its first location."""
    for run in parsed(said.out)["runs"]:
        is_utf16 = run["columnKind"].text != "unicodeCodePoints"
        for result in run["results"]:
            where = next(iter(result["locations"]), Node(None))["physicalLocation"]
            region = where["region"]
            path = tree_path(unquote(where["artifactLocation"]["uri"].text), said.folder)
            yield LinterRemark(
                rule=result["ruleId"].text,
                path=path,
                line=region["startLine"].number,
                message=result["message"]["text"].text,
                end_line=region["endLine"].number,
                edits=tuple(_sarif_edits(result["fixes"], path, said.folder, is_utf16)),
            )


def _sarif_edits(fixes: Node, path: str, folder: str, is_utf16: bool) -> Iterator[Edit]:
    """The only fix that is proposed, of this one file; where there is a choice nobody made it."""
    changes = [change for fix in fixes for change in fix["artifactChanges"]]
    if len(list(fixes)) != 1 or len(changes) != 1:
        return
    if tree_path(unquote(changes[0]["artifactLocation"]["uri"].text), folder) != path:
        return
    for one in changes[0]["replacements"]:
        gone = one["deletedRegion"]
        first, last = gone["startLine"].number, gone["endLine"].number or gone["startLine"].number
        column, end = gone["startColumn"].number or 1, gone["endColumn"].number
        yield Edit(
            Position(first, column, is_utf16),
            # Without a column a region takes whole lines, up to where the next one begins.
            Position(last, end, is_utf16) if end else Position(last + 1, 1),
            one["insertedContent"]["text"].text,
        )


_DIFF_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")


def diff_edits(text: bytes, folder: str = "") -> Iterator[tuple[str, int, Edit]]:
    """Read a unified diff: yield (path, first line, edit) of every run of changed lines.

    Hunks are read by their counts, so no line of a file can pass for a header.
    """
    path, lines, at = "", text.decode(errors="replace").split("\n"), 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if line.startswith("+++ "):
            path = tree_path(line[4:].split("\t")[0], folder)
        elif match := _DIFF_HUNK.match(line):
            number, old, new = (int(match[part] or 1) for part in (1, 2, 3))
            begin = at
            while at < len(lines) and (old > 0 or new > 0):
                old -= not lines[at].startswith(("+", "\\"))
                new -= not lines[at].startswith(("-", "\\"))
                at += 1
            at += at < len(lines) and lines[at].startswith("\\")
            hunk = lines[begin:at]
            for first, edit in _hunk_edits(number, hunk) if path else ():
                yield path, first, edit


def _hunk_edits(number: int, hunk: list[str]) -> Iterator[tuple[int, Edit]]:
    """Every run of changed lines; what is about the line break at a file's end is left out."""
    at = 0
    while at < len(hunk):
        run = list(takewhile(lambda line: line.startswith(("-", "+", "\\")), hunk[at:]))
        gone = sum(line.startswith("-") for line in run)
        new = "".join(f"{line[1:]}\n" for line in run if line.startswith("+"))
        if run and not any(line.startswith("\\") for line in run):
            yield number, Edit(Position(number, 1), Position(number + gone, 1), new)
        number += gone if run else 1
        at += len(run) or 1


_LINE = re.compile(
    r"(?P<path>[^\n]{1,4000}?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?: (?P<rest>[^\n]{0,4000})"
)


def text_lines(text: bytes) -> Iterator[tuple[str, int, str]]:
    """Yield (path, line, rest) of every `path:line[:column]: rest`, the oldest of all formats."""
    for line in text.decode(errors="replace").split("\n"):
        if match := _LINE.fullmatch(line.rstrip("\r")):
            path = tree_path(match["path"])
            if path:
                yield path, int(match["line"]), match["rest"]


def layout(program: str) -> Callable[[LinterOutput], Iterator[LinterRemark]]:
    """Return what reads the diff of a program that lays code out: a remark for each part of it."""

    def read(said: LinterOutput) -> Iterator[LinterRemark]:
        for path, line, edit in diff_edits(said.out, said.folder):
            message = f"`{program}` lays this out otherwise"
            yield LinterRemark("format", path, line, message, edits=(edit,))

    return read
