"""A damage to head, and which tests noticed it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NEAR = "near"
"""A function returns numbers near by: who misses that compares them loosely, and is not blind."""

RESULTS = ("result", "nothing", NEAR)
"""Kinds of damage to what a function returns: to notice one shows that it is called, and no more."""

OF_LINES = ("negated", "operator", "constant", "bound")
"""Kinds that change a value in the very lines of the change."""

AS_ON_BASE = ("reverted", "restored")
"""Kinds that put back what base has."""

CONDITION = "condition"
"""A condition on a value that is always true, or always false: who needs it notices one of the two."""

PASSED_OVER = "passed_over"
"""An error that a new handler did nothing about is let through: who needs the handler notices."""

KEY = "key"
"""A key of a table, or a case of a switch, that is another one."""

ALTERED = "altered"
"""A statement of a function is as on base: who asks for what the change makes of it needs that."""

EXTENDED = "extended"
"""What is added to the statements of a function is missing: who asks for it needs it."""

NARROWED = "narrowed"
"""A condition on a text that narrows another one is always met: who needs it notices."""

TERM = "term"
"""A term with a number is left out of what is computed: who needs it notices."""

REMEMBERED = "remembered"
"""A result that a change remembers is worked out each time: who needs that it is remembered notices."""

PARAMETER = "parameter"
"""A new parameter is always its default: who needs another value notices."""

UNWRAPPED = "unwrapped"
"""What a new `with` stands around runs without it: who needs it notices."""

UNASKED = (
    *(CONDITION, PASSED_OVER, KEY, ALTERED, EXTENDED, NARROWED, TERM, REMEMBERED, PARAMETER),
    UNWRAPPED,
)
"""Kinds that are asked about only where the task speaks of no such thing; of a `PARAMETER`, always."""

OF_VALUES = (CONDITION, KEY)
"""Those of them that ask for values."""

SAME = "same"
"""What only looks different: who notices it reads the code, and does not run it."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a file of head, from 1, inclusive."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Damage:
    """One damage to one file of head. `symbol` is the function that it is in, "" outside of any.

    `kind` is one of reverted, emptied, negated, operator, constant, bound, raises, of `UNASKED`, `SAME`, and
    result, nothing or near: a function that runs and returns another value of the same type, none, or one
    near by. `is_telling`
    is False where noticing it shows only that a name is there or that a function is called; `is_new` where
    the change adds the function. For a judge's step there are more kinds: restored (what it is about as on
    base) and unsteady (another value at each call); `names` are those of what it stands in (of a `CONDITION`
    and of what is `NARROWED` the values that it asks for, of a `TERM` its numbers, the `PARAMETER`, of what
    is `UNWRAPPED` what was entered, of `PASSED_OVER` the errors, of what is `ALTERED` or
    `EXTENDED` those that came or went), and
    `is_changed` is False where that says the same on base; `parameters` are those of the function, and of
    what is `ALTERED` or `EXTENDED` the names that it gives its own variables. `edit` is the same of what is
    `ALTERED` or `EXTENDED` alike in several places. `places` are all lines that are as on base, where `line`
    does not say it.
    """

    path: str
    kind: str
    line: int
    symbol: str
    what: str
    is_telling: bool = True
    is_new: bool = False
    names: tuple[str, ...] = ()
    is_changed: bool = True
    places: tuple[Lines, ...] = ()
    parameters: tuple[str, ...] = ()
    edit: str = ""

    @property
    def function(self) -> tuple[str, int, str]:
        """Return which function it is in: one function may be damaged in several ways."""
        return self.path, self.line, self.symbol


@dataclass(frozen=True, slots=True)
class DamageTrial:
    """One damage: the tests that failed with it, and those that passed all the same.

    A test that could not be run with it (time is over) is in neither; of those, `unloaded` are the ones whose
    file could not be loaded.
    """

    damage: Damage
    noticed: tuple[str, ...] = ()
    unnoticed: tuple[str, ...] = ()
    unloaded: tuple[str, ...] = ()

    @property
    def ran(self) -> tuple[str, ...]:
        """Return the tests that could be run with it."""
        return self.noticed + self.unnoticed

    @property
    def is_cut_off(self) -> bool:
        """Whether no test came to an end with it: time was over, or it runs for ever."""
        return not (self.ran or self.unloaded)

    @property
    def needing(self) -> tuple[str, ...]:
        """Return the tests that fail without what the change does there: with base's text, or nothing new."""
        if self.damage.kind in AS_ON_BASE:
            return self.noticed + self.unloaded
        is_one = self.damage.is_new and self.damage.symbol  # not of several functions together
        return self.noticed if is_one else ()


@dataclass(frozen=True, slots=True)
class OneValue:
    """A condition or key of a change, and the tests that see nothing of the change without its values.

    With others in their place, `times` of as many, these tests fail on head as they fail on base.
    """

    damage: Damage
    tests: tuple[str, ...]
    times: int


def is_hollow(damage: Damage, trials: Iterable[DamageTrial], test: str) -> bool:
    """Tell whether a test that notices an emptied function (`damage`) misses only that something comes back.

    It notices that the function returns nothing, though it runs, and nothing where it returns something
    else. What is no plain value cannot be changed: there an error came in its place, which is noticed.
    """
    if damage.kind != "emptied":
        return False
    of_it = [one for one in trials if one.damage.function == damage.function]
    other = [one for one in of_it if one.damage.kind == "result" and test in one.ran]
    misses = any(one.damage.kind == "nothing" and test in one.noticed for one in of_it)
    return misses and bool(other) and not any(test in one.noticed for one in other)
