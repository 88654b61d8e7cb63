"""Which changed symbols a test reaches, by the names in the code: a hint for people."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from bot.models import CodePlace, Impact, TestComparison

_NAME = re.compile(r"(?<!\w)(\w+)(?:\[.*)?$", re.DOTALL)
"""The bare name at the end of a runner's id, without the parameters."""


class Reached:
    """Finds the changed symbols of a test by its file and its name, or by its line."""

    def __init__(self, impact: Impact | None, tests: Iterable[TestComparison]) -> None:
        self._symbols: dict[tuple[str, str | int], dict[CodePlace, None]] = defaultdict(dict)
        self._starts: dict[str, list[int]] = defaultdict(list)
        for test in tests:
            self._starts[test.path].append(test.line)
        for symbol in impact.symbols if impact else ():
            for place in symbol.tests:
                self._symbols[place.path, place.name or self._start(place)][symbol.place] = None

    def _start(self, place: CodePlace) -> int:
        """The line on which the test begins that a line outside of all definitions stands in."""
        return max((line for line in self._starts[place.path] if line <= place.line), default=0)

    def of(self, test: TestComparison) -> tuple[CodePlace, ...]:
        """Return them in the order of the diff."""
        name = _NAME.search(test.id)
        by_name = self._symbols.get((test.path, name[1]), {}) if name else {}
        by_line = self._symbols.get((test.path, test.line), {}) if test.line > 0 else {}
        return tuple({**by_name, **by_line})
