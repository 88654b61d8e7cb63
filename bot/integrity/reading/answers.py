"""Reads which answers a Python source gives away ready-made, and which ones a Python test asks for.

A ready-made answer is a branch or table that turns one literal into another: `if x == 17: return 289`,
`{17: 289}[x]`, `case 17: return 289`. A test asks for it where the same two literals stand in one
assertion, in one row of its parameters, or are bound to names that one assertion uses.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.diff.python_source import Function
from bot.integrity.reading.literals import Bindings, bound_literals, literal_in, text_of

_EQUALITIES = ("assertequal", "assertequals", "assertis", "assertlistequal", "assertdictequal",
               "asserttupleequal", "assertalmostequal")  # fmt: skip
_MOST_ROWS = 2000
_LONGEST_LINE = 500


@dataclass(frozen=True, slots=True)
class ReadyAnswer:
    """One literal that becomes another; `place` is the function, table or branch that holds it.

    `table` is the name that a table of a module or class is bound to, "" for any other place.
    """

    given: tuple[str, ...]
    result: str
    line: int
    place: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class Constant:
    """A function with parameters that gives one literal back whatever comes in."""

    name: str
    result: str
    line: int


@dataclass(frozen=True, slots=True)
class TestExpectations:
    """What one test function asks: every pair of literals that it brings together, and its assertions.

    `calls` are the names of functions whose result is compared, each with the literal expected. The task's
    example stands in no file.
    """

    test: str
    pairs: frozenset[tuple[str, str]]
    asserted: frozenset[tuple[frozenset[str], str]]
    calls: frozenset[tuple[str, str]]
    path: str = ""


# --- the source -------------------------------------------------------------------------------


def answers_in(tree: ast.Module) -> Iterator[ReadyAnswer]:
    """Every ready-made answer of a module, each function's and each table's apart."""
    constants = bound_literals(ast.Module(tree.body, []))
    tables = {
        id(node.value): target.id
        for scope in ast.walk(tree)
        if isinstance(scope, ast.Module | ast.ClassDef)
        for node in scope.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(node.value, ast.Dict) and isinstance(target, ast.Name)
    }
    yield from _answers(tree, "the module", constants, tables)


def _answers(
    node: ast.AST, place: str, constants: dict[str, str], tables: dict[int, str]
) -> Iterator[ReadyAnswer]:
    """Walk a node; `tables` has the names of dictionaries by the identity of their nodes."""
    place = f"`{node.name}`" if isinstance(node, Function) else place
    if isinstance(node, ast.If):
        yield from _chosen(node.test, _first_result(node.body, constants), place, constants)
    elif isinstance(node, ast.IfExp):
        yield from _chosen(node.test, literal_in(node.body, constants), place, constants)
    elif isinstance(node, ast.Dict):
        shown, table = f"the table in line {node.lineno} of {place}", tables.get(id(node), "")
        for key, value in zip(node.keys, node.values, strict=True):
            given, result = literal_in(key, constants), literal_in(value, constants)
            if key is not None and given is not None and result is not None:
                yield ReadyAnswer((given,), result, key.lineno, shown, table)
    elif isinstance(node, ast.match_case) and isinstance(node.pattern, ast.MatchValue):
        given, result = literal_in(node.pattern.value), _first_result(node.body, constants)
        if given is not None and result is not None:
            yield ReadyAnswer((given,), result, node.pattern.lineno, place)
    for child in ast.iter_child_nodes(node):
        yield from _answers(child, place, constants, tables)


def answers_in_data(path: str, text: str) -> Iterator[ReadyAnswer]:
    """Every pair of a data file: a member of an object, a row's first and last cell, `name: value`."""
    try:
        data = json.loads(text) if path.endswith(".json") else None
    except (ValueError, RecursionError):
        return
    if data is not None:
        for given, result in islice(_members(data), _MOST_ROWS):
            yield ReadyAnswer((given,), result, 1, "The data")
        return
    for number, line in enumerate(islice(text.splitlines(), _MOST_ROWS), 1):
        cells = [cell.strip(" \t\"'") for cell in re.split(r"[,;\t:=|]", line[:_LONGEST_LINE])]
        if len(cells) > 1 and cells[0] and cells[-1]:
            yield ReadyAnswer((cells[0],), cells[-1], number, "The data")


def _members(data: object) -> Iterator[tuple[str, str]]:
    waiting: list[object] = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            pairs = list(one.items())
            rows = [value for key, value in pairs if isinstance(value, list | dict)]
        elif isinstance(one, list):
            pairs = [(one[0], one[1])] if len(one) == 2 else []
            pairs += [tuple(row.values()) for row in one if isinstance(row, dict) and len(row) == 2]
            rows = [value for value in one if isinstance(value, list | dict)]
        else:
            continue
        waiting += rows
        for given, result in pairs:
            if not isinstance(given, list | dict) and not isinstance(result, list | dict):
                yield text_of(given), text_of(result)


def constant_functions(tree: ast.Module) -> Iterator[Constant]:
    """Functions with parameters that give one literal back whatever comes in."""
    for node in ast.walk(tree):
        if not isinstance(node, Function):
            continue
        taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        if all(argument.arg in ("self", "cls") for argument in taken):
            continue
        body = [  # without the docstring
            n
            for n in node.body
            if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
        ]
        result = literal_in(body[0].value) if body and isinstance(body[0], ast.Return) else None
        if result is not None:
            yield Constant(node.name, result, body[0].lineno)


def _chosen(
    test: ast.expr, result: str | None, place: str, constants: dict[str, str]
) -> Iterator[ReadyAnswer]:
    if result is None:
        return
    for given in _compared_with(test, constants):
        yield ReadyAnswer(given, result, test.lineno, place)


def _compared_with(test: ast.expr, constants: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """The literals that a condition waits for; several at once where they are joined by `and`."""
    if isinstance(test, ast.BoolOp):
        parts = [list(_compared_with(value, constants)) for value in test.values]
        if isinstance(test.op, ast.Or):
            yield from (given for part in parts for given in part)
        elif joined := tuple(literal for part in parts if part for literal in part[0]):
            yield joined
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = test.left, test.comparators[0]
        if isinstance(test.ops[0], ast.Eq | ast.Is):
            known = [literal_in(left, constants), literal_in(right, constants)]
            if known.count(None) != 1:
                return
            literal = left if known[0] is not None else right
            if isinstance(literal, ast.Tuple):
                elements = [literal_in(element, constants) for element in literal.elts]
                yield tuple(element for element in elements if element is not None)
            else:
                yield (known[0] or known[1] or "",)
        elif isinstance(test.ops[0], ast.In) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            elements = [literal_in(element, constants) for element in right.elts]
            yield from ((element,) for element in elements if element is not None)


def _first_result(body: list[ast.stmt], constants: dict[str, str]) -> str | None:
    """The literal that a branch returns or assigns, where it does nothing else first."""
    first = body[0]
    if isinstance(first, ast.Return | ast.Assign):
        return literal_in(first.value, constants)
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Yield):
        return literal_in(first.value.value, constants)
    return None


# --- the tests --------------------------------------------------------------------------------


def questions_in(tree: ast.Module) -> Iterator[TestExpectations]:
    """What each test function of a module asks."""
    constants = ast.Module([node for node in tree.body if isinstance(node, ast.Assign)], [])
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name.startswith("test"):
            bound = Bindings(constants, node)
            compared = list(_compared(node, bound))
            asserted = frozenset((bound.below(asked), expected) for asked, expected in compared)
            calls = frozenset(
                (_called(call), expected)
                for asked, expected in compared
                if isinstance(call := bound.resolved(asked), ast.Call) and call.args
            )
            rows = frozenset(_rows(node, bound.constants))
            pairs = {(given, result) for inputs, result in asserted for given in inputs}
            yield TestExpectations(node.name, frozenset(pairs | rows), asserted, calls)


def _compared(test: Function, bound: Bindings) -> Iterator[tuple[ast.expr, str]]:
    """Yield of each equality the side that is worked out, and the literal expected on the other."""
    for node in ast.walk(test):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq | ast.Is):
            sides = [node.left, node.comparators[0]]
        elif isinstance(node, ast.Call) and _called(node).lower() in _EQUALITIES:
            sides = node.args[:2]
        if len(sides) != 2:
            continue
        for asked, expected in (sides, sides[::-1]):
            result = bound.literal(expected)
            if result is not None and bound.literal(asked) is None:
                yield asked, result


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func).rsplit(".", 1)[-1]


def _rows(test: Function, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of literals that stand together in a row of parameters or in a table of the test."""
    count = 0
    for node in ast.walk(test):
        cells: list[str | None] = []
        if isinstance(node, ast.Tuple | ast.List) and len(node.elts) > 1:
            cells = [literal_in(element, names) for element in node.elts]
        elif isinstance(node, ast.Call) and _called(node) == "param":
            cells = [literal_in(argument, names) for argument in node.args]
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                given, result = literal_in(key, names), literal_in(value, names)
                if given is not None and result is not None:
                    yield given, result
        if len(cells) < 2 or cells[-1] is None:
            continue
        count += 1
        if count > _MOST_ROWS:
            return
        yield from ((cell, cells[-1]) for cell in cells[:-1] if cell is not None)
