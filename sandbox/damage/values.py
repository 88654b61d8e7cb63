"""A damage to head, and which tests noticed it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Damage:
    """One damage to one file of head. `symbol` is the function that it is in, "" outside of any.

    `kind` is one of reverted, emptied, negated, operator, constant, bound, raises. `is_telling` is False
    where noticing it shows only that a name is there or that a function is called.
    """

    path: str
    kind: str
    line: int
    symbol: str
    what: str
    is_telling: bool = True


@dataclass(frozen=True, slots=True)
class DamageTrial:
    """One damage: the tests that failed with it, and those that passed all the same.

    A test that could not be run with it (its file does not load, time is over) is in neither.
    """

    damage: Damage
    noticed: tuple[str, ...] = ()
    unnoticed: tuple[str, ...] = ()
