"""Reads how the functions of a text may be called, and tells whether two defaults differ in value.

What is defined twice (overloads, setters, two platforms) is left out: nobody can tell which one a call gets.
JavaScript is read by `script_signatures`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from bot.diff.python_source import Function
from bot.integrity.reading.inspection import Trees
from bot.integrity.reading.tokens import constants_of, literal_at, read_tokens

_ATTRIBUTES = re.compile(r"(?:^|\.)(?:cached_?)?property$|(?:^|\.)hybrid_property$|\.getter$")
_NOT_CALLED = re.compile(
    r"(?i)\b(?:overload|fixture|command|group|route|option|argument|callback|task|get|post|put|delete|patch|"
    r"setter|deleter|register|hookimpl|validator|validates\w*|listens_for|receiver)\b"
)
"""Decorators of what a framework calls, by names of its own."""
_NOTHING = frozenset(("None", "undefined", "null"))
_EMPTY = frozenset(
    ("[]", "{}", "()", "''", '""', "set()", "list()", "dict()", "tuple()", "frozenset()")
)
_SELECTED = re.compile(r"([\w.]+)\.(\w+)")
_RECORD = re.compile(r"(?:dataclasses\.)?dataclass\b(?!.*\binit=F)")
_MOST_SOURCE = 400_000


class Passing(StrEnum):
    """How a call may give a value to a parameter."""

    BY_PLACE = "by place"
    EITHER = "by place or by name"
    BY_NAME = "by name"
    REST = "all others by place"
    NAMED_REST = "all others by name"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `default` is its text; None where a call has to give the value.

    `entries` are the keys of JavaScript's destructured options.
    """

    name: str
    passing: Passing
    default: str | None = None
    entries: tuple[Parameter, ...] = ()
    is_optional: bool = False

    def __str__(self) -> str:
        """Write it as the source does."""
        stars = {Passing.REST: "*", Passing.NAMED_REST: "**"}.get(self.passing, "")
        shown = f"{{{', '.join(map(str, self.entries))}}}" if self.entries else self.name
        return f"{stars}{shown}" + (f"={self.default}" if self.default is not None else "")


@dataclass(frozen=True, slots=True)
class Signature:
    """How one function, method or class may be called; `source` is its text, `marks` its decorators."""

    name: str
    line: int
    parameters: tuple[Parameter, ...]
    source: str
    is_script: bool = False
    is_typed: bool = False
    is_async: bool = False
    is_attribute: bool = False
    is_static: bool = False
    marks: frozenset[str] = frozenset()

    def __str__(self) -> str:
        """Write its parameters as the source does."""
        written = list(map(str, self.parameters))
        kinds = [one.passing for one in self.parameters]
        if Passing.BY_NAME in kinds and Passing.REST not in kinds:
            written.insert(kinds.index(Passing.BY_NAME), "*")
        if Passing.BY_PLACE in kinds and not self.is_script:
            written.insert(kinds.count(Passing.BY_PLACE), "/")
        return ", ".join(written)


def only_once(found: Iterable[Signature]) -> dict[str, Signature]:
    """Signatures by name, without those of what is defined more than once."""
    listed = list(found)
    times = Counter(one.name for one in listed)
    return {one.name: one for one in listed if times[one.name] == 1}


def python_signatures(text: str, trees: Trees) -> Iterator[Signature]:
    """Yield the signatures of Python's functions, methods and constructors, public or not.

    Left out is what only operators and the language call, such as `__call__`.
    """
    lines, tree = text.splitlines(), trees.of(text)
    for node in tree.body if tree else ():
        if isinstance(node, Function) and not node.name.endswith("__"):
            yield from _of_function(node, node.name, lines, is_method=False)
        if not isinstance(node, ast.ClassDef):
            continue
        made = False
        for one in node.body:
            if not isinstance(one, Function):
                continue
            if one.name == "__init__":
                made = True
                yield from _of_function(one, node.name, lines, is_method=True)
            elif not one.name.endswith("__"):
                yield from _of_function(one, f"{node.name}.{one.name}", lines, is_method=True)
        is_tuple = any(ast.unparse(one).endswith("NamedTuple") for one in node.bases)
        marks = [ast.unparse(one) for one in node.decorator_list]
        record = [one for one in marks if _RECORD.match(one)]
        if (is_tuple or record) and not made:
            by_name = any("kw_only=True" in one for one in record)
            fields = tuple(_fields(node, Passing.BY_NAME if by_name else Passing.EITHER))
            yield Signature(node.name, node.lineno, fields, "", marks=frozenset(marks))


def _fields(node: ast.ClassDef, passing: Passing) -> Iterator[Parameter]:
    """Yield the parameters that the fields of a dataclass or a named tuple are."""
    for one in node.body:
        if not isinstance(one, ast.AnnAssign) or not isinstance(one.target, ast.Name):
            continue
        kind = ast.unparse(one.annotation).strip("'\"")
        if kind.endswith("KW_ONLY"):
            passing = Passing.BY_NAME
            continue
        said = ast.unparse(one.value) if one.value else None
        if re.match(r"(?:typing\.)?ClassVar\b", kind) or (said and "init=False" in said):
            continue
        default, own = said, passing
        if isinstance(one.value, ast.Call) and ast.unparse(one.value.func).endswith("field"):
            given = {key.arg: ast.unparse(key.value) for key in one.value.keywords}
            default = given.get("default", said if "default_factory" in given else None)
            own = Passing.BY_NAME if given.get("kw_only") == "True" else passing
        yield Parameter(one.target.id, own, default)


def _of_function(
    node: Function, name: str, lines: list[str], *, is_method: bool
) -> Iterator[Signature]:
    marks = frozenset(ast.unparse(one) for one in node.decorator_list)
    if any(_NOT_CALLED.search(one) for one in marks):
        return
    is_static = "staticmethod" in marks
    given, parameters = node.args, list[Parameter]()
    placed = [*given.posonlyargs, *given.args]
    missing: list[ast.expr | None] = [None] * (len(placed) - len(given.defaults))
    for at, (one, default) in enumerate(zip(placed, [*missing, *given.defaults], strict=True)):
        passing = Passing.BY_PLACE if at < len(given.posonlyargs) else Passing.EITHER
        parameters.append(Parameter(one.arg, passing, _text(default)))
    if is_method and not is_static and placed:
        parameters.pop(0)  # the object
    if given.vararg:
        parameters.append(Parameter(given.vararg.arg, Passing.REST))
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters.append(Parameter(one.arg, Passing.BY_NAME, _text(default)))
    if given.kwarg:
        parameters.append(Parameter(given.kwarg.arg, Passing.NAMED_REST))
    yield Signature(
        name,
        node.lineno,
        tuple(parameters),
        "\n".join(lines[node.lineno - 1 : node.end_lineno]),
        is_async=isinstance(node, ast.AsyncFunctionDef),
        is_attribute=any(_ATTRIBUTES.search(one) for one in marks),
        is_static=is_static or "classmethod" in marks or not is_method,
        marks=marks,
    )


def _text(default: ast.expr | None) -> str | None:
    return None if default is None else ast.unparse(default)


@dataclass(frozen=True, slots=True)
class Defaults:
    """The constants of both sides, by which a default may be named."""

    is_script: bool = False
    before: dict[str, str] = field(default_factory=dict)
    after: dict[str, str] = field(default_factory=dict)

    def differ(self, old: str | None, new: str | None, source: str, other: str) -> bool:
        """Whether a call that leaves the value out gets another one; `source` and `other` are the functions'.

        A default may be made in the function instead (`None`, then `if size is None: size = 10`).
        """
        if old == new or old is None:
            return False
        if new is None:
            new = "undefined" if self.is_script else old
        first, second = self._value(old, self.before), self._value(new, self.after)
        if first is None or second is None:
            parts = _SELECTED.fullmatch(old), _SELECTED.fullmatch(new)
            return bool(parts[0] and parts[1] and parts[0][1] == parts[1][1])
        is_false_left_out = self.is_script and (first, second) == ("false", "undefined")
        if first == second or is_false_left_out or {first, second} <= _EMPTY | _NOTHING:
            return False
        made, *texts = (other, old, first) if second in _NOTHING else (source, new, second)
        return not {first, second} & _NOTHING or not any(
            re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", made) for one in texts
        )

    def _value(self, text: str, constants: dict[str, str]) -> str | None:
        """The value that a default's text is, written in one way; None where the text does not show it."""
        if text in _NOTHING or text in _EMPTY:
            return text
        if self.is_script:
            tokens = read_tokens(text, is_script=True)
            found = literal_at(tokens, 0, constants)
            return found.text if found and found.end == len(tokens) else None
        try:
            value = ast.literal_eval(constants.get(text, text))
            # equal values are written alike: 1, 1.0 and True are
            if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
                value = int(value)
            return repr(value)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            return None


def defaults_of(path: str, before: str, after: str, trees: Trees) -> Defaults:
    """Read the constants of both sides of a file."""
    if path.endswith(".py"):
        return Defaults(False, _constants(trees.of(before)), _constants(trees.of(after)))
    if max(len(before), len(after)) > _MOST_SOURCE:
        return Defaults(True)
    sides = (constants_of(read_tokens(text, is_script=True)) for text in (before, after))
    return Defaults(True, *sides)


def _constants(tree: ast.Module | None) -> dict[str, str]:
    return {
        one.targets[0].id: ast.unparse(one.value)
        for one in (tree.body if tree else ())
        if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    }
