"""Reads Python tests by their syntax tree: which tests there are, what each asserts, what is skipped."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from bot.diff.python_source import Function, parse_python
from bot.integrity.assertions import Assertion, assertions_in

_SKIPPING = ("skip", "skipif", "skipunless", "xfail", "expectedfailure", "importorskip")


@dataclass(frozen=True, slots=True)
class CodeOfTest:
    """One test function of one file. `body` is its normalised code, for finding it after a move."""

    name: str  # with its classes: "TestA::test_b"
    line: int
    end_line: int
    assertions: tuple[Assertion, ...]
    skips: tuple[str, ...]  # decorators and calls that skip or expect failure, as written
    swallowed: int  # assertions whose failure an except clause hides
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
    return CodeOfTests(tuple(_tests(tree.body, "", ())), tuple(skips))


def _tests(body: list[ast.stmt], prefix: str, inherited: tuple[str, ...]) -> Iterator[CodeOfTest]:
    for node in body:
        if isinstance(node, Function) and node.name.startswith("test"):
            calls = [child for child in ast.walk(node) if isinstance(child, ast.Call)]
            called = [one for one in calls if one not in node.decorator_list and is_skip(one)]
            attempts = (child for child in ast.walk(node) if isinstance(child, ast.Try))
            yield CodeOfTest(
                name=prefix + node.name,
                line=min([node.lineno, *(d.lineno for d in node.decorator_list)]),
                end_line=node.end_lineno or node.lineno,
                assertions=tuple(assertions_in(node)),
                skips=(*inherited, *_decorator_skips(node), *map(ast.unparse, called)),
                swallowed=sum(map(_swallowed, attempts)),
                returns_early=_returns_early(node),
                body="\n".join(ast.unparse(statement) for statement in node.body),
            )
        elif isinstance(node, ast.ClassDef):
            skips = (*inherited, *_decorator_skips(node), *_mark_skips(node.body))
            yield from _tests(node.body, f"{prefix}{node.name}::", skips)
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from _tests(node.body, prefix, inherited)


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
    name = ""
    if isinstance(function, ast.Attribute):
        name = function.attr
    elif isinstance(function, ast.Name):
        name = function.id
    return name.lower() in _SKIPPING or name == "skipTest"


def _swallowed(node: ast.Try) -> int:
    """How many assertions stand in a `try` whose handler hides that they failed."""
    if not any(_hides_failures(handler) for handler in node.handlers):
        return 0
    return sum(1 for statement in node.body for _ in assertions_in(statement))


def _hides_failures(handler: ast.ExceptHandler) -> bool:
    caught = ast.unparse(handler.type) if handler.type else "BaseException"
    names = {part.strip(" ()").rsplit(".", 1)[-1] for part in caught.split(",")}
    if not names & {"AssertionError", "Exception", "BaseException"}:
        return False
    loud = (ast.Raise, ast.Assert)
    inner = [child for statement in handler.body for child in ast.walk(statement)]
    return not any(
        isinstance(c, loud)
        or "fail" in (ast.unparse(c.func).lower() if isinstance(c, ast.Call) else "")
        for c in inner
    )
