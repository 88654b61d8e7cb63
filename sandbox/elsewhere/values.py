"""A call that answers one thing where tests run and another where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Difference:
    """A call as one would write it, what it gave under test and what elsewhere.

    `function` is its plain name, `test` the function that made the call and `path` that one's file.
    `times` is how often it was called before it answered otherwise, 0 where that was at once; `on_other_days`
    says that it does so on other days only. `is_whole` stands for a whole test (its id as the call) that
    passes in one place and fails in the other.
    """

    call: str
    function: str
    under_test: str
    elsewhere: str
    path: str
    test: str
    times: int = 0
    on_other_days: bool = False
    is_whole: bool = False


class WhyLeftOut(StrEnum):
    """Why a recorded call says nothing about another place."""

    NOT_THERE = "not_there"  # a plain program cannot make it: it lacks what the tests set up
    UNSTEADY = "unsteady"  # two equal calls give different things
    SET_UP = "set_up"  # a bare test does not see what the author's test saw
    TOO_MANY = "too_many"  # others that differ were made alone, and these were not
    ON_BASE = "on_base"  # it differs between the places on base too


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many calls were left out for one reason."""

    why: WhyLeftOut
    calls: int


@dataclass(frozen=True, slots=True)
class SecondLook:
    """How many calls could be compared, those that differ, and how many were left out.

    `unrecorded` are the files of tests of which no call could be recorded: they call nothing with plain
    values, or in a way that is not seen. `not_looked_at` names the runners that have no second look.
    """

    compared: int = 0
    differences: tuple[Difference, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unrecorded: tuple[str, ...] = ()
    not_looked_at: tuple[str, ...] = ()

    def __add__(self, other: SecondLook) -> SecondLook:
        """Return what both saw."""
        counts = dict.fromkeys(WhyLeftOut, 0)
        for one in (*self.left_out, *other.left_out):
            counts[one.why] += one.calls
        return SecondLook(
            self.compared + other.compared,
            self.differences + other.differences,
            tuple(LeftOut(why, calls) for why, calls in counts.items() if calls),
            self.unrecorded + other.unrecorded,
            tuple(dict.fromkeys(self.not_looked_at + other.not_looked_at)),
        )
