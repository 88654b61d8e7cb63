"""Readers of what linters print: hostile text that may be anything, cut off anywhere.

Nothing here trusts a type: what is not there is empty, what is too deep or no JSON is Unreadable.
Source: SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from posixpath import normpath
from urllib.parse import unquote

from sandbox.base import TREE
from sandbox.linters.base import Remark, Said, Unreadable

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
    def is_true(self) -> bool:
        """Whether it is JSON's `true`."""
        return self._value is True


def parsed(data: bytes) -> Node:
    """Parse one JSON document. Raises Unreadable."""
    try:
        return Node(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise Unreadable("its output is no JSON") from error


def json_lines(data: bytes) -> Iterator[Node]:
    """Parse what prints one JSON document a line; other lines are passed over."""
    for line in data.splitlines():
        if line.startswith(b"{"):
            yield parsed(line)


def records(channel: bytes) -> Iterator[Node]:
    """Read the JSON lines that a program of ours told beside strangers' code; what is none is passed over."""
    for line in channel.splitlines():
        try:
            yield Node(json.loads(line))
        except (ValueError, RecursionError):
            continue


def tree_path(path: str, folder: str = "") -> str:
    """Return a path as the repository has it; "" when it is not in the tree."""
    path = unquote(path.removeprefix("file://")) if path.startswith("file:") else path
    whole = normpath(f"{TREE}/{folder}/{path}" if not path.startswith("/") else path)
    return whole.removeprefix(f"{TREE}/") if whole.startswith(f"{TREE}/") else ""


def sarif(said: Said) -> Iterator[Remark]:
    """Read a SARIF log: every result with its first location."""
    for run in parsed(said.out)["runs"]:
        for result in run["results"]:
            where = next(iter(result["locations"]), Node(None))["physicalLocation"]
            region = where["region"]
            yield Remark(
                rule=result["ruleId"].text,
                path=tree_path(unquote(where["artifactLocation"]["uri"].text), said.folder),
                line=region["startLine"].number,
                message=result["message"]["text"].text,
                end_line=region["endLine"].number,
            )


_LINE = re.compile(
    r"(?P<path>[^\n]{1,4000}?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?: (?P<rest>[^\n]{0,4000})"
)


def text_lines(text: bytes, folder: str = "") -> Iterator[tuple[str, int, str]]:
    """Yield (path, line, rest) of every `path:line[:column]: rest`, the oldest of all formats."""
    for line in text.decode(errors="replace").split("\n"):
        if match := _LINE.fullmatch(line.rstrip("\r")):
            path = tree_path(match["path"], folder)
            if path:
                yield path, int(match["line"]), match["rest"]
