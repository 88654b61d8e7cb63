"""Calls like tested ones with a very long text or list: where base answers, head has to answer, too.

A pattern that can match one text in very many ways, or a call of itself for each item, is right at the
short inputs of tests and stops a program at a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from sandbox.elsewhere.driver import Driver
from sandbox.elsewhere.told import Outcome, Recorded
from sandbox.elsewhere.values import MOST_SHOWN, RAISED, LongInput

_MOST, _MOST_OF_A_FUNCTION = 10, 6
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
        for one in group[:_MOST_OF_A_FUNCTION]
    }
    return tuple(islice(found.values(), _MOST))


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
    base: Mapping[Recorded, Outcome | None],
    head: Mapping[Recorded, Outcome | None],
) -> Iterator[LongCall]:
    """Yield the calls that base answers, and at which head gives up or comes to no end."""
    for one in calls:
        before, after = base.get(one.call), head.get(one.call)
        is_answer = before is not None and not re.match(RAISED, before.all)
        if is_answer and (after is None or _EXHAUSTED.match(after.all)):
            yield one


def long_input(one: LongCall, head: Outcome | None) -> LongInput:
    """Return what is told of such a call."""
    comes = head.all if head else _NO_ANSWER
    return LongInput(one.tested.shown[:MOST_SHOWN], one.what, comes, one.tested.path)
