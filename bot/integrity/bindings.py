"""What a name of a Python test stands for at one of its lines: a literal, or what was worked out of some.

Tests use one name again and again (`sql = ...; got = f(sql); assert got == ...`), so the last value
that was given to it above counts.
"""

from __future__ import annotations

import ast
from bisect import bisect_left

from bot.integrity.literals import bound_literals, literal_in

MOST_STEPS = 4  # from one name to the next
MOST_EXPRESSIONS = 400  # looked through for one assertion


class Bindings:
    """The names of one test function and of its module."""

    def __init__(self, module: ast.Module, test: ast.AST) -> None:
        self.constants = bound_literals(module) | bound_literals(test)
        self._module = bound_literals(module)
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
            above = self._above(node) if isinstance(node, ast.Name) else None
            if above is None:
                break
            node = above
        return node

    def literal(self, node: ast.expr) -> str | None:
        """The literal that a node is, or that its name stands for."""
        found = self.resolved(node)
        return literal_in(found, self._module if isinstance(found, ast.Name) else None)

    def below(self, node: ast.expr) -> frozenset[str]:
        """Every literal in an expression, and in those that the names in it stand for."""
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
            waiting += _parts(current)
        return frozenset(found)

    def _above(self, node: ast.Name) -> ast.expr | None:
        values = self._given.get(node.id, [])
        at = bisect_left(values, node.lineno, key=lambda one: one[0])
        return values[at - 1][1] if at else None


def _parts(node: ast.expr) -> list[ast.expr]:
    """The expressions right below one, those of its keywords and comprehensions too."""
    children = list(ast.iter_child_nodes(node))
    deeper = [
        c
        for child in children
        for c in ast.iter_child_nodes(child)
        if not isinstance(child, ast.expr)
    ]
    return [child for child in (*children, *deeper) if isinstance(child, ast.expr)]
