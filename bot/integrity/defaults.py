"""Tells whether two defaults of a parameter are different values, as far as a text shows it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from bot.integrity.inspection import Trees
from bot.integrity.tokens import constants_of, literal_at, read_tokens

_NOTHING = frozenset(("None", "undefined", "null"))
_EMPTY = frozenset(
    ("[]", "{}", "()", "''", '""', "set()", "list()", "dict()", "tuple()", "frozenset()")
)
_SELECTED = re.compile(r"([\w.]+)\.(\w+)")
_MOST_SOURCE = 400_000


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
        made = (other, old, first) if second in _NOTHING else (source, new, second)
        return not {first, second} & _NOTHING or not _stands_in(*made)

    def _value(self, text: str, constants: dict[str, str]) -> str | None:
        """The value that a default's text is, written in one way; None where the text does not show it."""
        if text in _NOTHING or text in _EMPTY:
            return text
        if self.is_script:
            tokens = read_tokens(text, is_script=True)
            found = literal_at(tokens, 0, constants)
            return found.text if found and found.end == len(tokens) else None
        try:
            return _written(ast.literal_eval(constants.get(text, text)))
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


def _written(value: object) -> str:
    """Write a value so that equal ones are written alike: 1, 1.0 and True are."""
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    return repr(value)


def _stands_in(source: str, *texts: str) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w)", source) for one in texts)
