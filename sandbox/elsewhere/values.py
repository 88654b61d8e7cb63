"""A call that answers one thing where tests run and another where they do not."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class SecondLook:
    """How many calls could be compared, and those that differ."""

    compared: int = 0
    differences: tuple[Difference, ...] = ()
