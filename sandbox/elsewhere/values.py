"""What recorded calls give in another place, and what calls near them give on both sides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Difference:
    """A call as one would write it, what it gave under test and what elsewhere.

    `function` is its plain name, `test` the function that made the call and `path` that one's file.
    `times` is how often it was called before it answered otherwise, 0 where that was at once; `on_other_days`
    says that it does so on other days only. `is_whole` stands for a whole test (its id as the call) that
    passes in one place and fails in the other, `is_unseen` for one in which something took away what
    records its calls.
    """

    call: str
    function: str
    under_test: str
    elsewhere: str
    path: str
    test: str
    times: int = 0
    on_other_days: bool = False
    is_whole: bool = False
    is_unseen: bool = False

    @property
    def when(self) -> str:
        """Say when it answers otherwise; "" for at once."""
        if self.times:
            return f"after {self.times} call{'s' if self.times > 1 else ''}"
        return "on other days" * self.on_other_days


class WhyLeftOut(StrEnum):
    """Why a recorded call says nothing about another place."""

    NOT_THERE = "not_there"  # a plain program cannot make it: it lacks what the tests set up
    UNSTEADY = "unsteady"  # two equal calls give different things
    SET_UP = "set_up"  # a bare test does not see what the author's test saw
    TOO_MANY = "too_many"  # others that differ were made alone, and these were not
    ON_BASE = "on_base"  # it differs between the places on base too


@dataclass(frozen=True, slots=True)
class LeftOut:
    """How many calls were left out for one reason."""

    why: WhyLeftOut
    calls: int


SEVERAL = -1
"""The slot of a call in which several arguments are others."""
MOST_SHOWN = 80
"""So many characters are kept of a call, and of what it gives on each side."""
MOMENT, ZONES = "datetime", {"UTC+14:00": 14, "UTC-12:00": -12}
"""The type of a moment, and the zones that another one tells it in: somewhere it is another day."""
CUT = "… "
"""Stands for what is left out before what is kept."""


@dataclass(frozen=True, slots=True)
class BothSides:
    """A call as one would write it, and what it gives on base and on head.

    `slot` is the number of the argument in which it is near another one, or `SEVERAL`, and `member` what of
    that argument is another one, where it is a table. `is_alike` says that it has the other one's number
    negated, or its text with space around or in the other case: what holds for one mostly holds for both.
    """

    call: str
    on_base: str
    on_head: str
    slot: int = 0
    member: str = ""
    is_alike: bool = False

    @property
    def place(self) -> tuple[int, str]:
        """What of the call is another one."""
        return self.slot, self.member

    @property
    def differs(self) -> bool:
        """Whether the change is seen at this call."""
        return self.on_base != self.on_head

    @property
    def is_cut(self) -> bool:
        """Whether the call is longer than what is shown of it."""
        return len(self.call) >= MOST_SHOWN or CUT in self.call

    @property
    def error_on_base(self) -> str:
        """What base raises, at once or in place of a first item: its type's name; "" where it answers."""
        return _error(self.on_base)

    @property
    def error_on_head(self) -> str:
        """What head raises, at once or in place of a first item: its type's name; "" where it answers."""
        return _error(self.on_head)

    @property
    def is_refused(self) -> bool:
        """Whether head raises."""
        return bool(self.error_on_head)

    @property
    def was_refused(self) -> bool:
        """Whether base raises."""
        return bool(self.error_on_base)

    @property
    def bad_end(self) -> str:
        """How head ends badly where base answers, or refuses on purpose; "" where it does not.

        It is the name of an error of no purpose, or `NOTHING`.
        """
        end, before = end_of(self.on_head), end_of(self.on_base)
        is_bad = end in CRASHES or (end == NOTHING and not before)
        return end if is_bad and before not in CRASHES and before != NOTHING else ""

    def is_newly_refused_by(self, errors: Collection[str]) -> bool:
        """Whether base answers and head raises one of these."""
        return not self.was_refused and self.error_on_head in errors


RAISED = r"(?:returned an iterator that yields \[\], then )?raised\b"
"""How what raised is told inside the sandbox (`inside/calls.py`)."""
_RAISED = re.compile(rf"{RAISED} ?(\S*)")


def _error(told: str) -> str:
    raised = _RAISED.match(told)
    return (raised[1] or "an error") if raised else ""


CRASHES = frozenset((
    "TypeError", "AttributeError", "KeyError", "IndexError", "NameError", "UnboundLocalError",
    "ReferenceError", "ZeroDivisionError", "RecursionError",
))  # fmt: skip
"""What code raises that was not made for an input, and refuses nothing."""
NOTHING = "nothing"
_GIVES_NOTHING = re.compile(r"(?:returned|resolved) (?:None|null|undefined|NaN)")


def end_of(told: str) -> str:
    """Return the name of the error that a call ends in, `NOTHING` where it gives that, "" for any answer."""
    return NOTHING if _GIVES_NOTHING.fullmatch(told) else _error(told)


class Unmeasured(StrEnum):
    """Why inputs near a tested one say nothing, as people read it."""

    NO_BASE = "base was not built"
    NO_CALLS = "no call of a function with plain values was seen"
    NEW = "the function is new"
    NO_PLAIN_INPUT = "the tests also use inputs that are no plain values"
    ELSEWHERE = "the call gives something else outside of the test"
    UNSTEADY = "the call gives something else each time"
    UNKNOWN = "the call could not be repeated on both sides"
    NO_ANSWER = "outside of the test the call gives no answer on head, and does on base"
    UNSTEADY_NOW = "the call gives something else each time on head, and does not on base"


@dataclass(frozen=True, slots=True)
class TestedInput:
    """A call that a test makes, and the calls near it: the same but for one argument.

    `values` are the arguments that were changed, as code, in the order of their places. `near` are those
    neighbors that tell something: what both sides refuse alike is none. `moves_boundary` says that it stands
    between two neighbors that differ from each other, and that the change gives it what the other one has.
    `keys` are texts of the change's own code that are a part of the call, `errors` what that code raises.
    `still` are neighbors that raise on both sides what this call raised on base, `left` what head made of
    the call's arguments, which base leaves as they are. `later` is what head gives when it is called once
    more, where base gives the same answer again; `is_shared` says that head then gives the very same object,
    which can be changed, and base another one. `unanswered` counts the neighbors that base answers, and head
    does not in its time. `problem` says why nothing was measured; of a new function that gives one result
    for all of them, `near` is there all the same.
    """

    __test__ = False
    tested: BothSides
    function: str
    path: str
    test: str
    values: tuple[str, ...] = ()
    near: tuple[BothSides, ...] = ()
    moves_boundary: bool = False
    problem: Unmeasured | None = None
    keys: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    still: tuple[BothSides, ...] = ()
    left: str = ""
    later: str = ""
    is_shared: bool = False
    unanswered: int = 0

    def value_at(self, place: tuple[int, str]) -> str:
        """Return the value, as code, in whose place calls near it have another one; "" where none has."""
        places = sorted({one.place for one in self.near} - {(SEVERAL, "")})
        return dict(zip(places, self.values, strict=False)).get(place, "")


def moves_boundary(tested: BothSides, known: Iterable[tuple[int, int, BothSides]]) -> bool:
    """Tell whether an input stands between neighbors that differ, and gets what the other one has.

    Of each neighbor `known` has the argument that was changed, and -1 or 1 where that is a number's step.
    """
    steps: dict[int, dict[int, BothSides]] = {}
    for slot, step, both in known:
        if step and not both.differs:
            steps.setdefault(slot, {}).setdefault(step, both)
    own = {tested.on_base, tested.on_head}
    return any(
        {both.on_head for both in of_slot.values()} == own
        for of_slot in steps.values()
        if len(of_slot) == 2
    )


def calls_near(inputs: Iterable[TestedInput]) -> list[BothSides]:
    """Return the calls near some tested ones, each once: long calls are cut, so that several look alike."""
    near = (both for one in inputs for both in one.near)
    return list({(one.call, one.on_base, one.on_head): one for one in near}.values())


def stands_alone(text: str, code: str) -> bool:
    """Tell whether a text is written in code by itself: in quotes, or as no part of a longer text."""
    around = rf"(?<![^\s\"'`(\[{{,:=]){re.escape(text)}(?![^\s\"'`)\]}},:;])"
    return re.search(around, code) is not None


@dataclass(frozen=True, slots=True)
class Swapped:
    """A tested call that shows the change, and the same with another of two names that stand side by side.

    Neither in this call nor in any other one that shows the change do the tests have the `other` name.
    `is_alike` says that head gives the same with both.
    """

    name: str
    other: str
    tested: BothSides
    swapped: BothSides
    path: str
    is_alike: bool = False


class Otherwise(StrEnum):
    """How a call that base answers as its callers know it comes of head."""

    WORSE = "worse"  # a call near one of a test that holds: with a bad end
    DEFAULT = "default"  # a test's call without what only head knows of it, or one near: otherwise
    TOO_LONG = "too_long"  # a test's call with a very long value, which `beside` names: not at all
    UNEQUAL = "unequal"  # otherwise with what a task takes for the same, both in `beside`
    UNORDERED = "unordered"  # in one order, and in another one where hashes are others
    OTHER = "other"  # after the call `beside`, with another argument, whose answer it gives
    CHANGED = "changed"  # the same, where that one's argument was changed in place
    SAME = "same"  # otherwise the second time on the same object
    MADE = "made"  # otherwise on another object that is made alike
    SHARED = "shared"  # with the very thing in its attribute `beside` that every such object has


@dataclass(frozen=True, slots=True)
class OtherResult:
    """A call, and what both sides give; of what differs on head alone, what head gives at first and then.

    In that case base gives the same both times, or does not know the function. `path` is the tests' file.
    """

    how: Otherwise
    call: BothSides
    path: str
    beside: str = ""

    def told(self, sentence: str) -> str:
        """Return a sentence with the call (`call`), what it gives (`base`, `head`) and what is `beside`."""
        base, head = self.call.on_base, self.call.on_head
        return sentence.format(call=self.call.call, base=base, head=head, beside=self.beside)


@dataclass(frozen=True, slots=True)
class Misfit:
    """A call of a mock that the function which it stands for does not take, and what that says of it."""

    function: str
    why: str
    path: str
    test: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """A function that code of `file`, one of the tests', had put in place before a test began."""

    function: str
    file: str
    path: str
    test: str


@dataclass(frozen=True, slots=True)
class MadeUp:
    """What a file of the tests (`path`) puts in a module's place: with a member that the module lacks.

    Where `member` is "", all of the module is another one, though the change adds or edits it.
    """

    module: str
    member: str
    path: str


@dataclass(frozen=True, slots=True)
class SecondLook:
    """How many calls could be compared, those that differ, and how many were left out; and the tested inputs
    with what is near them.

    `swapped` are tested calls with names that a task puts side by side. `unrecorded` are the files of tests
    of which no call could be recorded: they call nothing with plain values, or in a way that is not seen.
    `not_looked_at` names the runners that have no second look. `raising` has the path and the name of tests
    with a call that may have raised, and that nobody made again; `misfits` are calls of mocks, `replaced`
    functions that files of the change put in place of others, `otherwise` calls that come otherwise than
    their callers know.
    """

    compared: int = 0
    differences: tuple[Difference, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    not_looked_at: tuple[str, ...] = ()
    inputs: tuple[TestedInput, ...] = ()
    unrecorded: tuple[str, ...] = ()
    swapped: tuple[Swapped, ...] = ()
    raising: tuple[tuple[str, str], ...] = ()
    misfits: tuple[Misfit, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    made_up: tuple[MadeUp, ...] = ()
    otherwise: tuple[OtherResult, ...] = ()

    def __add__(self, other: SecondLook) -> SecondLook:
        """Return what both saw."""
        counts = dict.fromkeys(WhyLeftOut, 0)
        for one in (*self.left_out, *other.left_out):
            counts[one.why] += one.calls
        both = {
            one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)
        }
        both["left_out"] = tuple(LeftOut(why, calls) for why, calls in counts.items() if calls)
        both["not_looked_at"] = tuple(dict.fromkeys(both["not_looked_at"]))
        return SecondLook(**both)
