"""Values as text and back: literals, and what objects of plain values are made of."""

from __future__ import annotations

import ast
import contextlib
import copy
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from types import MemberDescriptorType
from typing import Any

MOST_TEXT = 2000
_DEEPEST = 8


class Iterated(list):  # type: ignore[type-arg]
    """What an iterator over plain values has still to give."""

    def __repr__(self) -> str:
        return f"iter({super().__repr__()})"


_CONTAINERS = (list, tuple, set, dict, Iterated)
_EMPTY: Any = ([], (), "", "\u00fc", b"", range(0))
_ITERATORS = frozenset(type(iter(one)) for one in _EMPTY)
"""Iterators of which a copy can be asked, and the first one still gives everything."""
_SCALARS = (type(None), bool, int, float, str, bytes, Decimal, Fraction)
_BY_NAME = {
    "Decimal": (Decimal, str),
    "Fraction": (Fraction, int),
    "float": (float, str),  # "inf" and "nan" have no literal
    "set": (set, type(None)),
}
_MOST_DIGITS = 60


def literal(value: object, depth: int = 0) -> str | None:
    """Return a value as `read` takes it, equal values alike; None where it is no literal."""
    kind = type(value)
    text: str | None = None
    if kind is float and not math.isfinite(value):  # type: ignore[arg-type]
        return f"float('{value}')"
    if kind in _SCALARS:
        with contextlib.suppress(ValueError):  # an int of too many digits
            text = repr(value)
    elif depth < _DEEPEST and kind in _CONTAINERS and len(value) < MOST_TEXT // 3:  # type: ignore[arg-type]
        text = _container(value, kind, depth + 1)
    return text if text is not None and len(text) <= MOST_TEXT else None


def _container(value: Any, kind: type, depth: int) -> str | None:
    parts = [literal(one, depth) for one in value]
    if kind is dict:
        values = [literal(one, depth) for one in value.values()]
        parts = [f"{k}: {v}" if k and v else None for k, v in zip(parts, values)]  # noqa: B905 - old Pythons
    known = [part for part in parts if part]
    if len(known) < len(parts) or (kind is set and not known):
        return None
    inside = ", ".join(known)
    if kind is Iterated:
        return f"iter([{inside}])"
    if kind in (list, dict):
        return f"[{inside}]" if kind is list else "{" + inside + "}"
    if kind is set:
        return "{" + ", ".join(sorted(known)) + "}"
    return "(" + ", ".join(known) + (",)" if len(known) == 1 else ")")


def kept(value: Any) -> Any:
    """Return a value that can be written; of an iterator over plain values what it has still to give."""
    if type(value) not in _ITERATORS:
        return value
    return Iterated(islice(copy.copy(value), MOST_TEXT))


def given(value: Any) -> Any:
    """Return what a call gets for a value that was read: an iterator for what was one."""
    return iter([*value]) if type(value) is Iterated else value


def read(text: str) -> Any:
    """Return the value of a literal, `Iterated` for an iterator. Raises what `ast` does for anything else."""
    return _value(ast.parse(text, mode="eval").body)


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "iter":
            return Iterated(map(_value, node.args[0].elts))  # type: ignore[attr-defined]
        kind, wanted = _BY_NAME[node.func.id]
        values = [ast.literal_eval(one) for one in node.args]
        if any(type(one) is not wanted or len(str(one)) > _MOST_DIGITS for one in values):
            raise ValueError(node.func.id)  # Fraction("1e999999999") would be long in the making
        return kind(*values)
    if isinstance(node, ast.Dict):
        return {_value(k): _value(v) for k, v in zip(node.keys, node.values) if k}  # noqa: B905 - old Pythons
    for kind, made in ((ast.List, list), (ast.Tuple, tuple), (ast.Set, set)):
        if isinstance(node, kind):
            return made(map(_value, node.elts))
    return ast.literal_eval(node)


def state_of(owner: object) -> str:
    """Return the parts of an object as text; "" where they are no literals."""
    try:
        return literal(parts(owner)) or ""
    except Exception:
        return ""


def attributes(owner: object) -> dict[str, Any]:
    """Return an object's own attributes by name."""
    found: dict[str, Any] = {}
    for name in _slots(type(owner)):
        with contextlib.suppress(AttributeError):
            found[name] = object.__getattribute__(owner, name)
    with contextlib.suppress(AttributeError):
        found.update(object.__getattribute__(owner, "__dict__"))
    return found


def parts(owner: object) -> dict[str, Any]:
    """Return an object's attributes by name; under "" the number, text or list that it is itself.

    Raises what `ast` does where that is no literal.
    """
    plain = plain_kind(type(owner))
    if plain is None:
        return attributes(owner)
    return {**attributes(owner), "": read(plain.__repr__(owner)[:MOST_TEXT])}


def plain_kind(kind: type) -> Any:
    """Return the kind of number, text or list that a class is one of; None for others."""
    return next((one for one in kind.__mro__ if one in _SCALARS or one in _CONTAINERS), None)


def _slots(kind: type) -> list[str]:
    """The names of the attributes for which a class keeps a place in its objects."""
    own = (vars(base) for base in kind.__mro__ if "__slots__" in vars(base))
    members = (member for one in own for member in one.items())
    return [name for name, one in members if type(one) is MemberDescriptorType]


def remade(kind: type, state: dict[str, Any]) -> Any:
    """Return an object with these parts, of a class that is not asked."""
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


def changeable(values: Iterable[Any]) -> list[Any]:
    """Return those of the values that a call can leave otherwise than it found them."""
    return [one for one in values if type(one) in (list, set, dict)]


def left(given: list[Any], before: str | None) -> str:
    """Return in words what a call left of what it was given; "" where that is as it was."""
    after = literal(given)
    return "" if after == before else f" and left {after or 'what is no plain value'}"[:MOST_TEXT]
