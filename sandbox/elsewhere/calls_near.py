"""The calls near some calls: one argument at a time is another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from sandbox.elsewhere.driver import Driver
from sandbox.elsewhere.told import Recorded
from sandbox.elsewhere.values import SEVERAL
from sandbox.elsewhere.variation import MOST, neighbors, shared_words

MOST_OF_A_FUNCTION = 4
MOST_INPUTS = 16


@dataclass(frozen=True, slots=True)
class NearCall:
    """A call near another; `step` is -1 or 1 where one of its numbers is that much off.

    `slot` is the number of the argument that is another one, or `SEVERAL`.
    """

    call: Recorded
    slot: int
    step: int


def chosen(wanted: list[Recorded]) -> Iterator[Recorded]:
    """The calls to vary: a few of each function."""
    counted: dict[tuple[str, str], int] = {}
    taken = 0
    for one in wanted:
        key = (one.module, one.name)
        counted[key] = counted.get(key, 0) + 1
        if counted[key] <= MOST_OF_A_FUNCTION and taken < MOST_INPUTS:
            taken += 1
            yield one


def calls_around(
    driver: Driver,
    call: Recorded,
    words: tuple[object, ...],
    known: set[tuple[str, str, str]],
) -> tuple[NearCall, ...]:
    """Calls that differ from one in one argument, the arguments in turn; none that a test makes.

    Where arguments share a word, calls with another one in all of them come in turn, too.
    """
    values = driver.values(call)
    of_each = [
        [
            NearCall(driver.varied(call, slot, other), slot, step)
            for other, step in neighbors(value, words)
        ]
        for slot, value in enumerate(values)
    ]
    swapped = (driver.swapped(call, word, other) for word, other in shared_words(values))
    of_each.append([NearCall(one, SEVERAL, 0) for one in swapped if one])
    found: dict[str, NearCall] = {}
    for one in chain.from_iterable(zip_longest(*of_each)):
        if one and (call.module, call.name, one.call.arguments) not in known:
            found.setdefault(one.call.arguments, one)
    return tuple(islice(found.values(), MOST))


def with_nothing(driver: Driver, call: Recorded) -> Iterator[NearCall]:
    """Yield the call with an empty list, table or text in place of each of its own."""
    for slot, value in enumerate(driver.values(call)):
        if type(value) in (list, tuple, dict, set, str, bytes) and value:
            yield NearCall(driver.varied(call, slot, type(value)()), slot, 0)


def all_of(around: Mapping[Recorded, tuple[NearCall, ...]]) -> list[Recorded]:
    """Return the calls that are near others."""
    return [one.call for group in around.values() for one in group]
