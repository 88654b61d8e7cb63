"""Literals as values that can be compared across files, and how much one of them tells.

A literal is told by its text: `17` and `"17"` are the same, so that a look-up by `str(x)` hides nothing.
"""

from __future__ import annotations

import ast
import operator
from bisect import bisect_left
from collections.abc import Iterable

_OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
_MOST_DIGITS = 40
_MOST_BITS = 128  # of a power
_PLAIN_TEXTS = "0 1 -1 True False None true false null nil undefined [] () {} set() b'' 0.0 1.0"
_PLAIN = {"", *_PLAIN_TEXTS.split()}


def literal_in(node: ast.expr | None, names: dict[str, str] | None = None) -> str | None:
    """The text of a constant expression: literals, sums of literals, names bound to a literal."""
    if isinstance(node, ast.Name) and names:
        return names.get(node.id)
    value = _folded(node) if node is not None else _NOTHING
    return None if value is _NOTHING else text_of(value)


def text_of(value: object) -> str:
    """One spelling for a value: its string where it is one, else its representation."""
    return value if isinstance(value, str) else repr(value)


def bound_literals(tree: ast.AST) -> dict[str, str]:
    """Names that are assigned one literal, and only once, in a module or function."""
    single = (o for o in ast.walk(tree) if isinstance(o, ast.Assign) and len(o.targets) == 1)
    named = ((one.targets[0], one.value) for one in single)
    return given_once((to.id, literal_in(by)) for to, by in named if isinstance(to, ast.Name))


def given_once(pairs: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """The names that are given one literal's text, once; None stands for what is no literal."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name, text in pairs:
        if text is None or name in found:
            twice.add(name)
        else:
            found[name] = text
    return {name: text for name, text in found.items() if name not in twice}


def information(text: str) -> int:
    """How much a literal tells, about in characters; what every program holds tells nothing."""
    return 0 if text in _PLAIN else len(text.strip("-'\"()[]{} "))


_NOTHING = object()


def _folded(node: ast.expr) -> object:
    """The value of a constant expression, without computing anything large."""
    if isinstance(node, ast.BinOp):
        return _computed(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.BinOp):
        inner = _computed(node.operand) if isinstance(node.op, ast.USub) else _NOTHING
        return -inner if isinstance(inner, int) else _NOTHING
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NOTHING


def _computed(node: ast.BinOp) -> object:
    left, right = _folded(node.left), _folded(node.right)
    if isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Add):
        return left + right
    if not (_is_small(left) and _is_small(right)):
        return _NOTHING
    assert isinstance(left, int) and isinstance(right, int)  # noqa: S101 - seen by _is_small
    if isinstance(node.op, ast.FloorDiv):
        return left // right if right else _NOTHING
    if isinstance(node.op, ast.Pow):
        return left**right if 0 <= right * left.bit_length() <= _MOST_BITS else _NOTHING
    operation = _OPERATIONS.get(type(node.op))
    return operation(left, right) if operation else _NOTHING


def _is_small(value: object) -> bool:
    return type(value) is int and abs(value) < 10 ** (_MOST_DIGITS // 2)


MOST_STEPS = 4  # from one name to the next
MOST_EXPRESSIONS = 400  # looked through for one assertion


class Bindings:
    """The names of one test function and of its module."""

    def __init__(self, module: ast.Module, test: ast.AST) -> None:
        self._module = bound_literals(module)
        self.constants = self._module | bound_literals(test)
        self._given: dict[str, list[tuple[int, ast.expr]]] = {}
        for node in ast.walk(test):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Name):
                        self._given.setdefault(target.id, []).append((node.lineno, node.value))
        for values in self._given.values():
            values.sort(key=lambda one: one[0])

    def resolved(self, node: ast.expr) -> ast.expr:
        """What a name was given last above its line, through a few names; any other node as it is."""
        for _ in range(MOST_STEPS):
            values = self._given.get(node.id, []) if isinstance(node, ast.Name) else []
            above = bisect_left(values, node.lineno, key=lambda one: one[0])
            if not above:
                break
            node = values[above - 1][1]
        return node

    def literal(self, node: ast.expr) -> str | None:
        """The literal that a node is, or that its name stands for."""
        found = self.resolved(node)
        return literal_in(found, self._module if isinstance(found, ast.Name) else None)

    def below(self, node: ast.expr) -> frozenset[str]:
        """Every literal in an expression, and in those that the names in it stand for.

        What a call's result is only looked up by (`defaults()["colour"]`) went into no call.
        """
        found: set[str] = set()
        waiting, seen = [self.resolved(node)], 0
        while waiting and seen < MOST_EXPRESSIONS:
            current = waiting.pop()
            seen += 1
            text = self.literal(current)
            if text is not None:
                found.add(text)
            inner = self.resolved(current)
            if inner is not current:
                waiting.append(inner)
            # the expressions right below, those of its keywords and comprehensions too
            children = list(ast.iter_child_nodes(current))
            if isinstance(current, ast.Subscript) and isinstance(current.value, ast.Call):
                children = [current.value]
            between = (child for child in children if not isinstance(child, ast.expr))
            deeper = [one for child in between for one in ast.iter_child_nodes(child)]
            waiting += [one for one in (*children, *deeper) if isinstance(one, ast.expr)]
        return frozenset(found)
