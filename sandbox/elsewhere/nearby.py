"""Makes the calls of the tests that speak for the change, and calls near them, on base and on head."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, permutations

from sandbox.base import Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.calls_near import (
    MOST_INPUTS,
    MOST_OF_A_FUNCTION,
    NearCall,
    all_of,
    calls_around,
    chosen,
    with_nothing,
)
from sandbox.elsewhere.driver import Again, Driver, Looking
from sandbox.elsewhere.long_inputs import long_calls, long_input, unanswered
from sandbox.elsewhere.new_names import added_code, changed_defaults, new_names
from sandbox.elsewhere.told import (
    SHOWN,
    Outcome,
    Recorded,
    both_sides,
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
    SecondLook,
    Swapped,
    TestedInput,
    Unmeasured,
    moves_boundary,
)
from sandbox.elsewhere.variation import literals
from sandbox.linters.reading import Node

_FEW = 3
_MOST_UNREAD = 1_000
_RAISES = re.compile(r"\b(?:raise|throw(?:[ ]new)?)[ ]+([A-Za-z_$][\w$]*)")
_LEAST_KEY = 2
_UNABLE = re.compile(RAISED + r" (?:TypeError|AttributeError|NameError|ReferenceError)\b")
_OPENS = ("returned [", "returned {")
"""How a list or a table is told."""
_NOTHING = re.compile(r"(?:returned|resolved) (?:undefined|null|NaN)$")


@dataclass(frozen=True, slots=True)
class _Swap:
    """A tested call, and the same with another name of those that stand side by side."""

    tested: Recorded
    name: str
    other: str
    call: Recorded


async def replay_nearby(
    sandbox: Sandbox,
    driver: Driver,
    looking: Looking,
    told: Node,
    calls: tuple[Recorded, ...],
) -> SecondLook:
    """Return the inputs at which the tests see the change, each with calls near it. Raises SandboxError.

    A program on each side makes all of them, each in a process of its own and twice: those near to many in a
    second one, once it is known which of these show the change.
    """
    # Of a test that calls functions itself, not what these call in turn.
    wanted = [one for one in calls if any(one.test in test for test in looking.tests)]
    own = {(one.path, one.test) for one in wanted if one.is_direct}
    wanted = [one for one in wanted if one.is_direct or (one.path, one.test) not in own]
    if not wanted:
        return SecondLook(inputs=nothing_called(looking))
    if looking.base is None:
        return SecondLook(inputs=(_unmeasured(wanted[0], Unmeasured.NO_BASE),))
    added = added_code(looking.checkout.diff, set(looking.test_files))
    words, errors = literals(added), tuple(dict.fromkeys(_RAISES.findall(added)))
    known = {(one.module, one.name, one.arguments) for one in calls}

    def near(some: list[Recorded]) -> dict[Recorded, tuple[NearCall, ...]]:
        return {one: calls_around(driver, one, words, known) for one in chosen(some)}

    # A start takes longer than the calls near a few tested ones, and apart they do not disturb these.
    is_at_once = driver.is_apart and len(wanted) <= _FEW and not looking.beside
    around = near(wanted) if is_at_once else {}
    names = await asyncio.to_thread(new_names, looking.checkout, looking.test_files)
    plain = {one: other for one in wanted if (other := driver.without(one, names))}
    beside = near([*dict.fromkeys(plain.values())])
    without = {one: (call, *(o.call for o in beside.get(call, ()))) for one, call in plain.items()}
    long = long_calls(driver, wanted, wanted) if is_at_once else ()
    asked = [*wanted, *all_of(around), *dict.fromkeys(chain(*without.values()))]
    asked += [one.call for one in long]
    sides = await _made(sandbox, driver, looking, told, asked)
    swaps: tuple[_Swap, ...] = ()
    if not is_at_once:
        seen = [one for one in wanted if sides.may_differ(one) and not sides.lacks(one, plain)]
        around, swaps = near(seen), tuple(_swaps(driver, looking, seen))
        long = long_calls(driver, wanted, seen)
        # The long ones are last: one that comes to no end may take the rest of the time.
        if more := [*all_of(around), *(one.call for one in swaps), *(one.call for one in long)]:
            sides = sides.with_more(await _made(sandbox, driver, looking, told, more))
    around = {one: calls for one, calls in around.items() if not sides.lacks(one, plain)}
    weighed = (
        sides.weighed(one, around.get(one, ()), tuple(map(repr, driver.values(one))))
        for one in wanted
    )
    found = (*weighed, *sides.not_plain(wanted))
    texts = [one for one in words if isinstance(one, str) and len(one) >= _LEAST_KEY]
    inputs = []
    for shown in filter(None, found):
        call = shown.tested.call.lower()  # of which texts of the change are a part
        keys = tuple(text for text in texts if text.lower() in call and "`" not in text)
        inputs.append(replace(shown, keys=keys, errors=errors))
    told_apart = tuple(one for swap in swaps if (one := sides.told_apart(swap)))
    differences = tuple(filter(None, map(sides.answered_once, wanted)))
    defaults = tuple(changed_defaults(wanted, without, sides.base, sides.head))
    too_long = []
    if first := next(unanswered(long, sides.base, sides.head, errors), None):
        alone = await _made(sandbox, driver, looking, told, [first.call])
        if any(unanswered([first], alone.base, alone.head, errors)):
            too_long.append(long_input(first, alone.head[first.call]))
    return SecondLook(
        inputs=tuple(inputs),
        swapped=told_apart,
        differences=differences,
        defaults=defaults,
        too_long=tuple(too_long),
    )


async def replay_held(
    sandbox: Sandbox,
    driver: Driver,
    looking: Looking,
    told: Node,
    calls: tuple[Recorded, ...],
) -> SecondLook:
    """Return calls near those of tests that hold that come otherwise on head. Raises SandboxError."""
    known = {(one.module, one.name, one.arguments) for one in calls}
    words = literals(added_code(looking.checkout.diff, set(looking.test_files)))
    own = sorted(calls, key=lambda one: one.name.rpartition(".")[2] not in looking.touched)
    around = {
        one: (*with_nothing(driver, one), *calls_around(driver, one, words, known))
        for one in chosen(own)
    }
    if looking.base is None or not around:
        return SecondLook()
    sides = await _made(sandbox, driver, looking, told, [*around, *all_of(around)])
    near = {one: (one, *(other.call for other in group)) for one, group in around.items()}
    return SecondLook(defaults=tuple(changed_defaults((), near, sides.base, sides.head)))


def _swaps(driver: Driver, looking: Looking, seen: list[Recorded]) -> Iterator[_Swap]:
    """Calls with what a task puts side by side in place of what they have, and no call of the tests has."""
    pairs = dict.fromkeys(pair for group in looking.beside for pair in permutations(group, 2))
    found = (
        _Swap(call, name, other, made)
        for name, other in pairs
        if not any(_has(driver, one, other, name) for one in seen)
        for call in [one for one in seen if _has(driver, one, name, other)][:MOST_OF_A_FUNCTION]
        if (made := driver.swapped(call, name, other))
    )
    return islice(found, MOST_INPUTS)


def _has(driver: Driver, call: Recorded, text: str, other: str) -> bool:
    """Tell whether a call has a text that could be another one; what has signs in it stands by itself."""
    if re.fullmatch(r"\w+", text) or not any(letter.isalnum() for letter in text):
        return driver.swapped(call, text, other) is not None
    alone = rf"(?<![^\s\"'(\[{{,:]){re.escape(text)}(?![^\s\"')\]}},:])"
    return re.search(alone, call.arguments) is not None


async def _made(
    sandbox: Sandbox, driver: Driver, looking: Looking, told: Node, asked: Sequence[Recorded]
) -> _Sides:
    """Make calls on both sides: one program each makes all of them."""
    places = (looking.checkout.base_tree, looking.base), (looking.checkout.head_tree, looking.head)
    again = (
        Again(looking, told, tuple(asked), tree, built, looking.workspace, is_brief=True)
        for tree, built in places
        if built is not None
    )
    done = await concurrently(*(sandbox.run(driver.plain(one)) for one in again))
    base, head = map(read_run, done)
    unread = {
        (one["path"].text, one["test"].text, one["name"].text)
        for one in islice(told["unread"], _MOST_UNREAD)
    }
    return _Sides(
        {one: base.outcomes.get(number) for number, one in enumerate(asked)},
        {one: head.outcomes.get(number) for number, one in enumerate(asked)},
        head.place,
        place_in(told),
        frozenset(unread),
    )


def nothing_called(looking: Looking) -> tuple[TestedInput, ...]:
    """Say of every file of the tests that no call of its was seen."""
    nothing = BothSides("", "", "")
    return tuple(
        TestedInput(nothing, "", path, "", problem=Unmeasured.NO_CALLS) for path in looking.paths
    )


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the calls gave on both sides."""

    base: dict[Recorded, Outcome | None]
    head: dict[Recorded, Outcome | None]
    there: dict[str, str]  # where they were made on head
    here: dict[str, str]  # where the tests ran
    unread: frozenset[tuple[str, str, str]]  # path, test, and the function ("" for any)

    def with_more(self, other: _Sides) -> _Sides:
        """Return these with what other calls gave."""
        return replace(self, base=self.base | other.base, head=self.head | other.head)

    def may_differ(self, call: Recorded) -> bool:
        """Tell whether a call of the tests shows the change, or calls what is new."""
        base, head = self.base.get(call), self.head.get(call)
        return head is not None and (base is None or base.all != head.all)

    def lacks(self, call: Recorded, plain: Container[Recorded]) -> bool:
        """Tell whether base cannot be called so, with new names: then all calls near it are refused."""
        base = self.base.get(call)
        return call in plain and base is not None and base.all == "raised TypeError"

    def weighed(
        self, call: Recorded, around: Iterable[NearCall], values: tuple[str, ...]
    ) -> TestedInput | None:
        """Return a tested input at which base and head differ, or nobody knows; None for others."""
        base, head = self.base.get(call), self.head.get(call)
        if head is None:
            return _unmeasured(call, Unmeasured.UNKNOWN)
        is_unsteady = head.unsteady or (base is not None and base.unsteady)
        is_as_seen = is_same(call.outcome, self.here, head.text, self.there)
        if is_unsteady or not is_as_seen:
            why = Unmeasured.UNSTEADY if is_unsteady else Unmeasured.ELSEWHERE
            later = later_answer(base, head) if is_as_seen else ""
            return replace(_unmeasured(call, why), later=later)
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
                values[slot] for slot in sorted({one.slot for one, _ in known} - {SEVERAL})
            ),
            near=tuple(
                replace(both, call=shown_beside(one.call.shown, call.shown), slot=one.slot)
                for one, both in known
            ),
            moves_boundary=moves_boundary(tested, [(one.slot, one.step, at) for one, at in known]),
            still=tuple(
                BothSides(shown_beside(one.call.shown, call.shown), raised, raised, one.slot)
                for one in islice(refused, _FEW)
            ),
            left=left_behind(base, head),
            is_shared=head.shared and not base.shared and base.all.startswith(_OPENS),
        )

    def not_plain(self, calls: Iterable[Recorded]) -> list[TestedInput]:
        """Say once for a test of what it also calls with no plain values; the function may be any of its."""
        found = {}
        for one in calls:
            for name in {"", one.name}:
                key = (one.path, one.test, name)
                if key in self.unread:
                    found[key] = replace(_unmeasured(one, Unmeasured.NO_PLAIN_INPUT), function=name)
        return list(found.values())

    def _new(self, call: Recorded, head: Outcome, around: Iterable[NearCall]) -> TestedInput:
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

    def told_apart(self, swap: _Swap) -> Swapped | None:
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

    def _is_refused_as(self, tested: Outcome, call: Recorded) -> bool:
        """Tell whether both sides raise at a call what base raises at another one."""
        both = (self.base.get(call), self.head.get(call))
        is_refused = re.match(RAISED, tested.all) is not None
        return is_refused and all(
            one and not one.unsteady and one.all == tested.all for one in both
        )

    def _informative(self, call: Recorded) -> BothSides | None:
        """Return what both sides give; None where they refuse alike, or where one gave nothing clear."""
        base, head = self.base.get(call), self.head.get(call)
        if base is None or head is None or base.unsteady or head.unsteady:
            return None
        both = both_sides(call.shown, base.all, head.all)
        is_nothing = both.is_refused or _NOTHING.match(head.text)
        return None if is_nothing and not both.differs else both


def _unmeasured(call: Recorded, why: Unmeasured) -> TestedInput:
    nothing = BothSides(call.shown[:MOST_SHOWN], "", "")
    return TestedInput(nothing, call.name, call.path, call.test, problem=why)
