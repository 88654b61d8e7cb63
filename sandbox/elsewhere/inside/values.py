"""Values as text and back: literals, dates, and objects that are made of such values."""

from __future__ import annotations

import ast
import contextlib
import copy
import datetime
import math
import re
import zlib
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

from sandbox.elsewhere.inside.objects import (
    BUFFERS,
    CONTAINERS,
    FILES,
    SCALARS,
    Buffer,
    Instance,
    Iterated,
    Reference,
    Stub,
    attributes,
    buffered,
    class_place,
    found_at,
    named_place,
    plain_kind,
    remade,
)

MOST_TEXT = 2000
_DEEPEST = 8
_EMPTY: Any = ([], (), "", "\u00fc", b"", range(0))
_ITERATORS = frozenset(type(iter(one)) for one in _EMPTY)
"""Iterators of which a copy can be asked, and the first one still gives everything."""
_BY_NAME = {
    "Decimal": (Decimal, str),
    "Fraction": (Fraction, int),
    "float": (float, str),  # "inf" and "nan" have no literal
    "set": (set, type(None)),
}
_CHANGING = (list, set, dict, *FILES)
_OF_TIME: Any = (datetime.date, datetime.time, datetime.datetime, datetime.timedelta)
_UTC = datetime.timezone.utc  # noqa: UP017 - old Pythons
_MOST_DIGITS = 60
_PLACE = re.compile(r"[\w.]{1,400}:[\w.]{1,400}\Z")
_FAR = 997
told_functions: list[Callable[[Any], str]] = []
"""While there is one, it says as what a function of a test is told: "" for what has no text."""


def literal(value: Any, depth: int = 0) -> str | None:
    """Return a value as `read` takes it, equal values alike; None where it is no literal."""
    kind = type(value)
    text: str | None = None
    if kind is float and not math.isfinite(value):
        return f"float('{value}')"
    if kind in SCALARS:
        with contextlib.suppress(ValueError):  # an int of too many digits
            text = repr(value)
    elif kind is Buffer or kind in BUFFERS.values():
        with contextlib.suppress(ValueError):  # it was closed or released
            buffer = value if kind is Buffer else buffered(value)
            text = repr(buffer) if len(buffer.content) <= MOST_TEXT else None
    elif kind in _OF_TIME:
        zone = getattr(value, "tzinfo", None)
        is_known = zone is None or type(zone) is datetime.timezone
        text = repr(value) if is_known else None
    elif depth >= _DEEPEST:
        return None
    elif kind in CONTAINERS:
        text = _container(value, kind, depth + 1) if len(value) < MOST_TEXT // 3 else None
    elif kind is Instance:
        state = literal(value.state, depth + 1)
        text = f"instance({value.place!r}, {state})" if state else None
    elif kind is Reference:
        text = f"reference({value.place!r})"
    elif kind is Stub:
        seen = literal(value.seen)
        text = f"stub({value.name!r}, {seen})" if seen else None
    else:
        text = _object(value, depth + 1)
    return text if text is not None and len(text) <= MOST_TEXT else None


def _container(value: Any, kind: type, depth: int) -> str | None:
    parts: list[str] = []
    room = MOST_TEXT
    for one in value:
        text = literal(one, depth) or ""
        if kind in (set, dict) and text.startswith("instance("):
            return None  # who reads it could not look it up
        if text and kind is dict:
            own = literal(value[one], depth)
            text = f"{text}: {own}" if own else ""
        room -= len(text)
        if not text or room < 0:
            return None
        parts.append(text)
    if kind is set and not parts:
        return None
    inside = ", ".join(sorted(parts) if kind is set else parts)
    if kind is tuple:
        return f"({inside}{',' * (len(parts) == 1)})"
    if kind is Iterated:
        return f"iter([{inside}])"
    return f"[{inside}]" if kind is list else "{" + inside + "}"


def _object(value: Any, depth: int) -> str | None:
    """An object by the name that its module has for it, or by its class and its attributes."""
    try:
        named = named_place(value)
        if named:
            return f"reference({named!r})"
        if told_functions and (function := told_functions[-1](value)):
            return function
        place = class_place(type(value))
        # What has no attributes is known by its identity.
        state = parts(value) if place else {}
        told = literal(state, depth) if state else None
        if told and plain_kind(type(value)):
            remade(type(value), state)
    except Exception:  # whatever the object itself raises
        return None
    return f"instance({place!r}, {told})" if told else None


def kept(value: Any) -> Any:
    """Return a value that can be written; of an iterator over plain values what it has still to give."""
    if type(value) not in _ITERATORS:
        return value
    return Iterated(islice(copy.copy(value), MOST_TEXT))


def given(value: Any) -> Any:
    """Return what a call gets for a value that was read: an iterator for what was one, an object again.

    Raises what finding a class or a function by its name does.
    """
    kind = type(value)
    if kind is Instance:
        return remade(found_at(value.place), given(value.state))
    if kind is Reference:
        return found_at(value.place)
    if kind in (Stub, Buffer):
        return answering(value) if kind is Stub else _buffer(value)
    if kind is dict:
        return {key: given(one) for key, one in value.items()}
    if kind in (list, tuple, Iterated):
        items = [given(one) for one in value]
        return iter(items) if kind is Iterated else kind(items)
    return value


def _buffer(told: Buffer) -> Any:
    made = BUFFERS[told.kind](told.content)
    if type(made) in FILES:
        made.seek(told.position)
    return made


def answering(known: Stub) -> Callable[..., Any]:
    """Return a function that gives what another one gave, in its order; for other arguments another value.

    The last one of equal calls stays. What is no number and no text is the same for all of them.
    """
    left: dict[str, list[Any]] = {}
    for arguments, result in known.seen:
        left.setdefault(literal(arguments) or "", []).append(result)
    first: Any = known.seen[0][1] if known.seen else None  # it was never called

    def function(*args: Any, **kwargs: Any) -> Any:
        key = literal((*args, *kwargs.values())) or ""
        if key in left:
            results = left[key]
            return given(results.pop(0) if len(results) > 1 else results[0])
        step = 1 + zlib.crc32(key.encode(errors="replace")) % _FAR
        if type(first) in (int, float, Decimal, Fraction):
            return first + step
        return f"{first}{step}" if type(first) is str else given(first)

    return function


UNREADABLE = (
    ValueError, SyntaxError, TypeError, AttributeError, ArithmeticError, LookupError, MemoryError,
    RecursionError,
)  # fmt: skip
"""What `read` raises for what is no such literal."""


def read(text: str) -> Any:
    """Return the value of a literal, `Iterated` for an iterator, `Instance` for an object.

    Raises what `ast` does for anything else.
    """
    return _value(ast.parse(text, mode="eval").body)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        kind = {one.__name__: one for one in (*_OF_TIME, datetime.timezone)}[node.func.attr]
        named = {one.arg: _value(one.value) for one in node.keywords if one.arg}
        return kind(*map(_value, node.args), **named)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _called(node.func.id, node.args)
    if isinstance(node, ast.Attribute) and node.attr == "utc":
        return _UTC
    if isinstance(node, ast.Dict):
        return {_value(k): _value(v) for k, v in zip(node.keys, node.values) if k}  # noqa: B905 - old Pythons
    for kind, made in ((ast.List, list), (ast.Tuple, tuple), (ast.Set, set)):
        if isinstance(node, kind):
            return made(map(_value, node.elts))
    return ast.literal_eval(node)


def _called(name: str, arguments: list[ast.expr]) -> Any:
    if name == "iter":
        return Iterated(map(_value, arguments[0].elts))  # type: ignore[attr-defined]
    if name == "stub":
        called, seen = map(_value, arguments)
        if type(called) is not str or type(seen) is not list:
            raise ValueError(name)
        return Stub(called, [(tuple(of), result) for of, result in seen])
    if name in ("instance", "reference"):
        place, *state = map(_value, arguments)
        is_state = not state or (type(state[0]) is dict and all(type(k) is str for k in state[0]))
        if type(place) is not str or not _PLACE.match(place) or not is_state:
            raise ValueError(name)
        return (Instance if name == "instance" else Reference)(place, *state)
    if name in BUFFERS:
        content, *position = map(ast.literal_eval, arguments)
        is_text, is_file = name == "StringIO", BUFFERS[name] in FILES
        is_known = type(content) is (str if is_text else bytes) and len(position) <= is_file
        if not is_known or any(type(one) is not int or one < 0 for one in position):
            raise ValueError(name)
        return Buffer(name, content, *position)
    kind, wanted = _BY_NAME[name]
    values = [ast.literal_eval(one) for one in arguments]
    if any(type(one) is not wanted or len(str(one)) > _MOST_DIGITS for one in values):
        raise ValueError(name)  # Fraction("1e999999999") would be long in the making
    return kind(*values)


def state_of(owner: object) -> str:
    """Return the parts of an object as text; "" where they are no literals."""
    try:
        return literal(parts(owner)) or ""
    except Exception:  # whatever the object itself raises
        return ""


def parts(owner: object) -> dict[str, Any]:
    """Return an object's attributes by name; under "" the number, text or list that it is itself.

    Raises what `ast` does where that is no literal.
    """
    plain = plain_kind(type(owner))
    if plain is None:
        return attributes(owner)
    return {**attributes(owner), "": read(plain.__repr__(owner)[:MOST_TEXT])}


class Given:
    """What a call is given and can leave otherwise than it found it: lists, sets, tables, files, objects'.

    So is what a method's object holds, where the method returns a new object of the same class.
    """

    def __init__(self, values: Iterable[Any], owner: object = None) -> None:
        self._owner = owner
        self._values: list[Any] = []
        for one in values:
            is_own = type(one) in _CHANGING
            self._values += [one] if is_own else _held(one, is_public=True)
        self._held = _held(owner)
        self._before = literal(self._values), literal(self._held)

    def left(self, result: object) -> str:
        """Return in words what a call left of it; "" where that is as it was."""
        is_new = result is not self._owner and type(result) is type(self._owner)
        for values, before in zip((self._values, self._held if is_new else ()), self._before):  # noqa: B905
            after = literal(values)
            if values and after != before:
                return f" and left {after or 'a value that cannot be shown'}"[:MOST_TEXT]
        return ""


def _held(value: object, *, is_public: bool = False) -> list[Any]:
    """The lists, sets and mappings among an object's attributes."""
    own: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # what a class says of itself may raise anything
        if type(value) not in SCALARS and class_place(type(value)):
            own = attributes(value)
    return [
        one
        for name, one in own.items()
        if type(one) in _CHANGING and not (is_public and name.startswith("_"))
    ]
