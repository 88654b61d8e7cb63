"""Sees which functions and objects of the tree are given functions of a test, and what those give.

What is seen of such a function stands for it where the test is not there.
"""

from __future__ import annotations

import opcode
import weakref
from types import CodeType, FrameType, FunctionType
from typing import Any

from sandbox.elsewhere.inside.objects import MADE, hidden_files
from sandbox.elsewhere.inside.values import literal, told_functions

_MOST_CALLS = 30
_MOST_SEEN = 5  # calls of one function
_LONGEST = 300  # characters of one
_NOT_PLAIN = 0x20 | 0x80 | 0x200  # generators and coroutines


class Stubs:
    """The calls of one process that have such functions among what they are given."""

    def __init__(self) -> None:
        self.codes: dict[CodeType, str] = {}
        """Those of the functions, with a name for each."""
        self.open: dict[FrameType, tuple[str, str]] = {}
        """Their calls that have not ended."""
        self._seen: dict[str, list[str]] = {}
        self._unknown: set[str] = set()
        self._made: dict[int, tuple[weakref.ref[object], str]] = {}
        """By their ids: the objects that are given one when they are made, with what of."""
        self._calls: dict[tuple[str, ...], dict[str, Any]] = {}

    def called(self, frame: FrameType) -> None:
        """Note what a function that was given to the tree is called with: one of the `codes`."""
        name, code = self.codes[frame.f_code], frame.f_code
        if len(self._seen.get(name, ())) < _MOST_SEEN:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            more = code.co_varnames[len(names)] if code.co_flags & 0x04 else ""
            rest = frame.f_locals.get(more, ())
            given = literal((*map(frame.f_locals.get, names), *rest))
            if given is None or len(given) > _LONGEST:
                self._unknown.add(name)
            else:
                self.open[frame] = name, given

    def ended(self, frame: FrameType, argument: object) -> None:
        """Note what it gives: one of those that are `open`."""
        name, of = self.open.pop(frame)
        last = opcode.opname[frame.f_code.co_code[frame.f_lasti]]
        is_raised = argument is None and not last.startswith("RETURN")
        told = literal(argument)
        if is_raised or told is None or len(told) > _LONGEST:
            self._unknown.add(name)
        else:
            self._seen.setdefault(name, []).append(f"({of}, {told})")

    def note(
        self, called: tuple[str, str, int], given: tuple[Any, ...], owner: object, place: Any
    ) -> bool:
        """Note a call (module, name, and how many wrap it), what it is given, and where a test made it.

        Return False where it is given none of them, or something that has no text.
        """
        of = self._told(given[:2])
        if of is None or len(self._calls) >= _MOST_CALLS:
            return False
        known = self._made.get(id(owner))
        if owner is not None:
            is_made = called[1].endswith(".__init__")
            if is_made and "stub(" in of:
                self._made[id(owner)] = weakref.ref(owner), of
            elif not is_made and known is not None and known[0]() is owner:
                of = f"{of[:-1]}, {{{MADE!r}: {known[1]}}})"
            else:
                return False
        is_given = "stub(" in of
        if is_given:
            module, name, depth = called
            told = {"module": module, "name": name, "depth": str(depth), "arguments": of}
            own = {"path": place[0], "test": place[1], "outcome": "unseen", "direct": True}
            self._calls.setdefault((module, name, of), {**told, **own})
        return is_given

    def calls(self, unread: set[tuple[str, str]]) -> list[dict[str, Any]]:
        """Return those whose functions are known by what they gave; add the tests of others to `unread`."""
        known = []
        for one in self._calls.values():
            text = one["arguments"]
            for name in self.codes.values():
                seen, shown = ", ".join(self._seen.get(name, ())), name.rpartition(" ")[2]
                stub = "" if name in self._unknown else f"stub({shown!r}, [{seen}])"
                text = text.replace(f"stub({name!r})", stub)
            if text.count("stub(") == one["arguments"].count("stub("):
                known.append({**one, "arguments": text})
            else:
                unread.add((one["path"], one["test"]))
        return known

    def _told(self, given: tuple[Any, ...]) -> str | None:
        told_functions.append(self._name)
        try:
            return literal(given)
        finally:
            told_functions.pop()

    def _name(self, value: object) -> str:
        if type(value) is not FunctionType or value.__code__.co_filename not in hidden_files:
            return ""
        code = value.__code__
        if code.co_flags & _NOT_PLAIN:
            return ""
        shown = code.co_name if code.co_name.isidentifier() else "function"
        name = self.codes.setdefault(code, f"{len(self.codes)} {shown}")
        return f"stub({name!r})"
