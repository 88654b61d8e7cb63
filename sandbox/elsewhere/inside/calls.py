"""Calls and outcomes as text, and the making of recorded calls again, each in a process of its own."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import math
import os
import pwd
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from types import AsyncGeneratorType, CoroutineType
from typing import Any, NamedTuple

from sandbox.elsewhere.inside.objects import attributes, plain_kind, remade
from sandbox.elsewhere.inside.values import MOST_TEXT, Given, given, literal, read, state_of

MOST_CALLS = 60
_DEEPEST = 8
_MOST_ITEMS = 40
ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
LIKE_DATES = re.compile(r"\d{4}-\d\d|\b(?:date|time)\w*\(|\b\d{10}(?:\d{3})?\b|[\w-]{40}")
"""What a date, a time stamp or a token that may hold one looks like in a text."""
OF_DATES = re.compile(
    r"\bdate(?:s|time|util)?\b|\btime(?:delta|zone|_machine)?\b|freez|[Cc]lock|[Cc]alendar|"
    r"\barrow\b|pendulum|\btoday\b|\bnow\b|zoneinfo"
)
"""What a test file says that has to do with dates: what it calls may then honestly do so too."""
_CONTAINERS = (list, dict, set)
_UNSTEADY_WITHIN = 20
"""A function that answers otherwise so soon keeps honest state: a counter, a cache, a random number."""


def returned(value: Any) -> str:
    """Return what came back as text: a literal, or what an object is made of.

    Its own word (`__repr__`) counts where that is no plain values: it may say anything, nothing, or
    something else each time.
    """
    text = literal(value)
    if text is None or text.startswith("instance("):
        try:
            own = attributes(value)
            known = literal(own) if own else None
            plain = plain_kind(type(value))
            if plain is not None:
                told = f"{plain.__repr__(value)} {known or ''}".rstrip()
            else:
                told = known or repr(value)
            text = type(value).__name__ + " " + ADDRESS.sub("0x…", told)
        except Exception as error:  # whatever the object itself raises
            text = type(value).__name__ + " " + type(error).__name__
    return "returned " + text[:MOST_TEXT]


def drained(value: Any) -> str:
    """Return what an iterator gives, its first items, or what comes of a coroutine; "" for neither."""
    if type(value) is CoroutineType:
        try:
            return "resolved " + returned(_run(value))[len("returned ") :]
        except BaseException as error:  # whatever the tree raises
            return raised(error)
    items: list[object] = []
    end = ""
    try:
        if type(value) is AsyncGeneratorType:
            _run(_ask(value, items))
        elif hasattr(type(value), "__next__"):
            items.extend(islice(value, _MOST_ITEMS))
        else:
            return ""
    except Exception as error:  # whatever the iterator raises
        end = ", then " + raised(error)
    told = [literal(one) or returned(one) for one in items]
    return f"returned an iterator that yields [{', '.join(told)}]{end}"[:MOST_TEXT]


def _run(coroutine: Any) -> object:
    """Return what comes of a coroutine."""
    import asyncio  # noqa: PLC0415 - half of what a start loads, and few calls need it

    return asyncio.run(coroutine)


async def _ask(generator: Any, items: list[object]) -> None:
    """Add the first items of an asynchronous generator to a list."""
    async for one in generator:
        items.append(one)
        if len(items) == _MOST_ITEMS:
            break


def returned_by(value: object, owner: object, before: str) -> str:
    """Return what a method returned as text, and the state that it left its object in if that changed."""
    text = "returned itself" if value is owner else returned(value)
    after = state_of(owner)
    return (
        text
        if after == before
        else f"{text} and left {after or 'a value that cannot be shown'}"[:MOST_TEXT]
    )


def is_of_test(name: str, test: str) -> bool:
    """Tell whether a test, by its id, has the name of the function that makes a call: all of it, no part."""
    return name in test and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", test) is not None


def raised(error: BaseException) -> str:
    """Return what was raised as text; the recorder sees no more of it than that it was."""
    return "raised " + type(error).__name__


def attribute(value: object, name: str) -> Any:
    """Return an attribute; None where there is none, whatever the object raises then."""
    try:
        return getattr(value, name, None)
    except Exception:  # whatever the object itself raises
        return None


def chain(function: object) -> list[Any]:
    """Return a function and what it wraps, outermost first."""
    found = [function]
    while len(found) < _DEEPEST:
        inner = attribute(found[-1], "__wrapped__")
        if inner is None:
            break
        found.append(inner)
    return found


def method_itself(kind: type, name: str) -> Any:
    """Return what a class, or the first that it inherits from, has by a name; None for nothing."""
    return next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)


def method(kind: type, name: str) -> list[Any]:
    """Return a class's own or inherited method or property, and what it wraps."""
    found = method_itself(kind, name)
    if found is None:
        return []
    return chain(found.fget if isinstance(found, property) else found)


def place(tree: str) -> dict[str, str]:
    """Return what is different between two places and may stand in an honest answer."""
    own = ""
    with contextlib.suppress(KeyError):
        own = pwd.getpwuid(os.getuid()).pw_name
    known = {key: os.environ.get(key.upper(), own) for key in ("user", "logname")}
    known.update(home=os.path.expanduser("~"), temporary=tempfile.gettempdir())  # noqa: PTH111
    known.update(tree=tree, cwd=os.getcwd(), host=os.uname().nodename)  # noqa: PTH109
    known.update(program=os.path.basename(sys.argv[0]) if sys.argv else "")  # noqa: PTH119
    numbers = {"uid": os.getuid, "gid": os.getgid, "pid": os.getpid, "ppid": os.getppid}
    known.update({key: str(number()) for key, number in numbers.items()})
    return known


class Call:
    """One call in the process that it has for itself. `result` or `raised` is set by who makes it."""

    def __init__(self, told: dict[str, Any], number: int, again: CallsAgain) -> None:
        self.function: Any = None
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}
        self.result: object = None
        self.raised: BaseException | None = None
        self._owner: Any = None
        self._before = ""
        self._given = Given(())
        self._output = io.BytesIO()
        self._printed: str | None = ""
        self._told = told
        self._number = number
        self._again = again
        self._outcomes = 0
        self._first = ""
        self._kept: object = None
        self._shared = False
        self._gives = ""
        self._end = 0.0

    def goes_on(self) -> bool:
        """Tell whether to call (again); after the last time the process ends here."""
        if self._end:
            self._took_note()
        else:
            self._end = time.monotonic() + self._again.repeats.within_s
        try:
            kind, self.function = function_of(self._told)
            args, kwargs, *state = read(self._told["arguments"])
            self.args = tuple(map(given, args))
            self.kwargs = {name: given(one) for name, one in kwargs.items()}
            values = (*self.args, *self.kwargs.values())
            if kind is not None:
                self._owner = remade(kind, *map(given, state))
                self._before = state_of(self._owner)
                self.args = (self._owner, *self.args)
            self._given = Given(values, self._owner)
        except BaseException:  # whatever the tree raises: no call of ours then
            os._exit(1)
        self.raised = None
        self._output = io.BytesIO()
        sys.stdout = io.TextIOWrapper(self._output, "utf-8", "replace", write_through=True)
        return True

    def _took_note(self) -> None:
        if self.raised is not None:
            outcome = raised(self.raised)
        elif self._owner is not None:
            outcome = returned_by(self.result, self._owner, self._before)
        else:
            outcome = returned(self.result)
        if self.raised is None:
            outcome += self._given.left(self.result)
        gives = ""
        if self._again.is_drained and self.raised is None:
            gives = drained(self.result)
        elif type(self.result) is CoroutineType:
            self.result.close()  # else it is told of as never awaited
        printed = self._output.getvalue().decode("utf-8", "replace")[:MOST_TEXT]
        self._outcomes += 1
        if self._outcomes == 1:
            self._first, self._gives, self._printed = outcome, gives, printed
        elif self.raised is None and type(self.result) in _CONTAINERS:
            self._shared = self.result is self._kept
        self._kept = self.result
        if printed != self._printed:
            self._printed = None  # it prints something else each time
        if (outcome, gives) != (self._first, self._gives):
            is_unsteady = self._outcomes <= _UNSTEADY_WITHIN
            self._leave(unsteady=is_unsteady, later=outcome, times=self._outcomes - 1)
        is_over = time.monotonic() > self._end and self._outcomes > 1
        if is_over or self._outcomes >= self._again.repeats.most:
            self._leave()

    def _leave(self, **more: object) -> None:
        # A function that takes no such arguments was not even entered.
        trace = self.raised.__traceback__ if isinstance(self.raised, TypeError) else None
        told: dict[str, object] = {
            "number": self._number,
            "outcome": self._first,
            "gives": self._gives,
            "printed": self._printed,
            "shared": self._shared,
            "unbound": trace is not None and trace.tb_next is None,
        }
        self._again.tell({**told, **more})
        os._exit(0)


def function_of(told: dict[str, Any]) -> tuple[type | None, Any]:
    """Return a recorded function, and the class where it is a method: its module has both by their names."""
    owner: Any = importlib.import_module(told["module"])
    *classes, name = told["name"].split(".")
    for one in classes:
        owner = getattr(owner, one)
    if classes and isinstance(method_itself(owner, name), (classmethod, staticmethod)):
        return None, getattr(owner, name)
    found = method(owner, name) if classes else chain(getattr(owner, name))
    # What one side wraps, the other may have as it is.
    return (owner if classes else None), found[min(told["depth"], len(found) - 1)]


class Repeats(NamedTuple):
    """How often a call is made, and for how long; `longest_s` is for one, `in_all_s` for all calls."""

    most: int
    within_s: float
    longest_s: int = 5
    in_all_s: float = math.inf


class CallsAgain:
    """Makes calls once more and tells what came back, by the descriptor of the channel.

    `is_drained` says that iterators are asked for what they yield, and coroutines run; what a test got of one
    nobody recorded. The calls are told by their numbers from `first`.
    """

    def __init__(
        self,
        channel: int,
        calls: list[dict[str, Any]],
        repeats: Repeats,
        *,
        is_drained: bool = False,
        first: int = 0,
    ) -> None:
        self._channel = channel
        self._calls = calls
        self.repeats = repeats
        self.is_drained = is_drained
        self._first = first

    def calls(self, path: str = "", test: str = "", *, is_timeless: bool = False) -> Iterator[Call]:
        """Yield the calls that a test made (all of them for ""): each in a child that ends by itself."""
        end = time.monotonic() + self.repeats.in_all_s
        for number, told in enumerate(self._calls, self._first):
            if time.monotonic() > end:
                return
            if path and (told["path"], told["test"]) != (path, test):
                continue
            if is_timeless and not told["timeless"]:
                continue
            try:
                is_there = function_of(told)[1] is not None
            except BaseException:  # whatever the tree raises when it is imported
                is_there = False
            if not is_there:
                continue
            pid = os.fork()
            if pid:
                os.waitpid(pid, 0)
            else:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(self.repeats.longest_s)
                yield Call(told, number, self)
                os._exit(1)

    def tell(self, *records: dict[str, object]) -> None:
        """Write records."""
        for one in records:
            os.write(self._channel, json.dumps(one).encode() + b"\n")
