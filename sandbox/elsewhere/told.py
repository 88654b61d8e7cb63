"""What recorded calls and calls made again told: hostile text, read with care, and compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePosixPath

from sandbox.base import TREE, Completed
from sandbox.elsewhere.inside.calls import ADDRESS
from sandbox.elsewhere.inside.objects import CONTAINERS
from sandbox.elsewhere.inside.values import UNREADABLE, read
from sandbox.elsewhere.values import CUT, MOST_SHOWN, RAISED, BothSides
from sandbox.linters.reading import Node, records

_MOST_CALLS = 60
_MOST_TOLD = 400
_MOST_TEXT = 4_000
_TOKENS = ("tree", "cwd", "home", "temporary", "host", "user", "logname", "program", "started")
_NUMBERS = ("uid", "gid", "pid", "ppid")
_BEFORE = 10  # characters shown before a difference
SHOWN = 160
NO_END = "unseen"
"""What a recorder says of a call whose end it did not see."""
_RAISED = "raised"
_LEFT = re.compile(r" and left \[((?:(?!\biter\().)*)\Z", re.DOTALL)
_UNSTEADY = "unsteady"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call: where its function is found, its arguments as text, who made it, and what came back.

    `shown` is the call as one would write it; `timeless` says that neither it nor its test has to do with
    dates, as far as one can read. `is_direct` says that a test itself calls it, `of_object` that an attribute
    of its object is another one than a test gave, so that it may be none that a program has.
    """

    module: str
    name: str
    depth: int
    arguments: str
    path: str
    test: str
    outcome: str
    shown: str
    timeless: bool = False
    is_direct: bool = False
    of_object: bool = False


_SIGN_OF_ZERO = re.compile(r"(?<![\w.)\]-])-(?=0(?:\.0)?(?![\w.]))")
"""The sign of a zero."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What came of one call made again.

    `later` is what came after `times` calls, `dated` what comes on other days, if that is something else.
    `gives` says what an iterator yields, or what comes of a coroutine; `printed` what the call wrote to
    standard output, None where that is something else each time. `shared` says that the calls gave one and
    the same object, which can be changed, `unbound` that the function takes no such arguments.
    """

    text: str
    unsteady: bool
    later: str
    times: int
    dated: str
    gives: str = ""
    printed: str | None = ""
    shared: bool = False
    unbound: bool = False

    @property
    def all(self) -> str:
        """What came back; of an iterator what it yields, of a coroutine what comes of it. -0.0 is 0.0."""
        return _SIGN_OF_ZERO.sub("", self.gives or self.text)


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of calls told: what is its own there, and the outcomes by the call's number.

    `series` has by its number what the last call of each series gave, `changing` those that change the
    object that they are called on, `ignoring` those of a function with no place for all of its arguments.
    """

    place: dict[str, str]
    outcomes: dict[int, CallOutcome]
    series: dict[int, str] = field(default_factory=dict)
    changing: frozenset[int] = frozenset()
    ignoring: frozenset[int] = frozenset()


def left_behind(base: CallOutcome, head: CallOutcome) -> str:
    """Return what head makes of arguments that base leaves as they are; iterators may be used up."""
    found = _LEFT.search(head.text)
    is_kept = not (_LEFT.search(base.text) or re.match(RAISED, base.text))
    return found[1].removesuffix("]")[:MOST_SHOWN] if found and is_kept else ""


def later_answer(base: CallOutcome | None, head: CallOutcome) -> str:
    """Return what head gives when it is called once more, where base gives one answer each time."""
    is_steady = base and not (base.unsteady or base.later or re.match(RAISED, base.all))
    return head.later[:MOST_SHOWN] if is_steady and not re.match(RAISED, head.all) else ""


def last_record(completed: Completed) -> Node:
    """Return the last record of the channel; an empty one where there is none."""
    lines = completed.channel.splitlines()
    return next(records(lines[-1]), Node(None)) if lines else Node(None)


def recorded_calls(
    told: Iterable[Node],
    test_files: tuple[str, ...],
    shown: Callable[[str, str], str],
    touched: frozenset[str],
) -> list[Recorded]:
    """Read calls; what is given a file or folder of the tests, or one of its own, works only here.

    `shown` writes a call from its name and arguments. Where there are too many, those whose values stand in
    the tests' own code come first, then those of functions that the change touches (by name).
    """
    folders = {str(one) for path in test_files for one in PurePosixPath(path).parents if one.name}
    only_here = (*test_files, *(f"{one}/" for one in folders), TREE, "/tmp/")  # noqa: S108
    calls = []
    said = set()
    for one in islice(told, _MOST_TOLD):
        texts = [
            one[key].text for key in ("module", "name", "arguments", "path", "test", "outcome")
        ]
        module, name, arguments, path, test, outcome = texts
        is_told = all(texts) and all(len(text) <= _MOST_TEXT for text in texts)
        is_here = any(place in arguments for place in only_here) or any(
            f"{quote}{one}{quote}" in arguments for one in folders for quote in "'\""
        )
        if is_told and outcome != _UNSTEADY and path in test_files and not is_here:
            depth, written = one["depth"].number, shown(name, arguments)
            call = Recorded(
                module,
                name,
                depth,
                arguments,
                path,
                test,
                outcome,
                written,
                timeless=one["timeless"].is_true,
                is_direct=one["direct"].is_true,
            )
            calls.append(call)
            if one["said"].is_true:
                said.add(call)
    calls.sort(key=lambda one: (one not in said, one.name.rpartition(".")[2] not in touched))
    return calls[:_MOST_CALLS]


def raising_unmade(told: Node, calls: Iterable[Recorded]) -> tuple[tuple[str, str], ...]:
    """Return the path and test of each call that may have raised and is none of `calls`; all, if too many."""
    known = {(one.module, one.name, one.arguments) for one in calls}
    every = list(islice(told["calls"], _MOST_TOLD))
    is_full = len(every) >= _MOST_CALLS
    found = (
        (one["path"].text, one["test"].text)
        for one in every
        if is_full
        or (
            one["outcome"].text.startswith((_RAISED, _UNSTEADY, NO_END))
            and tuple(one[key].text for key in ("module", "name", "arguments")) not in known
        )
    )
    return tuple(dict.fromkeys(found))


def place_in(told: Node) -> dict[str, str]:
    """Return what a record says of the place that it was made in."""
    return {key: told["place"][key].text[:200] for key in (*_TOKENS, *_NUMBERS)}


def read_run(completed: Completed) -> Run:
    """Read what calls made again told; the first word on each counts."""
    place: dict[str, str] = {}
    outcomes: dict[int, CallOutcome] = {}
    dated: dict[int, Node] = {}
    series: dict[int, str] = {}
    changing, ignoring = set(), set()
    for told in records(completed.channel):
        if told["place"]["tree"].text:
            place = place_in(told)
        elif (of_series := told["series"].text).isdecimal():
            series.setdefault(int(of_series), told["outcome"].text[:_MOST_TEXT])
            if told["changes"].is_true:
                changing.add(int(of_series))
            if told["ignores"].is_true:
                ignoring.add(int(of_series))
        elif told["outcome"].text:
            outcomes.setdefault(
                told["number"].number,
                CallOutcome(
                    told["outcome"].text[:_MOST_TEXT],
                    told["unsteady"].is_true,
                    told["later"].text[:_MOST_TEXT],
                    told["times"].number,
                    told["dated"].text[:_MOST_TEXT],
                    told["gives"].text[:_MOST_TEXT],
                    told["printed"].text[:_MOST_TEXT] if told["printed"].is_text else None,
                    told["shared"].is_true,
                    told["unbound"].is_true,
                ),
            )
        elif told["dated"].text:
            dated.setdefault(told["number"].number, told)
    for number, told in dated.items():
        one = outcomes.get(number)
        if one and one.text == told["undated"].text[:_MOST_TEXT]:
            outcomes[number] = replace(one, dated=told["dated"].text[:_MOST_TEXT])
    return Run(place, outcomes, series, frozenset(changing), frozenset(ignoring))


_AND_LEFT = " and left {"


def is_only_kept_otherwise(base: str, head: str) -> bool:
    """Tell whether two outcomes are the same but for how an object keeps something to itself.

    Where a private attribute is a table on head and was a set on base, others see the object as before.
    """
    (given, is_left, before), (other, _, after) = (x.partition(_AND_LEFT) for x in (base, head))
    if not is_left or given != other:
        return False
    try:
        states = [read("{" + one) for one in (before, after)]
    except UNREADABLE:
        return False
    if not all(isinstance(one, dict) for one in states):
        return False
    old, new = states
    private = {name for name in {*old} & {*new} if name.startswith("_")}
    reshaped = {name for name in private if _is_reshaped(old[name], new[name])}
    kept = [repr({k: one[k] for k in one if k not in reshaped}) for one in states]
    return bool(reshaped) and kept[0] == kept[1]


def _is_reshaped(old: object, new: object) -> bool:
    """Whether two values are containers of other kinds, or have such in the same places."""
    if type(old) is not type(new):
        return isinstance(old, CONTAINERS) and isinstance(new, CONTAINERS)
    if isinstance(old, dict) and isinstance(new, dict):
        return any(_is_reshaped(old[key], new[key]) for key in old.keys() & new.keys())
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return any(_is_reshaped(a, b) for a, b in zip(old, new, strict=False))
    return False


def is_vague(outcome: str) -> bool:
    """Tell whether a recorder saw too little to compare: not what was raised, or no end."""
    return outcome in (_RAISED, NO_END)


def is_same(one: str, here: dict[str, str], other: str, there: dict[str, str]) -> bool:
    """Tell whether two outcomes are the same but for what is each place's own.

    A recorder cannot always tell what was raised, nor what came of a call of which it saw no end.
    """
    if one in (other, NO_END) or (one == _RAISED and other.startswith(_RAISED)):
        return True
    for key in _NUMBERS:
        if one == f"returned {here[key]}" and other == f"returned {there[key]}":
            return True
    for key in _TOKENS:
        if one == f"returned {here[key]!r}" and other == f"returned {there[key]!r}":
            return True
    return _neutral(one, here) == _neutral(other, there)


def is_callers_own(path: str, under_test: str, elsewhere: str) -> bool:
    """Tell whether two outcomes differ only by the calling module's name: a test's, and a program's."""
    parts = PurePosixPath(path).with_suffix("").parts
    names = (re.escape(".".join(parts[at:])) for at in range(len(parts)))
    own = (re.sub(rf"(?<![\w.]){name}(?![\w.])", "__main__", under_test) for name in names)
    return under_test != elsewhere and any(one == elsewhere for one in own)


def _neutral(text: str, place: dict[str, str]) -> str:
    known = sorted(
        ((place[key], key) for key in _TOKENS if len(place[key]) > 2),
        reverse=True,
        key=lambda one: len(one[0]),
    )
    for value, key in known:
        text = text.replace(value, f"<{key}>")
    return text


def both_sides(call: str, on_base: str, on_head: str) -> BothSides:
    """Return what both sides give, cut to where they differ."""
    base, head = (ADDRESS.sub("0x…", one) for one in (on_base, on_head))
    at = _apart(base, head)
    begin = 0 if base == head or at < MOST_SHOWN - _BEFORE else at - _BEFORE
    shown = [f"{CUT if begin else ''}{one[begin : begin + MOST_SHOWN]}" for one in (base, head)]
    return BothSides(call[:MOST_SHOWN], shown[0], shown[1])


def shown_beside(call: str, tested: str) -> str:
    """Return what is shown of a call near a tested one: of a long one its name, and where they differ."""
    at = _apart(call, tested)
    if call == tested or len(call) <= MOST_SHOWN or at < MOST_SHOWN - _BEFORE:
        return call[:MOST_SHOWN]
    return f"{call.partition('(')[0]}({CUT}{call[at - _BEFORE :]}"[:MOST_SHOWN]


def _apart(one: str, other: str) -> int:
    """Return at which character two texts differ first."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
