"""Reads values as a task and a run write them, in Python or JavaScript, and says whether two are the same."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from bot.diff.python_source import last_name, parse_python


class Undefined(Enum):
    """JavaScript's `undefined`."""

    UNDEFINED = "undefined"


@dataclass(frozen=True, slots=True)
class Made:
    """An object shown as the call that makes it: `Decimal('1.5')`."""

    name: str
    arguments: tuple[object, ...]
    named: tuple[tuple[str | None, object], ...]


_LARGEST = 1e300  # of whole numbers that are compared as floats
_SCRIPT_NAMES: dict[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "undefined": Undefined.UNDEFINED,
    "Infinity": math.inf,
}


def expression(text: str) -> ast.expr | None:
    """Parse one expression; None for anything else."""
    tree = parse_python(f"({text.strip().rstrip(';').removeprefix('await ')}\n)")
    statement = tree.body[0] if tree is not None and len(tree.body) == 1 else None
    return statement.value if isinstance(statement, ast.Expr) else None


def read_value(text: str, *, is_script: bool = False) -> tuple[object] | None:
    """Return a value as a tuple of one; None where the text is none, or is abbreviated."""
    node = expression(text) if text.strip() else None
    try:
        return None if node is None else (_value(node, is_script),)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _value(node: ast.expr, is_script: bool) -> object:
    """Evaluate a literal, or the call of a name with such. Raises ValueError."""
    if isinstance(node, ast.Constant) and node.value is not ...:
        return node.value
    if is_script and isinstance(node, ast.Name) and node.id in _SCRIPT_NAMES:
        return _SCRIPT_NAMES[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        found = _value(node.operand, is_script)
        if isinstance(found, int | float | complex):
            return -found if isinstance(node.op, ast.USub) else found
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        read = [_value(one, is_script) for one in node.elts]
        ordered = tuple(read) if isinstance(node, ast.Tuple) else read
        return set(read) if isinstance(node, ast.Set) else ordered
    if isinstance(node, ast.Dict):
        keys: list[object] = []
        for one in node.keys:
            if one is None:
                raise ValueError("a spread")
            if is_script and isinstance(one, ast.Name):
                keys.append(one.id)
            else:
                key = _value(one, is_script)
                keys.append(str(key) if is_script else key)
        return dict(zip(keys, (_value(one, is_script) for one in node.values), strict=True))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
        given = tuple(_value(one, is_script) for one in node.args)
        named = tuple((one.arg, _value(one.value, is_script)) for one in node.keywords)
        return Made(last_name(node.func), given, named)
    raise ValueError(type(node).__name__)


def same(one: object, other: object) -> bool | None:
    """Compare values as people show them: a tuple for a list, numbers as printed. None: nobody can tell."""
    if isinstance(one, Made) or isinstance(other, Made):
        return _same_made(one, other)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        is_alike = len(one) == len(other)
        return is_alike and _all(same(*pair) for pair in zip(one, other, strict=False))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and _all(same(one[key], other[key]) for key in one)
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one != other and isinstance(one, int | float) and isinstance(other, int | float):
        return max(abs(one), abs(other)) < _LARGEST and math.isclose(one, other)
    return one == other


def _same_made(one: object, other: object) -> bool | None:
    if not isinstance(one, Made) or not isinstance(other, Made) or one.name != other.name:
        return None
    if one == other:
        return True
    is_alike = len(one.arguments) == len(other.arguments) and not (one.named or other.named)
    return same(one.arguments, other.arguments) if is_alike else None


def _all(found: Iterable[bool | None]) -> bool | None:
    told = list(found)
    return False if False in told else None if None in told else True
