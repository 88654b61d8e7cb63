"""Makes recorded calls one after another in one process: what the last one gives then.

`python -s main.py` (`plain.py`) asks for it where nothing looks like a test.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import time
from collections.abc import Iterable
from typing import Any

from sandbox.elsewhere.inside.calls import drained, function_of, raised, returned
from sandbox.elsewhere.inside.objects import attributes, remade
from sandbox.elsewhere.inside.values import given, literal, read

_LONGEST_S, _IN_ALL_S = 1, 15.0
_CONTAINERS = (list, dict, set)


def made(series: list[dict[str, Any]]) -> Iterable[dict[str, object]]:
    """Yield what each series gives: its last call's outcome, and whether a call changes its object.

    Each is made in a process of its own.
    """
    end = time.monotonic() + _IN_ALL_S
    for number, one in enumerate(series):
        with contextlib.suppress(BaseException):  # what is not there says nothing later
            function_of(one["steps"][0])
        if time.monotonic() > end:
            return
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_LONGEST_S)
            sys.stdout = io.StringIO()
            try:
                told = _Series(one).told()
                os.write(writing, told.encode(errors="backslashreplace"))
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:  # noqa: PTH123 - a descriptor
            text = pipe.read().decode(errors="replace")
        os.waitpid(pid, 0)
        if text:
            yield {"series": str(number), "outcome": text[1:], "changes": text[0] == "!"}


class _Series:
    """The steps of one series; `is_one` says that its methods are called on one object.

    `slot` is the argument that is changed in place, and not made anew, where it is none below 0.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._is_one: bool = told["one"]
        self._slot: int = told["slot"]
        self._steps = [(step, read(step["arguments"])) for step in told["steps"]]
        self._owners: list[Any] = []
        self._values: list[Any] = []
        self._changes = False

    def told(self) -> str:
        """Return what the last call gives, behind a mark for whether the first one changes its object."""
        text = ""
        for step, arguments in self._steps:
            kind, function = function_of(step)
            owner = None if kind is None else self._owner(kind, *arguments[2:])
            args, kwargs = self._given(*arguments[:2])
            before = _state(owner)
            own = () if kind is None else (owner,)
            try:
                result = function(*own, *args, **kwargs)
                text = "returned itself" if kind and result is owner else returned(result)
                text = drained(result) or text
                del result
            except BaseException as error:  # whatever the tree raises
                text = raised(error)
            del args, kwargs
            self._changes = self._changes or _state(owner) != before
        if self._steps[-1][0]["name"].endswith(".__init__") and not text.startswith("raised "):
            text = " ".join(self._held())
        return ("!" if self._changes else " ") + text

    def _owner(self, kind: type, state: dict[str, Any]) -> Any:
        if not (self._is_one and self._owners):
            self._owners.append(remade(kind, given(state)))
        return self._owners[-1]

    def _given(self, placed: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return what a call is given; what it had before is gone by then, but for what is changed."""
        kept, self._values = self._values, []
        if self._slot < 0:
            kept.clear()
        args = [given(one) for one in placed]
        kwargs = {name: given(one) for name, one in named.items()}
        for at, own in enumerate(kept):
            if at == self._slot:
                new = args[at] if at < len(args) else list(kwargs.values())[at - len(args)]
                own.clear()
                (own.extend if type(own) is list else own.update)(new)
                if at < len(args):
                    args[at] = own
                else:
                    kwargs[list(kwargs)[at - len(args)]] = own
        if self._slot >= 0:
            self._values = [*args, *kwargs.values()]
        return args, kwargs

    def _held(self) -> list[str]:
        """Return the attributes that can be changed in place, behind `=` where two objects have the same."""
        one, other = attributes(self._owners[0]), attributes(self._owners[-1])
        held = [name for name, value in one.items() if type(value) in _CONTAINERS]
        return [f"{'=' if other.get(name) is one[name] else '+'}{name}" for name in held]


def _state(owner: object) -> str:
    """Return what an object is made of, as far as that can be told."""
    if owner is None:
        return ""
    try:
        return repr({name: literal(one) for name, one in attributes(owner).items()})
    except Exception:  # whatever the object itself raises
        return ""
