"""Tests that head has and base has not: where a vanished test, or a part of one, may have gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from bot.integrity.test_code import CodeOfTest

SAME_NAME_RATIO = 50.0
"""How alike the bodies of two tests of one name must be to be one test: `test_basic` is in many classes."""
MOST_CHARACTERS = 2000  # of a test's body
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Arrival:
    """One new test and the file that it stands in."""

    path: str
    test: CodeOfTest


class Arrivals:
    """The new tests of a change; each is the successor of one vanished test at most."""

    def __init__(self, found: Iterable[Arrival]) -> None:
        self._all = tuple(found)
        self._free: dict[str, list[Arrival]] = {}
        for arrival in self._all:
            self._free.setdefault(arrival.test.bare_name, []).append(arrival)

    def take(self, vanished: CodeOfTest) -> Arrival | None:
        """The new test of the same name whose body is most like the vanished one's."""
        free = self._free.get(vanished.bare_name, [])
        scored = [(_likeness(vanished, arrival.test), at) for at, arrival in enumerate(free)]
        score, at = max(scored, default=(0.0, -1))
        return free.pop(at) if at >= 0 and score >= SAME_NAME_RATIO else None

    def hold(self, before: CodeOfTest, after: CodeOfTest) -> bool:
        """Whether every stretch of lines that a test lost stands, unbroken, in a new test that runs."""
        old, new = before.body.splitlines(), after.body.splitlines()
        if max(len(old), len(new)) > MOST_LINES:
            return False
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        lost = ["\n".join(old[i:j]) for tag, i, j, _, _ in steps if tag in ("delete", "replace")]
        sound = [a.test.body for a in self._all if _runs(a.test)]
        return bool(lost) and all(any(part in body for body in sound) for part in lost)


def _runs(test: CodeOfTest) -> bool:
    return not (test.skips or test.swallowed or test.returns_early)


def _likeness(one: CodeOfTest, other: CodeOfTest) -> float:
    return fuzz.ratio(one.body[:MOST_CHARACTERS], other.body[:MOST_CHARACTERS])
