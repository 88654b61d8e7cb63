"""Makes calls of tests one after another in one process: what comes before must not change what they give.

Base is the oracle: what it gives alike, whatever came before, head has to give alike. Of a new function, a
call gives alone what it has to give later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from sandbox.elsewhere.calls_near import chosen
from sandbox.elsewhere.driver import Driver, Looking, Series
from sandbox.elsewhere.sides import Replay
from sandbox.elsewhere.told import Recorded, Run, both_sides
from sandbox.elsewhere.values import MOST_SHOWN, BothSides, OtherResult, Otherwise, SecondLook
from sandbox.elsewhere.variation import neighbors
from sandbox.linters.reading import Node, records

_MOST_CALLS, _FEW = 12, 5
_MOST_OF_A_FUNCTION = 2
_MOST_OF_AN_ARGUMENT = 2
_MOST_OTHERS = 6
_INIT, _NEW = ".__init__", "new "
_HELD = "()"
_TEST = re.compile(r"^[ \t]*(?:async[ ])?def[ ]|^[ \t]*(?:test|it)\b", re.MULTILINE)
"""Where the next test begins."""
_NOTHING = ("returned None", "returned undefined")
_CHANGEABLE = (list, dict, set)


@dataclass(frozen=True, slots=True)
class _Look:
    """A series, what it tries (None: a call without its last argument), and the tested call that it is of."""

    series: Series
    how: Otherwise | None
    tested: Recorded

    @property
    def alone(self) -> tuple[Series, Series]:
        """Its first call, and its last one, each with nothing before it."""
        first, last = self.series.steps[0], self.series.steps[-1]
        return Series((first if self.how else self.tested,)), Series((last,))


@dataclass(frozen=True, slots=True)
class InSeries:
    """The series that are to be made of the tests' calls."""

    looks: tuple[_Look, ...]
    code: str  # of the tests

    @property
    def series(self) -> tuple[Series, ...]:
        """Each of them once, with those that they are compared with."""
        return tuple(dict.fromkeys(s for one in self.looks for s in (*one.alone, one.series)))

    async def alone(self, replay: Replay) -> SecondLook:
        """Make them with no other call. Raises SandboxError."""
        return self.weighed(*await replay.runs((), self.series)) if self.looks else SecondLook()

    def weighed(self, base: Run, head: Run) -> SecondLook:
        """Return the calls that head, and not base, answers otherwise after another one."""
        numbers = {one: number for number, one in enumerate(self.series)}
        gave = _Given(numbers, base, head, self.code)
        found = (
            *map(gave.default, self.looks),
            *(gave.carried(one) or gave.read(one) for one in self.looks),
            *map(gave.shared, self.looks),
        )
        return SecondLook(otherwise=tuple(filter(None, found)))


def in_series(
    driver: Driver, looking: Looking, calls: tuple[Recorded, ...], names: frozenset[str]
) -> InSeries:
    """Return the series of the tests' calls; none without base. `names` are those that only head knows."""
    wanted = [one for one in calls if looking.speaks(one)]
    if looking.base is None or not wanted:
        return InSeries((), looking.code)
    # With how few arguments the tests call each function: they show what comes of so many.
    fewest: dict[tuple[str, str], int] = {}
    for one in calls:
        key, taken = (one.module, one.name), driver.taken(one)
        fewest[key] = min(fewest.get(key, taken), taken)
    looks = (
        look
        for one in islice(
            _chosen(wanted, looking.touched), _MOST_CALLS if driver.is_apart else _FEW
        )
        for version in dict.fromkeys((driver.without(one, names) or one, one))
        for look in _looks(driver, version)
        if look.how or driver.taken(look.series.steps[0]) < fewest[one.module, one.name]
        if look.how is not Otherwise.SAME or not _is_called_twice(one, looking.code)
    )
    return InSeries(tuple(looks), looking.code)


def _chosen(wanted: list[Recorded], touched: Collection[str]) -> Iterator[Recorded]:
    """The calls to make in series: a few of each function, what the change touches and tests call first."""

    def is_later(one: Recorded) -> tuple[bool, bool]:
        return one.name.rpartition(".")[2] not in touched, not one.is_direct

    return chosen(sorted(wanted, key=is_later), _MOST_OF_A_FUNCTION)


def _is_called_twice(call: Recorded, code: str) -> bool:
    """Tell whether a test calls a method twice on what has one name: then it shows what comes of that."""
    method = re.escape(call.name.rpartition(".")[2])
    receivers = (re.findall(rf"(\w+)\.{method}\b", test) for test in _TEST.split(code))
    return any(len(names) > len(set(names)) for names in receivers)


def _looks(driver: Driver, call: Recorded) -> Iterator[_Look]:
    is_new = call.name.startswith(_NEW)  # in JavaScript one call makes several objects
    if is_new or call.name.endswith(_INIT):
        nothing, how = ("[]", Otherwise.SAME) if is_new else ("((), {}, {})", Otherwise.MADE)
        bare = replace(call, arguments=nothing, shown=f"{call.name}()")
        for one in dict.fromkeys((call, bare)):
            yield _Look(Series((one,) if is_new else (one, one)), how, call)
        return
    if shorter := driver.shorter(call):
        yield _Look(Series((shorter,)), None, call)
    is_method = "." in call.name and driver.is_apart
    if is_method:
        yield _Look(Series((call, call), is_one=True), Otherwise.SAME, call)
        yield _Look(Series((call, call)), Otherwise.MADE, call)
    values = driver.values(call)[: driver.taken(call)]
    others = (
        (slot, other)
        for slot, value in enumerate(values)
        for other, _ in islice(neighbors(value, ()), _MOST_OF_AN_ARGUMENT)
    )
    for slot, other in islice(others, _MOST_OTHERS if driver.is_apart else _FEW):
        varied = driver.varied(call, slot, other)
        yield _Look(Series((call, varied), is_one=is_method), Otherwise.OTHER, call)
        is_same_kind = type(other) is type(values[slot]) and type(other) in _CHANGEABLE
        if is_same_kind and driver.is_apart:
            yield _Look(Series((call, varied), is_method, slot), Otherwise.CHANGED, call)


@dataclass(frozen=True, slots=True)
class _Given:
    """What the series gave on both sides, by their numbers."""

    numbers: Mapping[Series, int]
    base: Run
    head: Run
    code: str  # of the tests

    def carried(self, look: _Look) -> OtherResult | None:
        """Return the last call of a series where head answers it otherwise after the first one."""
        first, last = look.series.steps[0], look.series.steps[-1]
        if first.name.endswith(_INIT) or first.name.startswith(_NEW) or look.how is None:
            return None
        (base_first, base_alone, base), (before, alone, later) = (
            [run.series.get(self.numbers[one]) for one in (*look.alone, look.series)]
            for run in (self.base, self.head)
        )
        if before is None or alone is None or later is None or later == alone:
            return None
        is_known = base_alone is not None and not base_alone.startswith("raised ")
        if look.how in (Otherwise.SAME, Otherwise.MADE):
            # What gives nothing does something, and that may not be seen.
            changes = self.numbers[look.series] in self.base.changing
            is_kept = is_known and base == base_alone and base not in _NOTHING and not changes
            is_other = is_kept and alone == base_alone
        else:
            is_stale = later == before
            is_new = not is_known and "." not in first.name and base == base_alone == base_first
            is_other = is_stale and ((is_known and base == base_alone) or is_new)
        if not is_other:
            return None
        both = _cut(last.shown, alone, later)
        return OtherResult(look.how, both, look.tested.path, first.shown[:MOST_SHOWN])

    def read(self, look: _Look) -> OtherResult | None:
        """Return the method of an object that gives something else once more, or on another object."""
        one = look.series.steps[0]
        if not one.name.startswith(_NEW):
            return None
        base, head = (self._methods(run, look) for run in (self.base, self.head))
        for name, (first, again, other) in head.items():
            known = set(base.get(name, ()))
            if (
                _is_called_twice(replace(one, name=name), self.code)
                or known != {first}
                or first in _NOTHING
                or first.startswith("raised ")
            ):
                continue
            call = f"({one.shown}).{name}"
            if again != first:
                return OtherResult(Otherwise.SAME, _cut(call, first, again), one.path)
            if other != first:
                return OtherResult(Otherwise.MADE, _cut(call, first, other), one.path)
        return None

    def _methods(self, run: Run, look: _Look) -> dict[str, tuple[str, str, str]]:
        text = run.series.get(self.numbers[look.series], "")
        found = {}
        for name, told in next(records(text.encode()), Node(None)).members():
            gave = tuple(one.text for one in told)
            if len(gave) == len(("first", "again", "other")):
                found[name] = gave[0], gave[1], gave[2]
        return found

    def _held(self, run: Run, look: _Look) -> list[str]:
        """Return what an object holds that can be changed, behind a sign for whether two have the same."""
        text = run.series.get(self.numbers[look.series], "")
        if look.series.steps[0].name.startswith(_NEW):
            text = next(records(text.encode()), Node(None))[_HELD].text
        return text.split()

    def default(self, look: _Look) -> OtherResult | None:
        """Return a call without an argument for which base has no place, where head answers it otherwise."""
        tested, call = (self.numbers[one] for one in look.alone)
        base, head = self.base.series.get(call), self.head.series.get(call)
        is_ignored = tested in self.base.ignoring and base == self.base.series.get(tested)
        if look.how is not None or not is_ignored or not base or not head:
            return None
        if base == head or base.startswith("raised ") or base in _NOTHING:
            return None
        both = both_sides(look.series.steps[0].shown, base, head)
        return OtherResult(Otherwise.DEFAULT, both, look.tested.path)

    def shared(self, look: _Look) -> OtherResult | None:
        """Return the attribute that two objects of a series have together on head, and on base apart."""
        first = look.series.steps[0]
        if not (first.name.endswith(_INIT) or first.name.startswith(_NEW)):
            return None
        base, head = (self._held(run, look) for run in (self.base, self.head))
        apart = {one[1:] for one in base if one[0] == "+"}
        together = (one[1:] for one in head if one[0] == "=")
        name = next((one for one in together if one in apart), None)
        if name is None:
            return None
        made = first.shown.replace(_INIT, "", 1)
        return OtherResult(Otherwise.SHARED, _cut(made, "", ""), look.tested.path, name)


def _cut(call: str, first: str, then: str) -> BothSides:
    """Return a call and what head gives at first and then, as far as they are shown."""
    return BothSides(call[:MOST_SHOWN], first[:MOST_SHOWN], then[:MOST_SHOWN])
