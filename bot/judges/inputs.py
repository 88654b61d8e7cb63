"""The inputs of the author's tests and values near them: what a special-cased answer gets wrong.

An input is what a test hands to the code that it calls, also through a table; what it expects, ids,
titles and patterns of messages are none.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeGuard

from bot.diff.python_source import Definition, last_name, parse_python
from bot.text.clipping import clip_line
from sandbox.elsewhere.values import TestedInput

MOST_LITERALS = 14
MOST_NEAR = 7
MOST_DIFFERING = 16
MOST_ALIKE = 8
"""Of the rows in which base gives what it gives for the tested input, too."""
_ROW_CHARS = 240
_MACHINERY_WORDS = (
    "raises warns approx skip skipif param parametrize fixture patch object isinstance issubclass len str "
    "repr set sorted list tuple dict bool int float bytes range print type getattr hasattr setattr any all "
    "sum min max zip enumerate Decimal Fraction fail mark usefixtures"
)
_MACHINERY = frozenset(_MACHINERY_WORDS.split())
_EXPECTED = re.compile(
    r"\.(?:to[A-Z]\w*|(?:deep|not|strict|deepStrict)?[eE]quals?|is|same)\s*\([^()\n]*\)"
)
_TITLED = re.compile(
    r"\b(?:test|it|describe|suite)(?:\.\w+)?\s*\(\s*(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`)"
)
_CONTAINERS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
_LONGEST = 60
_LARGEST = 10**15
_WRITTEN = re.compile(
    r"(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?(?![\w.])|\"([^\"\\\n]{0,60})\"|'([^'\\\n]{0,60})'"
)
"""Numbers and texts as most languages write them."""
Value = str | int | float


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A literal of a test and values near it, each as it is written in code."""

    literal: str
    near: tuple[str, ...]


def near_inputs(sources: Iterable[str]) -> tuple[Neighbours, ...]:
    """The inputs of these tests in their order, each with values near it as code writes them."""
    plain: dict[str, Value] = {}
    others: dict[str, Neighbours] = {}
    for source in sources:
        tree = parse_python(textwrap.dedent(source))
        if tree is None:
            code = _EXPECTED.sub("", _TITLED.sub("(", source))
            for match in _WRITTEN.finditer(code):
                value: Value | None = match[1] if match[1] is not None else match[2]
                if value is None:
                    value = float(match[0]) if "." in match[0] else int(match[0])
                plain.setdefault(repr(value), value)
            continue
        for node in _inputs(tree):
            if isinstance(node, ast.Constant) and _is_plain(node.value):
                plain.setdefault(repr(node.value), node.value)
            elif near := _near(node):
                others.setdefault(text := ast.unparse(node), Neighbours(text, near))
    found = [
        Neighbours(text, tuple(near for near in _near_plain(value) if near not in plain))
        for text, value in [*plain.items()][:MOST_LITERALS]
    ]
    return (*found, *others.values())[:MOST_LITERALS]


def told_differences(looked: Iterable[TestedInput]) -> str:
    """What base and head give for inputs near the tested ones, where that is not the same.

    First those for which base gives something else than for the tested input itself: that base does not take
    a new argument is told by few.
    """
    rows: dict[str, None] = {}
    alike: dict[str, None] = {}
    for one in looked:
        for call in one.near:
            row = f"{call.call}: base {call.on_base}; head {call.on_head}"
            if call.differs:
                (alike if call.on_base == one.tested.on_base else rows)[row] = None
    shown = [*rows][:MOST_DIFFERING]
    shown += [*alike][: min(MOST_ALIKE, MOST_DIFFERING - len(shown))]
    left = len(rows | alike) - len(shown)
    more = [f"… and {left} more"] if left else []
    return "\n".join((*(clip_line(" ".join(row.split()), _ROW_CHARS) for row in shown), *more))


def _inputs(tree: ast.Module) -> Iterator[ast.expr]:
    """The values that calls into the code get, followed through variables and columns of tables."""
    # What variables are set to, and what the columns of `parametrize` hold.
    named: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                named.setdefault(target.id, []).append(node.value)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize":
            for column, value in _columns(node):
                named.setdefault(column, []).append(value)
    decorators = {
        id(one)
        for node in ast.walk(tree)
        if isinstance(node, Definition)
        for decorator in node.decorator_list
        for one in ast.walk(decorator)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or id(call) in decorators:
            continue
        name = last_name(call.func)
        if name in _MACHINERY or name.lower().startswith(("assert", "mock")):
            continue  # the test's own: it asserts, converts, or sets something up
        for given in (*call.args, *(one.value for one in call.keywords)):
            values = named.get(given.id, ()) if isinstance(given, ast.Name) else (given,)
            for value in values:
                yield from _parts(value)


def _columns(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    if len(call.args) < 2 or not isinstance(call.args[1], ast.List | ast.Tuple):
        return
    names = re.findall(r"\w+", ast.unparse(call.args[0]))
    for row in call.args[1].elts:
        values: list[ast.expr] = [row]
        if isinstance(row, ast.Call):  # pytest.param(…, id="…")
            values = list(row.args)
        elif len(names) > 1 and isinstance(row, ast.Tuple | ast.List):
            values = list(row.elts)
        yield from zip(names, values, strict=False)


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """A value, and of a container its parts too."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
        value = value.operand
    if isinstance(value, ast.Constant | ast.Call):
        yield value
    elif isinstance(value, _CONTAINERS):
        yield value
        items = value.values if isinstance(value, ast.Dict) else value.elts
        for item in items:
            yield from _parts(item)


def _near(node: ast.expr) -> tuple[str, ...]:
    """Values near bytes, a decimal or a container; none for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        given = node.value
        near = (b"", given + b"\x00", given[::-1], given * 2, b"\xff\xfe" + given)
        return tuple(dict.fromkeys(repr(one) for one in near if one != given))
    if isinstance(node, ast.Call):
        return _near_decimal(node)
    if isinstance(node, ast.Dict):
        return ("{}", f"dict(reversed({ast.unparse(node)}.items()))")
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        whole = ast.unparse(node)
        if isinstance(node, ast.Set):
            return ("set()",)
        empty = "[]" if isinstance(node, ast.List) else "()"
        return (empty, f"{whole}[::-1]", f"{whole}[:1]", f"{whole} * 2")[: 4 if node.elts else 0]
    return ()


def _near_decimal(call: ast.Call) -> tuple[str, ...]:
    is_made = last_name(call.func) == "Decimal" and len(call.args) == 1
    if not is_made or not isinstance(call.args[0], ast.Constant):
        return ()
    made = ast.unparse(call.func)
    try:
        given = Decimal(str(call.args[0].value))
    except InvalidOperation:
        return ()
    if not given.is_finite() or len(given.as_tuple().digits) > 30:
        return ()
    near = (-given, given + 1, given + Decimal("0.005"), Decimal(0), Decimal("1E+3"))
    return (*(f'{made}("{one}")' for one in dict.fromkeys(near) if one != given), f'{made}("NaN")')[
        :MOST_NEAR
    ]


def _is_plain(value: object) -> TypeGuard[Value]:
    """Whether a constant is a text or a number of ordinary size."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    return len(value) <= _LONGEST if isinstance(value, str) else abs(value) < _LARGEST


def _near_plain(value: Value) -> tuple[str, ...]:
    """Values near a text or a number: what a special-cased answer gets wrong."""
    near: tuple[Value, ...]
    if isinstance(value, str):
        turned, swapped = value[::-1] or " ", value.swapcase() or "0"
        near = (
            "", f"{value}x", turned, swapped, f" {value} ", "äß 日本 🙂", f"{value}\n{value}",
        )  # fmt: skip
    elif isinstance(value, int):
        near = (value + 1, value - 1, 0, -value, 2 * value + 3, 10 * value + 7, 1_000_003)
    else:
        near = (value + 1, value - 1, 0.0, -value, value / 2, value + 0.01, 1e12)
    return tuple(dict.fromkeys(map(repr, near)))
