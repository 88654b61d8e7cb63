"""Tells what of a syntax tree runs whatever the interpreter is, and which names it binds.

What stands behind a condition on the version or the platform, in a `try`, or where an error is
expected, may never run here: nothing sure can be said of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_CATCHES = {"TypeError", "AttributeError", "ImportError", "ModuleNotFoundError", "NameError"}
_CATCHES |= {"Exception", "BaseException"}
_EXPECTS = {"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns"}
_CONDITIONS = {
    "version_info",
    "hexversion",
    "platform",
    "hasattr",
    "TYPE_CHECKING",
    "python_version",
}
_CONDITIONS |= {"os.name", "implementation", "signature"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_WAYS_OUT = (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Expr)  # a call may skip or exit
_SCOPES = (*_FUNCTIONS, ast.ClassDef)


def always_run(node: ast.AST) -> Iterator[ast.AST]:
    """Go through all that runs whatever the interpreter is."""
    for child in _children(node):
        yield child
        yield from always_run(child)


def own_statements(function: ast.AST) -> Iterator[ast.AST]:
    """Go through a function's unguarded body, without functions and classes inside it."""
    for child in _children(function):
        if not isinstance(child, _SCOPES):
            yield child
            yield from own_statements(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what runs on every interpreter, without what stands behind a condition on it."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    if any(map(_is_conditional, decorators)):
        return
    if isinstance(node, (ast.If, ast.IfExp)) and _is_conditional(node.test):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and _ends_elsewhere(child):
            return
        if (
            isinstance(node, ast.Try)
            and child in node.body
            and any(map(_catches_it, node.handlers))
        ):
            continue
        if isinstance(node, (ast.With, ast.AsyncWith)) and _expects(node):
            continue
        if isinstance(node, ast.ExceptHandler) and _catches_it(node):
            continue  # the way out where the first way is not there
        yield child


def _ends_elsewhere(node: ast.stmt) -> bool:
    """Whether what follows runs on some interpreters only: an early way out, a test file's mark."""
    if isinstance(node, ast.If):
        return _is_conditional(node.test) and isinstance(node.body[-1], _WAYS_OUT)
    if isinstance(node, ast.Assert):
        return _is_conditional(node.test)
    names = [one.id for one in getattr(node, "targets", ()) if isinstance(one, ast.Name)]
    return names == ["pytestmark"] and _is_conditional(node)


def _is_conditional(test: ast.AST) -> bool:
    """Whether an expression may ask for the version, the platform or a name."""
    words = {
        word
        for part in ast.walk(test)
        if isinstance(part, (ast.Name, ast.Attribute))
        for word in (part.id if isinstance(part, ast.Name) else part.attr, ast.unparse(part))
    }
    return any(
        w in _CONDITIONS or w.upper().startswith(("PY", "_PY", "IS_", "HAS_")) for w in words
    )


def _catches_it(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(ast.unparse(name).rpartition(".")[2] in _CATCHES for name in names)


def _expects(node: ast.With | ast.AsyncWith) -> bool:
    calls = (item.context_expr for item in node.items)
    return any(
        isinstance(one, ast.Call) and ast.unparse(one.func).rpartition(".")[2] in _EXPECTS
        for one in calls
    )


def bindings(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound somewhere, once for each place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            yield from node.names
            yield from node.names
