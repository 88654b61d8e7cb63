"""Makes the calls of the tests that speak for the change, and calls near them, on base and on head."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from sandbox.base import Sandbox
from sandbox.concurrently import concurrently
from sandbox.elsewhere.driver import Again, Driver, Looking
from sandbox.elsewhere.told import Outcome, Recorded, Run, is_same, place_in, read_run
from sandbox.elsewhere.values import BothSides, TestedInput, Unmeasured
from sandbox.elsewhere.variation import MOST, near
from sandbox.linters.reading import Node

_MOST_OF_A_FUNCTION = 4
_MOST_INPUTS = 16
_MOST_UNREAD = 1_000
_MOST_WORDS = 12
_SHOWN = 80
_LONGEST_WORD = 40
_WRITTEN = re.compile(r"(?<![\w.])-?\d{1,9}(?![\w.])|\"([^\"\\\n]{1,40})\"|'([^'\\\n]{1,40})'")
_REFUSED = re.compile(r"raised|(?:returned|resolved) (?:undefined|null|NaN)$")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")


@dataclass(frozen=True, slots=True)
class _Near:
    """A call near another; `step` is -1 or 1 where one of its numbers is that much off, `slot` which one."""

    call: Recorded
    slot: int
    step: int


async def replay_nearby(
    sandbox: Sandbox,
    driver: Driver,
    looking: Looking,
    told: Node,
    calls: tuple[Recorded, ...],
) -> tuple[TestedInput, ...]:
    """Return the inputs at which the tests see the change, each with calls near it. Raises SandboxError.

    One program on each side makes all of them, each in a process of its own and twice.
    """
    wanted = _outermost(calls, looking.tests)
    if not wanted:
        return nothing_called(looking)
    if looking.base is None:
        return tuple(_unmeasured(one, Unmeasured.NO_BASE) for one in wanted[:1])
    words = tuple(_literals(looking))
    known = {(one.module, one.name, one.arguments) for one in calls}
    around = {one: _around(driver, one, words, known) for one in _chosen(wanted)}
    asked = tuple(chain(wanted, (one.call for group in around.values() for one in group)))
    places = (looking.checkout.base_tree, looking.base), (looking.checkout.head_tree, looking.head)
    again = (
        Again(looking, told, asked, *place, looking.workspace, is_brief=True) for place in places
    )
    done = await concurrently(*(sandbox.run(driver.plain(one)) for one in again))
    base, head = map(read_run, done)
    numbers = {one: number for number, one in reversed(list(enumerate(asked)))}
    unread = {
        (one["path"].text, one["test"].text, one["name"].text)
        for one in islice(told["unread"], _MOST_UNREAD)
    }
    sides = _Sides(base, head, numbers, place_in(told), frozenset(unread))
    found = (
        sides.weighed(one, around.get(one, ()), tuple(map(repr, driver.values(one))))
        for one in wanted
    )
    return tuple(one for one in found if one)


def nothing_called(looking: Looking) -> tuple[TestedInput, ...]:
    """Say of every file of the tests that no call of its was seen."""
    nothing = BothSides("", "", "")
    return tuple(
        TestedInput(nothing, "", path, "", problem=Unmeasured.NO_CALLS) for path in looking.paths
    )


def _chosen(wanted: list[Recorded]) -> Iterator[Recorded]:
    """The calls to vary: a few of each function."""
    counted: dict[tuple[str, str], int] = {}
    taken = 0
    for one in wanted:
        key = (one.module, one.name)
        counted[key] = counted.get(key, 0) + 1
        if counted[key] <= _MOST_OF_A_FUNCTION and taken < _MOST_INPUTS:
            taken += 1
            yield one


def _around(
    driver: Driver,
    call: Recorded,
    words: tuple[object, ...],
    known: set[tuple[str, str, str]],
) -> tuple[_Near, ...]:
    """Calls that differ from one in one argument, the arguments in turn; none that a test makes."""
    values = driver.values(call)
    of_each = [_of_slot(driver, call, slot, value, words) for slot, value in enumerate(values)]
    found: dict[str, _Near] = {}
    for one in chain.from_iterable(zip_longest(*of_each)):
        if one and (call.module, call.name, one.call.arguments) not in known:
            found.setdefault(one.call.arguments, one)
    return tuple(islice(found.values(), MOST))


def _of_slot(
    driver: Driver, call: Recorded, slot: int, value: object, words: tuple[object, ...]
) -> Iterator[_Near]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    own = [one for one in words if type(one) is type(value) and one != value]
    values = near(value)
    for other in (*values[:4], *own[:4], *values[4:]):
        step = (other > value) - (other < value) if is_number and other in values[:2] else 0
        yield _Near(driver.varied(call, slot, other), slot, step)


def _literals(looking: Looking) -> Iterator[object]:
    """The words and numbers that the change puts into code that is no test's."""
    tests = set(looking.test_files)
    added = (
        line[1:]
        for file in looking.checkout.diff.files
        if file.path not in tests
        for hunk in file.hunks
        for line in hunk.lines
        if line.startswith("+")
    )
    found: dict[object, None] = {}
    for match in islice(_WRITTEN.finditer("\n".join(added)), 20 * _MOST_WORDS):
        quoted = match[1] or match[2]
        found.setdefault(quoted or int(match[0]))
    return islice(iter(found), _MOST_WORDS)


@dataclass(frozen=True, slots=True)
class _Sides:
    """What the calls gave on both sides, by their numbers."""

    base: Run
    head: Run
    numbers: dict[Recorded, int]
    place: dict[str, str]  # where the tests ran
    unread: frozenset[tuple[str, str, str]]  # path, test, and the function ("" for any)

    def weighed(
        self, call: Recorded, around: Iterable[_Near], values: tuple[str, ...]
    ) -> TestedInput | None:
        """Return a tested input at which base and head differ, or nobody knows; None for others."""
        if self.unread & {(call.path, call.test, name) for name in ("", call.name)}:
            return _unmeasured(call, Unmeasured.NO_PLAIN_INPUT)
        number = self.numbers[call]
        base, head = self.base.outcomes.get(number), self.head.outcomes.get(number)
        if head is None or base is None:
            return _unmeasured(call, Unmeasured.NEW if head else Unmeasured.UNKNOWN)
        if base.unsteady or head.unsteady:
            return _unmeasured(call, Unmeasured.UNSTEADY)
        if not is_same(call.outcome, self.place, head.text, self.head.place):
            return _unmeasured(call, Unmeasured.ELSEWHERE)
        tested = _both(call, base, head)
        if not tested.differs:
            return None
        known = [(one, both) for one in around if (both := self._informative(one.call))]
        return TestedInput(
            tested,
            call.name,
            call.path,
            call.test,
            values=tuple(values[slot] for slot in sorted({one.slot for one, _ in known})),
            near=tuple(both for _, both in known),
            moves_boundary=_moves_boundary(tested, known),
        )

    def _informative(self, call: Recorded) -> BothSides | None:
        """Return what both sides give; None where they refuse alike, or where one gave nothing clear."""
        number = self.numbers[call]
        base, head = self.base.outcomes.get(number), self.head.outcomes.get(number)
        if base is None or head is None or base.unsteady or head.unsteady:
            return None
        both = _both(call, base, head)
        return None if _REFUSED.match(head.text) and not both.differs else both


def _both(call: Recorded, base: Outcome, head: Outcome) -> BothSides:
    texts = [_ADDRESS.sub("0x…", one.text) for one in (base, head)]
    if texts[0] == texts[1]:
        return BothSides(call.shown[:_SHOWN], *(one[:_SHOWN] for one in texts))
    at = next((n for n, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    begin = 0 if at < _SHOWN - 10 else at - 10
    shown = [f"{'… ' if begin else ''}{one[begin : begin + _SHOWN]}" for one in texts]
    return BothSides(call.shown[:_SHOWN], *shown)


def _moves_boundary(tested: BothSides, known: list[tuple[_Near, BothSides]]) -> bool:
    steps: dict[int, dict[int, BothSides]] = {}
    for one, both in known:
        if one.step and not both.differs:
            steps.setdefault(one.slot, {}).setdefault(one.step, both)
    own = {tested.on_base, tested.on_head}
    return any(
        {both.on_head for both in of_slot.values()} == own
        for of_slot in steps.values()
        if len(of_slot) == 2
    )


def _unmeasured(call: Recorded, why: Unmeasured) -> TestedInput:
    nothing = BothSides(call.shown[:_SHOWN], "", "")
    return TestedInput(nothing, call.name, call.path, call.test, problem=why)


def _outermost(calls: tuple[Recorded, ...], tests: tuple[str, ...]) -> list[Recorded]:
    """The calls of these tests; of one that calls functions itself, not what these call in turn."""
    wanted = [one for one in calls if any(one.test in test for test in tests)]
    own = {(one.path, one.test) for one in wanted if one.is_direct}
    return [one for one in wanted if one.is_direct or (one.path, one.test) not in own]
