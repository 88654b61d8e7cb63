"""Reads Python tests by their syntax tree: which there are, what each asserts how firmly, what is skipped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from bot.diff.python_source import Function, last_name, parse_python


class Strength(IntEnum):
    """How much an assertion pins down; a lower one says less about the same value."""

    NOTHING = 0  # assert True
    SOMETHING = 1  # truth, not None, an instance, any exception
    BOUND = 2  # membership, order, a looser tolerance
    EXACT = 3  # equality, identity with a value, a named exception


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion. `subject` is what is looked at, `text` the whole, both normalised."""

    text: str
    subject: str
    strength: Strength
    line: int
    tolerance: float = 0.0
    is_raise: bool = False
    has_match: bool = False


_OF_UNITTEST = {
    Strength.EXACT: "equal equals listequal dictequal is isnone almostequal",
    Strength.BOUND: "countequal in notin greater greaterequal less lessequal regex",
    Strength.SOMETHING: "true false isnotnone isinstance notequal",
}
_UNITTEST = {
    f"assert{what}": strength for strength, said in _OF_UNITTEST.items() for what in said.split()
}
_RAISING = {"raises", "assertraises", "assertraisesregex", "assertraisesregexp"}
_WARNING = {"warns", "assertwarns", "assertwarnsregex", "deprecated_call"}
_BROAD = {"Exception", "BaseException"}


def assertions_in(node: ast.AST) -> Iterator[Assertion]:
    """Every assertion below a node: `assert`, unittest's and mock's methods, `raises`, `warns`."""
    for child in ast.walk(node):
        if isinstance(child, ast.Assert):
            test = child.test
            subject, strength = _subject_and_strength(test)
            yield Assertion(
                text=ast.unparse(test),
                subject=subject,
                strength=Strength.NOTHING if is_trivial(test) else strength,
                line=child.lineno,
                tolerance=_tolerance(test),
            )
        elif isinstance(child, ast.Call):
            called = last_name(child.func).lower()
            if called in _RAISING or called in _WARNING:
                wanted = ast.unparse(child.args[0]) if child.args else ""
                broad = wanted.rsplit(".", 1)[-1] in _BROAD or not wanted
                weak = broad and called in _RAISING
                yield Assertion(
                    text=ast.unparse(child),
                    subject="raises" if called in _RAISING else "warns",
                    strength=Strength.SOMETHING if weak else Strength.EXACT,
                    line=child.lineno,
                    is_raise=True,
                    has_match="regex" in called or any(k.arg == "match" for k in child.keywords),
                )
            elif called in ("fail", "xfail"):
                continue
            elif called.startswith(("assert", "_assert", "check_", "verify_")):
                strength = _UNITTEST.get(called, Strength.EXACT)
                asks_for_truth = called in ("asserttrue", "assertisnotnone") and bool(child.args)
                if asks_for_truth and is_trivial(child.args[0]):
                    strength = Strength.NOTHING
                yield Assertion(
                    text=ast.unparse(child),
                    subject=ast.unparse(child.args[0] if child.args else child.func),
                    strength=strength,
                    line=child.lineno,
                    tolerance=_tolerance(child),
                )


def is_weaker(before: Assertion, after: Assertion) -> bool:
    """Whether `after` demands less of the same subject than `before` did."""
    if after.strength < before.strength:
        return True
    if before.tolerance and after.tolerance > before.tolerance:
        return True
    return before.is_raise and after.is_raise and before.has_match and not after.has_match


def _subject_and_strength(test: ast.expr) -> tuple[str, Strength]:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand), Strength.SOMETHING
    if isinstance(test, ast.BoolOp):
        parts = [_subject_and_strength(value) for value in test.values]
        pick = min if isinstance(test.op, ast.Or) else max
        return parts[0][0], pick(strength for _, strength in parts)
    if isinstance(test, ast.Compare):
        operator, left = test.ops[0], test.left
        is_right = isinstance(operator, ast.In | ast.NotIn) or isinstance(
            left, ast.Constant | ast.List | ast.Dict | ast.Tuple | ast.Set
        )
        subject = test.comparators[0] if is_right else left
        if isinstance(operator, ast.IsNot | ast.NotEq):
            return ast.unparse(subject), Strength.SOMETHING
        is_exact = isinstance(operator, ast.Eq | ast.Is)
        return ast.unparse(subject), Strength.EXACT if is_exact else Strength.BOUND
    if isinstance(test, ast.Call) and last_name(test.func).lower() == "isinstance" and test.args:
        return ast.unparse(test.args[0]), Strength.SOMETHING
    return ast.unparse(test), Strength.SOMETHING


def is_trivial(test: ast.expr) -> bool:
    """Whether an expression is true whatever the code under test does."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)  # `assert (x, "message")` is always true
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return isinstance(test.operand, ast.Constant) and not test.operand.value
    if isinstance(test, ast.BoolOp):
        combine = any if isinstance(test.op, ast.Or) else all
        return combine(is_trivial(value) for value in test.values)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return (  # `1 == 1`; two equal calls may well differ
            isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
            and isinstance(test.left, ast.Constant)
            and ast.dump(test.left) == ast.dump(test.comparators[0])
        )
    return False


def _tolerance(node: ast.AST) -> float:
    """The widest tolerance named in an assertion (`abs=`, `rel=`, `delta=`, `places=`), 0 for none."""
    widest = 0.0
    for child in ast.walk(node):
        for keyword in child.keywords if isinstance(child, ast.Call) else ():
            value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            if not isinstance(value, int | float):
                continue
            if re.fullmatch(
                r"abs|rel|delta|atol|rtol|abs_tol|rel_tol|tolerance", keyword.arg or ""
            ):
                widest = max(widest, float(value))
            elif keyword.arg in ("places", "decimal"):
                widest = max(widest, 10.0 ** -min(max(value, -300), 300))
    return widest


# --- whole tests ---------------------------------------------------------------------------------

_SKIPPING = ("skip", "skipif", "skipunless", "xfail", "expectedfailure", "importorskip")


@dataclass(frozen=True, slots=True)
class CodeOfTest:
    """One test function of one file. `body` is its normalised code, for finding it after a move."""

    name: str  # with its classes: "TestA::test_b"
    line: int
    assertions: tuple[Assertion, ...]
    skips: tuple[str, ...]  # decorators and calls that skip or expect failure, as written
    swallowed: int  # assertions whose failure nobody sees: in a `try`, or only where all is well
    returns_early: bool
    body: str

    @property
    def bare_name(self) -> str:
        """The function's own name."""
        return self.name.rsplit("::", 1)[-1]


@dataclass(frozen=True, slots=True)
class CodeOfTests:
    """One test file. `module_skips` hold for every test in it."""

    tests: tuple[CodeOfTest, ...]
    module_skips: tuple[str, ...]


def read_tests(source: str) -> CodeOfTests | None:
    """Parse one test file; None when it is no Python that can be parsed."""
    tree = parse_python(source)
    if tree is None:
        return None
    skips = list(_mark_skips(tree.body))
    for node in tree.body:
        inner = node.body[0] if isinstance(node, ast.If) else node
        call = inner.value if isinstance(inner, ast.Expr) else None
        if isinstance(call, ast.Call) and is_skip(call):
            skips.append(ast.unparse(call))
        target = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""
        if target.startswith("collect_ignore"):
            skips.append(ast.unparse(node))
    helpers = {
        one.name: tuple(assertions_in(one))
        for one in tree.body
        if isinstance(one, Function) and not one.name.startswith("test")
    }
    return CodeOfTests(tuple(_tests(tree.body, "", (), helpers)), tuple(skips))


def _tests(
    body: list[ast.stmt],
    prefix: str,
    inherited: tuple[str, ...],
    helpers: Mapping[str, tuple[Assertion, ...]],
) -> Iterator[CodeOfTest]:
    """Yield the tests; what a function of the file asserts, called by a line of its own, is the test's."""
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            calls = [child for child in ast.walk(node) if isinstance(child, ast.Call)]
            called = [one for one in calls if one not in node.decorator_list and is_skip(one)]
            attempts = (child for child in ast.walk(node) if isinstance(child, ast.Try))
            yield CodeOfTest(
                name=prefix + node.name,
                line=min([node.lineno, *(d.lineno for d in node.decorator_list)]),
                assertions=(*assertions_in(node), *_in_helpers(node, helpers)),
                skips=(*inherited, *_decorator_skips(node), *map(ast.unparse, called)),
                swallowed=sum(map(_swallowed, attempts)) + _only_where_there(node),
                returns_early=_returns_early(node),
                body="\n".join(ast.unparse(statement) for statement in node.body),
            )
        elif isinstance(node, ast.ClassDef):
            skips = (*inherited, *_decorator_skips(node), *_mark_skips(node.body))
            yield from _tests(node.body, f"{prefix}{node.name}::", skips, helpers)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _tests(node.body, prefix, inherited, helpers)


def _in_helpers(
    test: Function, helpers: Mapping[str, tuple[Assertion, ...]]
) -> Iterator[Assertion]:
    for node in test.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            yield from helpers.get(call.func.id, ())


def _returns_early(node: Function) -> bool:
    """Whether a test leaves before its last statement, in a branch or not; functions in it may."""
    waiting: list[ast.AST] = list(node.body[:-1])
    while waiting:
        child = waiting.pop()
        if isinstance(child, ast.Return):
            return True
        if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(child)
    return False


def _decorator_skips(node: Function | ast.ClassDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if is_skip(decorator):
            yield ast.unparse(decorator)


def _mark_skips(body: list[ast.stmt]) -> Iterator[str]:
    """`pytestmark = pytest.mark.skip` and `__test__ = False`, in a class or module."""
    for node in body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        name = node.targets[0].id
        if name == "pytestmark":
            marks = (
                node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
            )
            yield from (ast.unparse(mark) for mark in marks if is_skip(mark))
        elif name == "__test__" and isinstance(node.value, ast.Constant) and not node.value.value:
            yield "__test__ = False"


def is_skip(node: ast.expr) -> bool:
    """Whether a decorator, mark or call skips a test or expects it to fail."""
    function = node.func if isinstance(node, ast.Call) else node
    name = last_name(function)
    return name.lower() in _SKIPPING or name == "skipTest"


def _swallowed(node: ast.Try) -> int:
    """How many assertions stand in a `try` whose handler hides that they failed."""
    for handler in node.handlers:
        caught = ast.unparse(handler.type) if handler.type else "BaseException"
        names = {part.strip(" ()").rsplit(".", 1)[-1] for part in caught.split(",")}
        inner = [child for statement in handler.body for child in ast.walk(statement)]
        is_loud = any(
            isinstance(one, ast.Raise | ast.Assert)
            or (isinstance(one, ast.Name) and one.id == handler.name)  # kept for what comes behind
            or (isinstance(one, ast.Call) and "fail" in ast.unparse(one.func).lower())
            for one in inner
        )
        if names & {"AssertionError", "Exception", "BaseException"} and not is_loud:
            return sum(1 for statement in node.body for _ in assertions_in(statement))
    return 0


def _only_where_there(test: Function) -> int:
    """How many assertions stand below the question whether their subject is there: `if x: assert x == 1`.

    Where the test compares it outside of that, too (`assert len(x) == 1`), they only say more.
    """
    nodes = [*ast.walk(test)]
    loops = (one.target for one in nodes if isinstance(one, ast.For | ast.AsyncFor))
    of_loops = {one.id for loop in loops for one in ast.walk(loop) if isinstance(one, ast.Name)}
    always = (one.test for one in test.body if isinstance(one, ast.Assert))
    equal = (
        one for one in always if isinstance(one, ast.Compare) and isinstance(one.ops[0], ast.Eq)
    )
    known = {one.id for test in equal for one in ast.walk(test) if isinstance(one, ast.Name)}
    found = 0
    for node in nodes:
        if not isinstance(node, ast.If) or node.orelse:
            continue
        named = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
        is_plain = isinstance(node.test, ast.Name | ast.Attribute | ast.Subscript)
        if is_plain and named.isdisjoint(of_loops | known):
            what = ast.unparse(node.test)
            subjects = (one.subject for statement in node.body for one in assertions_in(statement))
            found += sum(subject == what for subject in subjects)
    return found
