"""Literals as values that can be compared across files, and how much one of them tells.

A literal is told by its text: `17` and `"17"` are the same, so that a look-up by `str(x)` hides nothing.
"""

from __future__ import annotations

import ast

_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
}
_MOST_DIGITS = 40
_PLAIN = {
    "",
    "0",
    "1",
    "-1",
    "True",
    "False",
    "None",
    "true",
    "false",
    "null",
    "nil",
    "undefined",
    "[]",
    "()",
    "{}",
    "set()",
    "b''",
    "0.0",
    "1.0",
}


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
    found: dict[str, str] = {}
    twice: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if not isinstance(target, ast.Name):
                continue
            text = literal_in(node.value)
            if text is None or target.id in found:
                twice.add(target.id)
            else:
                found[target.id] = text
    return {name: text for name, text in found.items() if name not in twice}


def information(text: str) -> int:
    """How much a literal tells, about in characters; what every program holds tells nothing."""
    return 0 if text in _PLAIN else len(text.strip("-'\"()[]{} "))


_NOTHING = object()


def _folded(node: ast.expr) -> object:
    """The value of a constant expression, without computing anything large."""
    if isinstance(node, ast.BinOp):
        return _computed(node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NOTHING


def _computed(node: ast.BinOp) -> object:
    left, right = _folded(node.left), _folded(node.right)
    operation = _OPERATIONS.get(type(node.op))
    if isinstance(left, str) and isinstance(right, str) and operation == "+":
        return left + right
    if not (_is_small(left) and _is_small(right)) or operation is None:
        return _NOTHING
    assert isinstance(left, int) and isinstance(right, int)  # noqa: S101 - seen by _is_small
    if operation == "//":
        return left // right if right else _NOTHING
    return {"+": left + right, "-": left - right, "*": left * right}[operation]


def _is_small(value: object) -> bool:
    return (
        isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) < 10 ** (_MOST_DIGITS // 2)
    )
