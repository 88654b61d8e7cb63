"""Base's code, for drafting a rubric: one tree and its names, never head's."""

from __future__ import annotations

from collections.abc import Iterable

from bot.judge.code import CodeIndex, locate
from bot.models import CodePlace
from sandbox.graph.facts import SourceFile
from sandbox.tools.tree_reader import TreeReader

_MOST_LINES = 400
_MOST_FOUND = 20


class TreeCode:
    """A `bot.agents.rubric_drafting.BaseCode` over an exported tree."""

    def __init__(self, files: Iterable[SourceFile], reader: TreeReader) -> None:
        self._index, self._reader = CodeIndex(files), reader

    def locate(self, text: str, most: int) -> tuple[CodePlace, ...]:
        """The places that a text is most likely about, the best first; one a file and name."""
        return tuple(one.place for one in locate(text, self._index, most=most))

    def find(self, name: str) -> tuple[CodePlace, ...]:
        """Where a name is defined."""
        last = name.rpartition(".")[2]
        return tuple(one.place for one in self._index.defined(last)[:_MOST_FOUND])

    def read(self, path: str, first: int, last: int) -> str:
        """Lines of a file; one sentence where there is none."""
        text = self._reader.read(path)
        if text is None:
            return f"There is no text file {path[:200]}."
        lines = text.splitlines()[first - 1 : min(last, first + _MOST_LINES)]
        return "\n".join(f"{number}: {line}" for number, line in enumerate(lines, start=first))
