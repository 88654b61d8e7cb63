"""Objects taken apart and made again: attributes by name, and what a module has by a name."""

from __future__ import annotations

import contextlib
import io
import sys
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType
from typing import Any, NamedTuple


class Iterated(list):  # type: ignore[type-arg]
    """What an iterator over plain values has still to give."""

    def __repr__(self) -> str:
        return f"iter({super().__repr__()})"


class Instance(NamedTuple):
    """An object as text tells of it: `place` ("module:class") has its class, `state` its attributes."""

    place: str
    state: dict[str, Any]

    def __repr__(self) -> str:
        words = (f"{name}={one!r}" if name else repr(one) for name, one in self.state.items())
        return f"{self.place.rpartition(':')[2]}({', '.join(words)})"


class Reference(NamedTuple):
    """A function, a class or a member of an enumeration: `place` is "module:name"."""

    place: str

    def __repr__(self) -> str:
        return self.place.rpartition(":")[2]


class Buffer(NamedTuple):
    """Bytes that are changed in place or looked at where they stand, or a file in memory.

    `kind` is the name of its type, `position` where a file is read or written next.
    """

    kind: str
    content: Any
    position: int = 0

    def __repr__(self) -> str:
        return f"{self.kind}({self.content!r}{f', {self.position}' * (self.position > 0)})"


class Stub(NamedTuple):
    """A function of a test that a call is given: its name, and what it gave for which arguments.

    One that was never called gives None.
    """

    name: str
    seen: list[Any]

    def __repr__(self) -> str:
        return self.name


CONTAINERS = (list, tuple, set, dict, Iterated)
SCALARS = (type(None), bool, int, float, str, bytes, Decimal, Fraction)
FILES: tuple[Any, ...] = (io.BytesIO, io.StringIO)
BUFFERS: dict[str, Any] = {one.__name__: one for one in (bytearray, memoryview, *FILES)}
MADE = "()"
"""In place of attributes: what a class was called with to make the object."""
hidden_files: set[str] = set()
"""Files that another place does not have: what they define has no name there."""


def buffered(value: Any) -> Buffer:
    """Return what a buffer holds. Raises ValueError where it was closed or released."""
    if type(value) in FILES:
        return Buffer(type(value).__name__, value.getvalue(), value.tell())
    return Buffer(type(value).__name__, bytes(value))


def attributes(owner: object) -> dict[str, Any]:
    """Return an object's own attributes by name."""
    found: dict[str, Any] = {}
    for name in _slots(type(owner)):
        with contextlib.suppress(AttributeError):
            found[name] = object.__getattribute__(owner, name)
    with contextlib.suppress(AttributeError):
        found.update(object.__getattribute__(owner, "__dict__"))
    return found


def plain_kind(kind: type) -> Any:
    """Return the kind of number, text or list that a class is one of; None for others."""
    return next((one for one in kind.__mro__ if one in SCALARS or one in CONTAINERS), None)


def _slots(kind: type) -> list[str]:
    """The names of the attributes for which a class keeps a place in its objects."""
    own = (vars(base) for base in kind.__mro__ if "__slots__" in vars(base))
    members = (member for one in own for member in one.items())
    return [name for name, one in members if type(one) is MemberDescriptorType]


def remade(kind: type, state: dict[str, Any]) -> Any:
    """Return an object with these parts, of a class that is not asked, or what that makes of arguments."""
    if made := state.get(MADE):
        return kind(*made[0], **made[1])
    plain, own = plain_kind(kind), dict(state)
    if "" in own:
        value = own.pop("")
        owner = plain.__new__(kind, value)
        if plain in (list, dict):
            plain.__init__(owner, value)
    else:
        owner = object.__new__(kind)
    for name in {*_slots(kind)} & {*own}:
        object.__setattr__(owner, name, own.pop(name))
    if own:
        owner.__dict__.update(own)
    return owner


def class_place(kind: type) -> str:
    """Return where a class is found by whose objects are nothing but their attributes; "" for others."""
    for base in kind.__mro__[:-1]:
        is_plain = base in SCALARS or base in CONTAINERS
        if not is_plain and ("__module__" not in vars(base) or not _file(base.__module__)):
            return ""  # written in C, which keeps to itself what its objects hold
    return _place(kind)


def named_place(value: Any) -> str:
    """Return where a function, a class or a member of an enumeration is found by name; "" for others."""
    kind = type(value)
    if Enum in kind.__mro__:
        owner, name = _place(kind), getattr(value, "_name_", None)
        is_member = bool(owner) and kind.__dict__.get("_member_map_", {}).get(name) is value
        return f"{owner}.{name}" if is_member else ""
    is_known = kind in (FunctionType, BuiltinFunctionType) or type in kind.__mro__
    return _place(value) if is_known else ""


def _place(value: Any) -> str:
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if type(module) is not str or type(name) is not str or module == "__main__":
        return ""
    found: Any = sys.modules.get(module)
    if getattr(found, "__file__", None) in hidden_files:
        return ""
    for part in name.split("."):  # without asking it: a module may have a `__getattr__`
        found = getattr(found, "__dict__", {}).get(part)
    return f"{module}:{name}" if found is value else ""


def _file(module: Any) -> str:
    file = getattr(sys.modules.get(module), "__file__", None) if type(module) is str else None
    return file if type(file) is str and file.endswith(".py") else ""


def found_at(place: str) -> Any:
    """Return what a module has by a name. Raises what importing it, or asking for the name, does."""
    module, _, name = place.partition(":")
    found: Any = import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found
