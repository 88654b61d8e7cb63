"""Finds the tests that expect one member more: an edit only added to lists and tables what the task names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.diff.lines import Texts
from bot.diff.python_source import last_name
from bot.integrity.weakened_tests.lost_imports import ModuleVersions, both_sides, bound_by
from bot.values import GrownTest, TestComparison

_WORD = re.compile(r"[A-Za-z_]\w+")
_ONE_OF = {
    "any", "raises", "warns", "isinstance", "issubclass", "assertIn", "assertNotIn", "assertRaises",
    "assertRaisesRegex", "assertIsInstance", "assertWarns", "startswith", "endswith", "count", "index",
}  # fmt: skip
_OF_TEXT = {"startswith", "endswith"}  # of one text, not of a tuple of them, nothing can be listed
_LISTED = ast.List | ast.Tuple | ast.Set | ast.Dict
_CHECKS = re.compile(r"(?i)_*(?:assert|check|expect|verify)|.*equal")
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_OF_TOOLS = {*dir(builtins), "pytest", "mock"}


def find_grown(
    tests: Sequence[TestComparison],
    base: Texts,
    head: Texts,
    said: Iterable[str],
    changed: Sequence[str] = (),
) -> tuple[GrownTest, ...]:
    """The tests whose base version fails on head, and whose edit only added members that `said` names.

    The file of a test is read with all that the test uses of it, or of the `changed` files its conftest.py;
    every element that was added has a word that base's file does not have, and that the task says. What is
    left out of a test asks for less: there, only a member may join that the change defines, whatever the task
    says, and that a new test asks for by itself. Nor may any join in what the tested code is given: a call
    that needs another argument now is no result with one member more.
    """
    named = {word.casefold() for text in said for word in _WORD.findall(text)}
    files: dict[str, ModuleVersions | None] = {}

    def sides(path: str) -> ModuleVersions | None:
        if path not in files:
            files[path] = both_sides(path, base, head)
        return files[path]

    found: list[GrownTest] = []
    for test in tests:
        name = test.place
        if not (test.is_edited and test.path.endswith(".py") and name):
            continue
        own = sides(test.path)
        if own is None or _allows_any_of(own.base_test(name)):
            continue
        # A test that is as it was may be given a table by its conftest.py.
        path = test.path if own.differs else _changed_conftest(test.path, changed)
        shared = sides(path) if path else None
        if shared is None:
            continue
        grown = _Grown(_leaving_out(shared.base.tree))
        if own.differs:
            is_grown = own.holds(name, grown)
        else:
            is_grown = grown(shared.base.tree.body, shared.head.tree.body)
        if not is_grown or _is_given(grown, shared.head.tree):
            continue
        apart = _asked_apart(shared)
        if not all(
            one in apart and _is_defined(one.rpartition(".")[2], base, head, changed)
            for one in grown.left_out
        ):
            continue
        more = [one for one in grown.added if one not in grown.left_out]
        members = named_members(more, base.read(path) or "", named) if more else ()
        if members or (grown.left_out and not more):
            found.append(GrownTest(test.id, members, tuple(sorted(grown.left_out))))
    return tuple(found)


def named_members(
    added: Iterable[str], known: str, named: set[str], word: re.Pattern[str] = _WORD
) -> tuple[str, ...]:
    """The words of what was added that `known` code lacks and that are `named` (in lower case).

    () where one of the added elements has no such word. `word` is what a language takes for one.
    """
    old = {one.casefold() for one in word.findall(known)}
    new = [
        [one for one in word.findall(text) if one.casefold() not in old]
        for text in dict.fromkeys(added)
    ]
    if not all(named.intersection(map(str.casefold, words)) for words in new):
        return ()
    return tuple(dict.fromkeys(one for words in new for one in words if one.casefold() in named))


def _changed_conftest(path: str, changed: Sequence[str]) -> str:
    """The one changed conftest.py of those that a test gets fixtures from; "" for none or several."""
    folders = PurePosixPath(path).parents
    found = [one for folder in folders if (one := str(folder / "conftest.py")) in changed]
    return found[0] if len(found) == 1 else ""


def _is_defined(name: str, base: Texts, head: Texts, changed: Sequence[str]) -> bool:
    """Whether a changed file gives a name a value, and none of them had it on base."""
    defined = re.compile(rf"^\s*{name}\s*[:=]", re.MULTILINE)
    known = re.compile(rf"\b{name}\b")
    texts = [(base.read(path) or "", head.read(path) or "") for path in changed]
    return any(defined.search(now) for _, now in texts) and not any(
        known.search(before) for before, _ in texts
    )


def _asked_apart(shared: ModuleVersions) -> set[str]:
    """The attributes that the tests of a file ask for which base's file does not have."""
    tests = [
        {one.name: one for one in ast.walk(side.tree) if isinstance(one, _FUNCTION)}
        for side in (shared.base, shared.head)
    ]
    new = (
        body for name, body in tests[1].items() if name.startswith("test") and name not in tests[0]
    )
    return {
        ast.unparse(one) for body in new for one in ast.walk(body) if isinstance(one, ast.Attribute)
    }


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
            name = last_name(node.func)
            is_fixed = name in _OF_TEXT and all(isinstance(one, ast.Constant) for one in node.args)
            if name in _ONE_OF and not is_fixed:
                return True
    return test is None


def _is_given(grown: _Grown, tree: ast.Module) -> bool:
    """Whether what grew is an argument of a call, or its name is one of a call in the file."""
    calls = (one for one in ast.walk(tree) if isinstance(one, ast.Call) and not _only_compares(one))
    return grown.gives_more or any(
        isinstance(inner, ast.Name) and inner.id in grown.names
        for call in calls
        for given in (*call.args, *call.keywords)
        for inner in ast.walk(given)
    )


def _only_compares(call: ast.Call) -> bool:
    """Whether a call checks what it is given, or makes a plain value of it: no call of tested code."""
    called = call.func
    last = last_name(called)
    while isinstance(called, ast.Attribute | ast.Call):
        called = called.value if isinstance(called, ast.Attribute) else called.func
    return _CHECKS.match(last) is not None or getattr(called, "id", "") in _OF_TOOLS


def _leaving_out(tree: ast.Module) -> frozenset[str]:
    """The names of what a file leaves out: `x not in NAMES`, `if x in NAMES`, `all_of_them - NAMES`."""
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.UnaryOp):
            found.append(node.test if isinstance(node, ast.If) else node.operand)
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
            found.append(node.value)
        elif _takes_out(node):
            found.append(node)
    named = (one for part in found for one in ast.walk(part))
    return frozenset(map(last_name, named))


def _takes_out(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        return any(isinstance(op, ast.NotIn) for op in node.ops)
    if isinstance(node, ast.Call):
        return getattr(node.func, "attr", "") == "difference"
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


@dataclass(slots=True)
class _Grown:
    """Compares code, where a list, tuple, set or table may have elements more; `added` are these.

    `left_out` are those in what leaves things out, to which the names `leaving_out` belong, and `gives_more`
    says that some are in the arguments of a call. `names` are those of all that grew.
    """

    leaving_out: frozenset[str]
    added: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    gives_more: bool = False
    names: set[str] = field(default_factory=set)

    def __call__(self, before: Sequence[ast.AST], after: Sequence[ast.AST]) -> bool:
        return len(before) == len(after) and all(map(self._same, before, after))

    def _same(self, before: object, after: object) -> bool:
        if type(before) is not type(after):
            return False
        if isinstance(before, ast.Compare) and isinstance(after, ast.Compare):
            before = _as_several(before, after)
        known = len(self.added)
        if isinstance(before, ast.Dict) and isinstance(after, ast.Dict):
            is_same = self._holds(_pairs(before), _pairs(after))
        elif isinstance(before, ast.List | ast.Tuple | ast.Set):
            is_same = self._holds(before.elts, getattr(after, "elts", []))
        elif isinstance(before, ast.AST) and isinstance(after, ast.AST):
            is_same = all(
                self._same(getattr(before, name, None), getattr(after, name, None))
                for name in before._fields
            )
        elif isinstance(before, list) and isinstance(after, list):
            is_same = len(before) == len(after) and all(map(self._same, before, after))
        else:
            is_same = before == after
        if len(self.added) > known and isinstance(before, ast.AST):
            self._note(before, self.added[known:])
        return is_same

    def _note(self, grown: ast.AST, added: list[str]) -> None:
        """Remember what the code round new elements does with them."""
        if isinstance(grown, ast.stmt):
            self.names |= bound_by(grown)
            takes_out = not self.leaving_out.isdisjoint(bound_by(grown))
        else:
            takes_out = _takes_out(grown)
            self.gives_more |= isinstance(grown, ast.Call) and not _only_compares(grown)
        if takes_out:
            self.left_out |= {*added}

    def _holds(self, before: Sequence[ast.AST], after: Sequence[ast.AST]) -> bool:
        """Whether all elements are there still, in their order."""
        at = 0
        for one in after:
            if at < len(before) and ast.dump(before[at]) == ast.dump(one):
                at += 1
            else:
                self.added.append(ast.unparse(one))
        return at == len(before)


def _as_several(before: ast.Compare, after: ast.Compare) -> ast.Compare:
    """`one is not A` as `one not in (A,)`, where head has `one not in (A, B)`."""
    is_one = len(before.ops) == 1 and isinstance(before.ops[0], ast.IsNot | ast.NotEq)
    if (
        is_one
        and isinstance(after.ops[0], ast.NotIn)
        and isinstance(after.comparators[0], ast.Tuple)
    ):
        one = ast.Tuple(elts=before.comparators, ctx=ast.Load())
        return ast.Compare(left=before.left, ops=[ast.NotIn()], comparators=[one])
    return before


def _pairs(table: ast.Dict) -> list[ast.AST]:
    """The entries of a table, each as one piece of code."""
    pairs = zip(table.keys, table.values, strict=True)
    return [ast.Dict(keys=[key], values=[value]) for key, value in pairs]
