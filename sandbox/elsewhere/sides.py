"""What recorded calls, made again, give on base and on head."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from sandbox.base import Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.calls_near import NearCall
from sandbox.elsewhere.driver import Again, Driver, Looking, Series
from sandbox.elsewhere.told import (
    SHOWN,
    CallOutcome,
    Recorded,
    Run,
    both_sides,
    is_only_kept_otherwise,
    is_same,
    later_answer,
    left_behind,
    place_in,
    read_run,
    shown_beside,
)
from sandbox.elsewhere.values import (
    MOST_SHOWN,
    RAISED,
    SEVERAL,
    BothSides,
    Difference,
    OtherResult,
    Otherwise,
    Swapped,
    TestedInput,
    Unmeasured,
    moves_boundary,
)
from sandbox.linters.reading import Node

_FEW = 3
_MOST_UNREAD = 1_000
_OF_NO_ORDER_ITSELF = ("returned {", "returned set(", "returned frozenset(")
_UNABLE = re.compile(RAISED + r" (?:TypeError|AttributeError|NameError|ReferenceError)\b")
_OPENS = ("returned [", "returned {")
"""How a list or a table is told."""
_NOTHING = re.compile(r"(?:returned|resolved) (?:undefined|null|NaN)$")


@dataclass(frozen=True, slots=True)
class Swap:
    """A tested call, and the same with another name of those that stand side by side."""

    tested: Recorded
    name: str
    other: str
    call: Recorded


@dataclass(slots=True)
class AtLength:
    """Calls that the first program on head makes at length besides its own, and what came of them."""

    calls: tuple[Recorded, ...]
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class Replay:
    """Makes calls again, in the other place, on both sides; `told` is the recording's record."""

    sandbox: Sandbox
    driver: Driver
    looking: Looking
    told: Node
    at_length: AtLength = field(default_factory=lambda: AtLength(()))

    async def runs(
        self, asked: Sequence[Recorded], series: tuple[Series, ...] = (), seed: int = 0
    ) -> tuple[Run, Run]:
        """Return what base and head told: one program on each makes all calls. Raises SandboxError.

        Base has to be built.
        """
        looking, trees = self.looking, self.looking.checkout
        places = (trees.base_tree, looking.base), (trees.head_tree, looking.head)
        again = (
            Again(looking, self.told, tuple(asked), tree, built, looking.workspace)
            for tree, built in places
            if built is not None
        )
        on_base, on_head = (replace(one, is_brief=True, seed=seed, series=series) for one in again)
        if self.at_length.run is None:
            on_head = replace(on_head, at_length=self.at_length.calls)
        both = map(self.driver.plain, (on_base, on_head))
        done = await concurrently(*map(self.sandbox.run, both))
        base, head = map(read_run, done)
        if on_head.at_length:
            first, of_both = len(asked), head.outcomes
            head = replace(head, outcomes={n: one for n, one in of_both.items() if n < first})
            if done[1].exit_code == 0:  # else the time may have been over for them
                others = {n - first: one for n, one in of_both.items() if n >= first}
                self.at_length.run = replace(head, outcomes=others)
        return base, head

    async def on_both(self, asked: Sequence[Recorded], seed: int = 0) -> CallsOfBoth:
        """Return what calls give on both sides. Raises SandboxError."""
        return self.compared(asked, *await self.runs(asked, seed=seed))

    def compared(self, asked: Sequence[Recorded], base: Run, head: Run) -> CallsOfBoth:
        """Return what calls gave, of what both sides told of them."""
        unread = {
            (one["path"].text, one["test"].text, one["name"].text)
            for one in islice(self.told["unread"], _MOST_UNREAD)
        }
        before = {one: base.outcomes.get(number) for number, one in enumerate(asked)}
        after = {one: head.outcomes.get(number) for number, one in enumerate(asked)}
        for call, found in after.items():
            known = before[call]
            if found and known and is_only_kept_otherwise(known.text, found.text):
                after[call] = replace(found, text=known.text)
            elif call.of_object and found and _UNABLE.match(found.all):
                before[call] = after[call] = None  # head can do nothing with such an object
        return CallsOfBoth(
            before,
            after,
            head.place,
            place_in(self.told),
            frozenset(unread),
        )

    async def with_a_second_try(self, sides: CallsOfBoth, calls: Sequence[Recorded]) -> CallsOfBoth:
        """Return the same, with what head gives to those calls alone that base answers and head does not.

        On a busy machine the time may have been too short for them beside others. Where calls share a
        process, what another one set up may be why one gives something else. Raises SandboxError.
        """
        lost = [one for one in calls if sides.base.get(one) and not sides.head.get(one)]
        mixed = () if self.driver.is_apart else filter(sides.varies_newly, calls)
        for asked in (lost, *([one] for one in islice(mixed, _FEW))):
            if asked:
                again = await self.on_both(asked)
                sides = replace(sides, head=sides.head | again.head)
        return sides


@dataclass(frozen=True, slots=True)
class CallsOfBoth:
    """What the calls gave on both sides."""

    base: dict[Recorded, CallOutcome | None]
    head: dict[Recorded, CallOutcome | None]
    there: dict[str, str]  # where they were made on head
    here: dict[str, str]  # where the tests ran
    unread: frozenset[tuple[str, str, str]]  # path, test, and the function ("" for any)

    def joined(self, other: CallsOfBoth) -> CallsOfBoth:
        """Return the same with what other calls gave."""
        return replace(self, base=self.base | other.base, head=self.head | other.head)

    def may_differ(self, call: Recorded) -> bool:
        """Tell whether a call of the tests shows the change, or calls what is new."""
        base, head = self.base.get(call), self.head.get(call)
        return head is not None and (base is None or base.all != head.all)

    def varies_newly(self, call: Recorded) -> bool:
        """Tell whether a call gives something else each time on head, and does not on base."""
        base, head = self.base.get(call), self.head.get(call)
        return bool(base and head and head.unsteady and not base.unsteady)

    def clear(self, call: Recorded) -> BothSides | None:
        """Return what both sides give; None where one gave nothing, or something else each time."""
        base, head = self.base.get(call), self.head.get(call)
        if base is None or head is None or base.unsteady or head.unsteady:
            return None
        return both_sides(call.shown, base.all, head.all)

    def lacks(self, call: Recorded, plain: Container[Recorded]) -> bool:
        """Tell whether base cannot be called so, with new names: then all calls near it are refused."""
        base = self.base.get(call)
        return call in plain and base is not None and base.all == "raised TypeError"

    def weighed(
        self, call: Recorded, around: Iterable[NearCall], values: tuple[Any, ...]
    ) -> TestedInput | None:
        """Return a tested input at which base and head differ, or nobody knows; None for others."""
        base, head = self.base.get(call), self.head.get(call)
        is_steady = base is not None and not (base.unsteady or _UNABLE.match(base.all))
        if head is None:
            return unmeasured(call, Unmeasured.NO_ANSWER if is_steady else Unmeasured.UNKNOWN)
        is_unsteady = head.unsteady or (base is not None and base.unsteady)
        is_as_seen = is_same(call.outcome, self.here, head.text, self.there)
        # What the tests set up may be another thing than what the change does.
        is_shown = is_as_seen or (is_steady and base is not None and base.all != head.all)
        if is_unsteady or not is_shown:
            varies = Unmeasured.UNSTEADY_NOW if is_steady else Unmeasured.UNSTEADY
            why = varies if is_unsteady else Unmeasured.ELSEWHERE
            later = later_answer(base, head) if is_as_seen else ""
            return replace(unmeasured(call, why), later=later)
        if base is None:
            return self._new(call, head, around)
        tested = both_sides(call.shown, base.all, head.all)
        if not tested.differs:
            return None
        around = tuple(around)
        known = [(one, both) for one in around if (both := self._informative(one.call))]
        refused = (one for one in around if self._is_refused_as(base, one.call))
        raised = base.all[:MOST_SHOWN]
        return TestedInput(
            tested,
            call.name,
            call.path,
            call.test,
            values=tuple(
                repr(values[slot][member] if member else values[slot])
                for slot, member in sorted({one.place for one, _ in known})
                if slot != SEVERAL
            ),
            near=tuple(
                replace(
                    both,
                    call=shown_beside(one.call.shown, call.shown),
                    slot=one.slot,
                    member=one.member,
                    is_alike=one.is_alike,
                )
                for one, both in known
            ),
            moves_boundary=moves_boundary(tested, [(one.slot, one.step, at) for one, at in known]),
            still=tuple(
                BothSides(shown_beside(one.call.shown, call.shown), raised, raised, one.slot)
                for one in refused
            ),
            left=left_behind(base, head),
            is_shared=head.shared and not base.shared and base.all.startswith(_OPENS),
            unanswered=sum(
                bool(self.base.get(o.call) and not self.head.get(o.call)) for o in around
            ),
        )

    def seen_elsewhere(self, call: Recorded, around: Iterable[NearCall]) -> list[tuple[int, str]]:
        """Return the places of a call at which no other value showed the change, where one elsewhere did."""
        seen: dict[tuple[int, str], bool] = {}
        for one in around:
            if both := self._informative(one.call):
                seen[one.place] = seen.get(one.place, False) or both.differs
        seen.pop((SEVERAL, ""), None)
        return [place for place, is_seen in seen.items() if not is_seen and any(seen.values())]

    def not_plain(self, calls: Iterable[Recorded]) -> list[TestedInput]:
        """Say once for a test of what it also calls with no plain values; the function may be any of its."""
        found = {}
        for one in calls:
            for name in {"", one.name}:
                key = (one.path, one.test, name)
                if key in self.unread:
                    found[key] = replace(unmeasured(one, Unmeasured.NO_PLAIN_INPUT), function=name)
        return list(found.values())

    def _new(self, call: Recorded, head: CallOutcome, around: Iterable[NearCall]) -> TestedInput:
        """Return the input of a new function; with what is near it where that all gives the same."""
        outcomes = [(one.call, self.head.get(one.call)) for one in around]
        near = [
            both_sides(one.shown, "", found.all)
            for one, found in outcomes
            if found and not found.unsteady
        ]
        tested = both_sides(call.shown, "", head.all)
        is_constant = {one.on_head for one in near} == {tested.on_head}
        return TestedInput(
            tested,
            call.name,
            call.path,
            call.test,
            near=tuple(near) if is_constant else (),
            problem=Unmeasured.NEW,
        )

    def answered_once(self, call: Recorded) -> Difference | None:
        """Return a call that gives what the test saw, and then what base gives each time.

        State that is meant goes on to something else, or the tests show it.
        """
        base, head = self.base.get(call), self.head.get(call)
        if base is None or head is None or base.unsteady or base.later or not head.later:
            return None
        if base.all in (head.all, "") or head.later != base.all:
            return None
        if not is_same(call.outcome, self.here, head.text, self.there):
            return None
        told = call.outcome[:SHOWN], head.later[:SHOWN]
        return Difference(call.shown, call.name, *told, call.path, call.test, head.times)

    def in_other_order(self, call: Recorded, other: CallsOfBoth) -> OtherResult | None:
        """Return a call that base answers alike where hashes are others, and head in another order."""
        base, head = self.base.get(call), self.head.get(call)
        then, now = other.base.get(call), other.head.get(call)
        if not (base and head and then and now) or head.unsteady or now.unsteady:
            return None
        is_kept = base.all == then.all and not base.unsteady and not re.match(RAISED, base.all)
        is_mixed = head.all != now.all and sorted(head.all) == sorted(now.all)
        if not is_kept or not is_mixed or head.all.startswith(_OF_NO_ORDER_ITSELF):
            return None
        both = both_sides(call.shown, head.all, now.all)
        return OtherResult(Otherwise.UNORDERED, both, call.path)

    def told_apart(self, swap: Swap) -> Swapped | None:
        """Return what both sides give with the other name; None where nobody knows, or none can call so."""
        outcomes = [
            side.get(one) for one in (swap.tested, swap.call) for side in (self.base, self.head)
        ]
        known = [one for one in outcomes if one and not one.unsteady]
        if len(known) < len(outcomes):
            return None
        base, head, other_base, other_head = known
        is_unable = other_base.all == other_head.all and _UNABLE.match(other_head.all)
        if head.all == base.all or is_unable:
            return None
        return Swapped(
            swap.name,
            swap.other,
            both_sides(swap.tested.shown, base.all, head.all),
            both_sides(swap.call.shown, other_base.all, other_head.all),
            swap.tested.path,
            is_alike=head.all == other_head.all,
        )

    def _is_refused_as(self, tested: CallOutcome, call: Recorded) -> bool:
        """Tell whether both sides raise at a call what base raises at another one."""
        both = (self.base.get(call), self.head.get(call))
        is_refused = re.match(RAISED, tested.all) is not None
        return is_refused and all(
            one and not one.unsteady and one.all == tested.all for one in both
        )

    def _informative(self, call: Recorded) -> BothSides | None:
        """Return what both sides give; None where they refuse alike, or where one gave nothing clear."""
        both, head = self.clear(call), self.head.get(call)
        if both is None or head is None:
            return None
        is_nothing = both.is_refused or _NOTHING.match(head.text)
        return None if is_nothing and not both.differs else both


def unmeasured(call: Recorded, why: Unmeasured) -> TestedInput:
    """Say why nothing is known of what is near a call."""
    nothing = BothSides(call.shown[:MOST_SHOWN], "", "")
    return TestedInput(nothing, call.name, call.path, call.test, problem=why)
