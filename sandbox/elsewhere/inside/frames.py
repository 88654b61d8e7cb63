"""What a frame says of the function that runs in it: its place, its object, and what it is called with."""

from __future__ import annotations

import opcode
from types import FrameType
from typing import Any

from sandbox.elsewhere.inside.calls import attribute, chain, method, method_itself
from sandbox.elsewhere.inside.objects import named_place
from sandbox.elsewhere.inside.values import kept, parts

OF_A_CLASS = "."
"""In place of the name that a function's module has for it: its class has it."""
OF_THE_CLASS = ":"
"""The same of a class method or a static one: who calls it needs no object."""


def begins(frame: FrameType) -> bool:
    """Tell whether a generator or coroutine is asked first: each time is a call for the profiler."""
    code, at = frame.f_code, frame.f_lasti
    if at < 0:
        return True
    is_resumed = opcode.opname[code.co_code[at]] == "RESUME"  # since Python 3.11
    return is_resumed and code.co_code[at + 1] & 3 == 0


def place_of(frame: FrameType, name: str) -> tuple[Any, str, list[Any], object]:
    """Return a function's module and its name there, what wraps it, and of a method the object."""
    owner, own = owner_of(frame), frame.f_code.co_name
    if name == OF_THE_CLASS:
        of = class_of(frame)
        if of is None:  # an inner class that inherits the method
            return None, "<", [None], None
        return of.__module__, f"{of.__qualname__}.{own}", [getattr(of, own)], None
    if name != OF_A_CLASS:
        return frame.f_globals.get("__name__"), name, chain(frame.f_globals.get(name)), None
    kind = type(owner)
    return kind.__module__, f"{kind.__qualname__}.{own}", method(kind, own), owner


def class_of(frame: FrameType) -> Any:
    """The class whose class method or static method runs, where its module has it by its name; else None.

    A static method is known by its full name, which code has since Python 3.11.
    """
    code, first = frame.f_code, owner_of(frame)
    wanted, kind = classmethod, first
    if not isinstance(first, type):
        of = getattr(code, "co_qualname", "").rpartition(".")[0]
        wanted, kind = staticmethod, frame.f_globals.get(of)  # type: ignore[assignment]
    if not isinstance(kind, type) or not named_place(kind):
        return None
    raw: Any = method_itself(kind, code.co_name)
    is_own = isinstance(raw, wanted) and attribute(raw.__func__, "__code__") is code
    return kind if is_own else None


def bound(frame: FrameType, name: str) -> int:
    """How many of a function's arguments its caller does not give: the object, or the class."""
    return int(name == OF_A_CLASS or (name == OF_THE_CLASS and isinstance(owner_of(frame), type)))


def owner_of(frame: FrameType) -> object:
    """The first argument: the object, where the function is a method."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def called_with(
    frame: FrameType, function: Any, first: int, owner: object = None
) -> tuple[Any, ...] | None:
    """What a function is called with: (positional, by name); None where a variable of it is gone already.

    Arguments in front of the `first` are not told, nor what is the default's own object. The attributes of
    an `owner` follow.
    """
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames
    both = code.co_argcount + code.co_kwonlyargcount
    at = both
    rest: tuple[Any, ...] = ()
    if code.co_flags & 0x04:
        rest, at = values.get(names[at], ()), at + 1
    more = values.get(names[at], {}) if code.co_flags & 0x08 else {}
    defaults = dict(getattr(function, "__kwdefaults__", None) or {})
    own = getattr(function, "__defaults__", None) or ()
    defaults.update(zip(names[code.co_argcount - len(own) : code.co_argcount], own))  # noqa: B905 - old Pythons
    if any(name not in values for name in names[:both]):
        return None
    placed = code.co_argcount if rest else getattr(code, "co_posonlyargcount", 0)
    positional = tuple(values[name] for name in names[first:placed])
    named = {
        name: values[name]
        for name in names[max(first, placed) : both]
        if name not in defaults or values[name] is not defaults[name]
    }
    placed_all = tuple(kept(one) for one in (*positional, *rest))
    by_name = {name: kept(one) for name, one in {**named, **more}.items()}
    told: tuple[Any, ...] = (placed_all, by_name)
    return told if owner is None else (*told, parts(owner))
