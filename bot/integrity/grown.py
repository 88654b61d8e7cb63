"""Finds the tests that expect one member more: an edit only added to lists and tables what the task names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bot.integrity.lost_imports import Both, Side, both_sides
from bot.values import GrownTest, TestChange, TestComparison
from sandbox.values import Outcome

_WORD = re.compile(r"[A-Za-z_]\w+")
_ONE_OF = {
    "any", "raises", "warns", "isinstance", "issubclass", "assertIn", "assertNotIn", "assertRaises",
    "assertRaisesRegex", "assertIsInstance", "assertWarns", "startswith", "endswith", "count", "index",
}  # fmt: skip
_LISTED = ast.List | ast.Tuple | ast.Set | ast.Dict
_EDITED = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED)


def find_grown(
    tests: Sequence[TestComparison], base: Side, head: Side, said: Iterable[str]
) -> tuple[GrownTest, ...]:
    """The tests whose base version fails on head, and whose edit only added members that `said` names.

    The file of a test is read with all that the test uses of it; every element that was added has a word
    that base's file does not have, and that the task says.
    """
    named = {word.casefold() for text in said for word in _WORD.findall(text)}
    files: dict[str, Both | None] = {}
    found: list[GrownTest] = []
    for test in tests:
        is_edited = test.change in _EDITED and test.head_on_head is Outcome.PASSED
        name = test.id.split("[", 1)[0].partition("::")[2]
        if not (is_edited and test.path.endswith(".py") and name):
            continue
        if test.path not in files:
            files[test.path] = both_sides(test.path, base, head)
        own = files[test.path]
        grown = _Grown()
        if own is None or not own.differs or _allows_any_of(own.base_test(name)):
            continue
        if not own.holds(name, grown):
            continue
        known = {word.casefold() for word in _WORD.findall(base.read(test.path) or "")}
        new = [_new_words(one, known) for one in dict.fromkeys(grown.added)]
        if new and all(named.intersection(map(str.casefold, words)) for words in new):
            members = (word for words in new for word in words if word.casefold() in named)
            found.append(GrownTest(test.id, tuple(dict.fromkeys(members))))
    return tuple(found)


def _allows_any_of(test: ast.AST | None) -> bool:
    """Whether a test itself lists what it takes: there, one member more asks for less.

    That all are in a table of the file's is another thing: such a table is to know every member.
    """
    for node in ast.walk(test) if test else ():
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.In | ast.NotIn) and isinstance(one, _LISTED)
            for op, one in zip(node.ops, node.comparators, strict=True)
        ):
            return True
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _ONE_OF:
                return True
    return test is None


def _new_words(code: str, known: set[str]) -> list[str]:
    return [word for word in _WORD.findall(code) if word.casefold() not in known]


@dataclass(slots=True)
class _Grown:
    """Compares code, where a list, tuple, set or table may have elements more; `added` are these."""

    added: list[str] = field(default_factory=list)

    def __call__(self, before: Sequence[ast.AST], after: Sequence[ast.AST]) -> bool:
        return len(before) == len(after) and all(map(self._same, before, after))

    def _same(self, before: object, after: object) -> bool:
        if type(before) is not type(after):
            return False
        if isinstance(before, ast.Dict) and isinstance(after, ast.Dict):
            return self._holds(_pairs(before), _pairs(after))
        if isinstance(before, ast.List | ast.Tuple | ast.Set):
            return self._holds(before.elts, getattr(after, "elts", []))
        if isinstance(before, ast.AST) and isinstance(after, ast.AST):
            return all(
                self._same(getattr(before, name, None), getattr(after, name, None))
                for name in before._fields
            )
        if isinstance(before, list) and isinstance(after, list):
            return self(before, after)
        return before == after

    def _holds(self, before: Sequence[ast.AST], after: Sequence[ast.AST]) -> bool:
        """Whether all elements are there still, in their order."""
        at = 0
        for one in after:
            if at < len(before) and ast.dump(before[at]) == ast.dump(one):
                at += 1
            else:
                self.added.append(ast.unparse(one))
        return at == len(before)


def _pairs(table: ast.Dict) -> list[ast.AST]:
    """The entries of a table, each as one piece of code."""
    pairs = zip(table.keys, table.values, strict=True)
    return [ast.Dict(keys=[key], values=[value]) for key, value in pairs]
