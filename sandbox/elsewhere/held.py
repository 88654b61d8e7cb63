"""Calls that other tests make of functions that the change touches, and calls near them: what is to stay."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from sandbox.elsewhere.calls_near import NearCall, all_of, calls_beside
from sandbox.elsewhere.driver import Driver, Looking
from sandbox.elsewhere.sides import CallsOfBoth
from sandbox.elsewhere.told import Recorded
from sandbox.elsewhere.values import OtherResult, Otherwise, end_of

_MOST, _MOST_NEAR = 4, 12


@dataclass(frozen=True, slots=True)
class HeldCalls:
    """One call of each of a few functions, with calls near it; `wanted` are those that show the change."""

    driver: Driver
    wanted: list[Recorded]
    near: Mapping[Recorded, tuple[NearCall, ...]]

    @property
    def all(self) -> list[Recorded]:
        """Return all of these calls."""
        return [*self.near, *all_of(self.near)]

    def as_before(
        self, sides: CallsOfBoth, plain: Collection[Recorded]
    ) -> dict[Recorded, tuple[Recorded, ...]]:
        """Return the calls, each with those near it, of functions that `wanted` calls with what is new only.

        `plain` are those that do: without that the function stays as it is.
        """
        new = {(one.module, one.name) for one in plain}
        new -= {(o.module, o.name) for o in self.wanted if o not in plain and sides.may_differ(o)}
        return {
            call: (call, *(one.call for one in near))
            for call, near in self.near.items()
            if (call.module, call.name) in new and not sides.may_differ(call)
        }

    def worse(self, sides: CallsOfBoth, raised: Collection[str]) -> Iterator[OtherResult]:
        """Yield a call near each of those that come alike on both sides that head ends badly at.

        Not as a call of the tests ends on head, nor with an error that the change itself raises. An object
        that base gives up at is none that a program has.
        """
        ends = ((one, sides.head.get(one)) for one in (*self.wanted, *self.near))
        known = {(one.name, end_of(end.all)) for one, end in ends if end}
        for call, near in self.near.items():
            values = self.driver.values(call)
            for one in () if sides.may_differ(call) else near:
                both = sides.clear(one.call)
                if both is None:
                    continue
                is_no_object = both.was_refused and one.slot >= self.driver.taken(call)
                is_nonsense = is_no_object or (
                    0 <= one.slot < len(values) and values[one.slot] is None
                )
                is_known = both.bad_end in raised or (call.name, both.bad_end) in known
                if both.bad_end and not is_known and not is_nonsense:
                    yield OtherResult(Otherwise.WORSE, both, call.path)
                    break


def held_calls(
    driver: Driver,
    looking: Looking,
    calls: tuple[Recorded, ...],
    wanted: list[Recorded],
    words: tuple[object, ...],
) -> HeldCalls:
    """Return a few calls that the other tests of these files make, of functions that the change touches."""
    found: dict[tuple[str, str], Recorded] = {}
    for one in calls:
        is_touched = one.name.rpartition(".")[2] in looking.touched
        if one.is_direct and is_touched and one not in wanted:
            found.setdefault((one.module, one.name), one)
    near = {
        one: calls_beside(driver, one, words, calls, wanted)[:_MOST_NEAR]
        for one in islice(found.values(), _MOST)
    }
    return HeldCalls(driver, wanted, near)
