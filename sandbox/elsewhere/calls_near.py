"""The calls near some calls: one argument at a time is another one, or a very long text or list.

A pattern that can match one text in very many ways, or a call of itself for each item, is right at the short
inputs of tests and stops a program at a long one: where base answers, head has to answer, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import Any

from sandbox.elsewhere.driver import Driver
from sandbox.elsewhere.told import CallOutcome, Recorded
from sandbox.elsewhere.values import MOST_SHOWN, RAISED, SEVERAL, BothSides, OtherResult, Otherwise
from sandbox.elsewhere.variation import MOST, is_alike, neighbors, shared_words

MOST_OF_A_FUNCTION = 4
MOST_INPUTS = 16
_MOST_WITH_MORE = 3


@dataclass(frozen=True, slots=True)
class NearCall:
    """A call near another; `step` is -1 or 1 where one of its numbers is that much off.

    `slot` is the number of the argument that is another one, or `SEVERAL`; `member` is the name of what alone
    is another one of that argument, where it is a table.
    """

    call: Recorded
    slot: int
    step: int
    member: str = ""
    is_alike: bool = False

    @property
    def place(self) -> tuple[int, str]:
        """What of the call is another one."""
        return self.slot, self.member


def chosen(
    wanted: Iterable[Recorded], of_a_function: int = MOST_OF_A_FUNCTION
) -> Iterator[Recorded]:
    """The calls to vary, or to make in series: a few of each function."""
    counted: dict[tuple[str, str], int] = {}
    taken = 0
    for one in wanted:
        key = (one.module, one.name)
        counted[key] = counted.get(key, 0) + 1
        if counted[key] <= of_a_function and taken < MOST_INPUTS:
            taken += 1
            yield one


def calls_around(
    driver: Driver,
    call: Recorded,
    words: tuple[object, ...],
    recorded: Iterable[Recorded],
    shown: Iterable[Recorded],
) -> tuple[NearCall, ...]:
    """Calls that differ from one in one argument, the arguments in turn; none of those that are `shown`.

    Where arguments share a word, calls with another one in all of them come in turn, too, and calls with an
    argument more, as another one of those `recorded` has it. These also show of what kind the items of an
    empty list are.
    """
    of_function = [o for o in recorded if (o.module, o.name) == (call.module, call.name)]
    known = {o.arguments for o in shown if (o.module, o.name) == (call.module, call.name)}
    values = driver.values(call)
    seen = [driver.values(one) for one in of_function]
    of_each = [
        [
            _near_call(driver, call, slot, value, one)
            for one in _filled(value, [own[slot] for own in seen if slot < len(own)])
            or neighbors(value, words)
        ]
        for slot, value in enumerate(values)
    ]
    swapped = (driver.swapped(call, word, other) for word, other in shared_words(values))
    of_each.append([NearCall(one, SEVERAL, 0) for one in swapped if one])
    of_each.append([*islice(_with_more(driver, call, of_function), _MOST_WITH_MORE)])
    found: dict[str, NearCall] = {}
    for one in chain.from_iterable(zip_longest(*of_each)):
        if one and one.call.arguments not in known:
            found.setdefault(one.call.arguments, one)
    return tuple(islice(found.values(), MOST))


def _filled(value: Any, seen: Iterable[object]) -> list[tuple[Any, int]]:
    """Return for an empty list or table those that other calls have in its place, and some near these."""
    if type(value) not in (list, tuple, dict, set) or value:
        return []
    kind = type(value)
    fuller = [one for one in seen if type(one) is kind and one]
    firsts = [kind([one[0]]) for one in fuller if isinstance(one, list | tuple)]
    around = (other for one in fuller for other, _ in neighbors(one, ()))
    return [(one, 0) for one in (*firsts, *fuller, *islice(around, MOST))]


def calls_at(
    driver: Driver, call: Recorded, place: tuple[int, str], words: tuple[object, ...]
) -> Iterator[NearCall]:
    """Yield calls that differ from one in this argument, or in this member of it, alone."""
    slot, member = place
    whole: Any = driver.values(call)[slot]
    for other, step in neighbors(whole[member] if member else whole, words):
        varied = {**whole, member: other} if member else other
        yield _near_call(driver, call, slot, whole, (varied, step))


def _near_call(
    driver: Driver, call: Recorded, slot: int, own: Any, other: tuple[Any, int]
) -> NearCall:
    """The call with another value (and its step) in place of its own one."""
    value, step = other
    varied, member = driver.varied(call, slot, value), _member(own, value)
    one, another = (own[member], value[member]) if member else (own, value)
    return NearCall(varied, slot, step, member, is_alike(one, another))


def _member(value: object, other: object) -> str:
    """The name of the one member of a table that is another one in another table; "" for other values."""
    if not (isinstance(value, dict) and isinstance(other, dict) and value.keys() == other.keys()):
        return ""
    changed = [name for name, one in value.items() if repr(one) != repr(other[name])]
    return changed[0] if len(changed) == 1 and isinstance(changed[0], str) else ""


def _with_more(driver: Driver, call: Recorded, recorded: Iterable[Recorded]) -> Iterator[NearCall]:
    """Yield the longer calls of a plain function with the arguments of this one in the first places."""
    own, seen = driver.values(call), set[str]()
    for longer in recorded:
        values = driver.values(longer)
        more = repr(values[len(own) :])
        is_plain = driver.taken(call) == len(own) and driver.taken(longer) == len(values)
        if is_plain and len(values) > len(own) and more not in seen:
            seen.add(more)
            made = longer
            for slot, value in enumerate(own):
                made = driver.varied(made, slot, value)
            yield NearCall(made, SEVERAL, 0)


def calls_beside(
    driver: Driver,
    call: Recorded,
    words: tuple[object, ...],
    recorded: Iterable[Recorded],
    shown: Iterable[Recorded],
) -> tuple[NearCall, ...]:
    """Calls near one that is to stay: with an empty list, table or text in place of each, and around it."""
    return (*_with_nothing(driver, call), *calls_around(driver, call, words, recorded, shown))


def _with_nothing(driver: Driver, call: Recorded) -> Iterator[NearCall]:
    """Yield the call with an empty list, table or text in place of each of its own."""
    for slot, value in enumerate(driver.values(call)):
        if type(value) in (list, tuple, dict, set, str, bytes) and value:
            yield NearCall(driver.varied(call, slot, type(value)()), slot, 0)


def all_of(around: Mapping[Recorded, tuple[NearCall, ...]]) -> list[Recorded]:
    """Return the calls that are near others."""
    return [one.call for group in around.values() for one in group]


_MOST_LONG, _MOST_LONG_OF_A_FUNCTION = 10, 6
_LETTERS, _ITEMS = 3_000, 1_500
_END = "!"  # what a text of words does not end with
_EXHAUSTED = re.compile(r"raised (?:RecursionError|MemoryError)\b")
"""JavaScript's `RangeError` is also what functions refuse with."""
_NO_ANSWER = "gives no answer in a second"


@dataclass(frozen=True, slots=True)
class LongCall:
    """A tested call, the same with a long value, and what is long."""

    tested: Recorded
    call: Recorded
    what: str


def long_calls(
    driver: Driver, wanted: Iterable[Recorded], seen: Iterable[Recorded]
) -> tuple[LongCall, ...]:
    """Return a few calls with long values in place of those of tested calls.

    Of the functions that some of the calls show to differ (`seen`) all the tested ones count (`wanted`):
    what base takes as it is leads farther than what it does not.
    """
    functions = {(one.module, one.name): list[LongCall]() for one in seen}
    for one in wanted:
        if (one.module, one.name) in functions:
            functions[one.module, one.name] += [
                LongCall(one, driver.varied(one, slot, other), what)
                for slot, value in enumerate(driver.values(one))
                for other, what in _longer(value)
            ]
    found = {
        (one.call.module, one.call.name, one.call.arguments): one
        for group in functions.values()
        for one in group[:_MOST_LONG_OF_A_FUNCTION]
    }
    return tuple(islice(found.values(), _MOST_LONG))


def _longer(value: object) -> Iterator[tuple[object, str]]:
    if isinstance(value, str) and value.strip():
        letter = next((one for one in value if one.isalnum()), value.strip()[0])
        for text in (letter * _LETTERS, (value * _LETTERS)[:_LETTERS]):
            yield text + _END, f"a text of {_LETTERS + len(_END):,} characters"
    elif isinstance(value, list | tuple) and value and not hasattr(value, "_fields"):  # no object
        first = next((one for one in value if not isinstance(one, list | tuple | dict)), value[0])
        for items in ([first], value):
            yield type(value)((*items,) * _ITEMS)[:_ITEMS], f"a list of {_ITEMS:,} items"


def unanswered(
    calls: Iterable[LongCall],
    base: Mapping[Recorded, CallOutcome | None],
    head: Mapping[Recorded, CallOutcome | None],
) -> Iterator[LongCall]:
    """Yield the calls that base answers, and at which head gives up or comes to no end."""
    for one in calls:
        before, after = base.get(one.call), head.get(one.call)
        is_answer = before is not None and not re.match(RAISED, before.all)
        if is_answer and (after is None or _EXHAUSTED.match(after.all)):
            yield one


def long_input(one: LongCall, head: CallOutcome | None) -> OtherResult:
    """Return what is told of such a call."""
    comes = head.all if head else _NO_ANSWER
    both = BothSides(one.tested.shown[:MOST_SHOWN], "", comes)
    return OtherResult(Otherwise.TOO_LONG, both, one.tested.path, one.what)
