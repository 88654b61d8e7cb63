"""Asks this interpreter whether its standard library takes the calls that files make of it.

Usage: calls.py LEAST_VERSION, with a JSON list of paths as input. Prints one JSON object a line, as
`parse.py` does: every call that it refuses, as `inspect.signature` binds it, and every name that a module
of it does not have. Nothing of the tree is imported or run.

Only what is sure is told: names bound once, callables with a signature, calls that no condition on
the version, no `try` and no expected error stands around. Exit code 3 below LEAST_VERSION.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import json
import sys
import types
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

TOO_OLD = 3
_REFUSED = "refused-call"
_UNSAFE = {"antigravity", "this", "idlelib", "turtle", "turtledemo", "test", "lib2to3", "__main__"}
_CALLABLE = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType,
)  # fmt: skip
_NOTHING = object()  # what a name stands for that cannot be told
_OF_AN_INSTANCE = object()


def main() -> int:
    """Look at every named file. Returns the exit code."""
    least = tuple(int(part) for part in sys.argv[1].split(".") if part.isdecimal())
    if sys.version_info[:2] < least:
        print(f"this is Python {_version()}, the project needs {sys.argv[1]}", file=sys.stderr)
        return TOO_OLD
    warnings.simplefilter("ignore")
    for path in json.load(sys.stdin):
        try:
            tree = ast.parse(Path(path).read_bytes())
            for line, rule, message in sorted(set(CheckedFile(path, tree).refusals())):
                breaks = "always" if rule == _REFUSED else "no"
                told = {"rule": rule, "path": path, "line": line, "breaks": breaks}
                print(json.dumps(told | {"message": message}))
        except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
            continue  # whether it is Python at all is another linter's question
    return 0


def _version() -> str:
    return ".".join(map(str, sys.version_info[:3]))


class CheckedFile:
    """One file's names and calls."""

    def __init__(self, path: str, tree: ast.Module) -> None:
        self._path = path
        self._tree = tree
        self._bound = Counter(bindings(tree))
        self._imported = dict(self._imports())

    def refusals(self) -> Iterator[tuple[int, str, str]]:
        """Yield (line, rule, message) of everything that this interpreter does not have or take."""
        for node in always_run(self._tree):
            if isinstance(node, ast.Call):
                yield from self._call(node, {})
            elif isinstance(node, ast.ImportFrom) and self._is_meant(node):
                names = [alias.name for alias in node.names if alias.name != "*"]
                yield from _missing(_module(node.module or ""), node.module or "", names, node)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                owner = self._value(node.value)
                yield from _missing(owner, getattr(owner, "__name__", ""), [node.attr], node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                known = self._types(node)
                for inner in own_statements(node) if known else ():
                    if isinstance(inner, ast.Call):
                        yield from self._call(inner, known, only_methods=True)

    # --- what names stand for ---

    def _imports(self) -> Iterator[tuple[str, object]]:
        """Find what imported names stand for, where the standard library is meant, for sure."""
        for node in always_run(self._tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    if self._is_standard(alias.name) and _module(alias.name) is not _NOTHING:
                        yield alias.asname or name, _module(name)
            elif isinstance(node, ast.ImportFrom) and self._is_meant(node):
                module = _module(node.module or "")
                for alias in node.names:
                    yield alias.asname or alias.name, getattr(module, alias.name, _NOTHING)

    def _is_meant(self, node: ast.ImportFrom) -> bool:
        return node.level == 0 and node.module is not None and self._is_standard(node.module)

    def _is_standard(self, name: str) -> bool:
        """Whether a module is the standard library's, and no file of the tree has its name."""
        top = name.partition(".")[0]
        if top not in getattr(sys, "stdlib_module_names", ()) or top in _UNSAFE:
            return False
        folders = (Path(), Path("src"), Path(self._path).parent)
        return not any((folder / n).exists() for folder in folders for n in (top, f"{top}.py"))

    def _value(self, node: ast.AST) -> object:
        """Return the module, class or function that an expression stands for, or _NOTHING."""
        if isinstance(node, ast.Name):
            if node.id in self._imported:
                return self._imported[node.id] if self._bound[node.id] == 1 else _NOTHING
            return getattr(builtins, node.id, _NOTHING) if not self._bound[node.id] else _NOTHING
        if isinstance(node, ast.Attribute):
            owner = self._value(node.value)
            if isinstance(owner, (types.ModuleType, type)):
                return getattr(owner, node.attr, _NOTHING)
        return _NOTHING

    def _types(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, type]:
        """Return the classes of a function's names: annotated parameters, and what is made once."""
        arguments = function.args
        given = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        bound = Counter(bindings(function))
        found = {one.arg: self._value(one.annotation) for one in given if one.annotation}
        for node in own_statements(function):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, self._made(node.value, {}))
        return {
            name: value
            for name, value in found.items()
            if isinstance(value, type) and bound[name] == 1 and value.__module__ != "builtins"
        }

    def _made(self, node: ast.AST, known: dict[str, type]) -> object:
        """Return the class of the object that an expression makes, or _NOTHING."""
        if isinstance(node, ast.Name):
            return known.get(node.id, _NOTHING)
        if isinstance(node, ast.Call):
            value = self._value(node.func)
            return value if isinstance(value, type) and type(value) is type else _NOTHING
        return _NOTHING

    # --- what is refused ---

    def _call(
        self, node: ast.Call, known: dict[str, type], only_methods: bool = False
    ) -> Iterator[tuple[int, str, str]]:
        target, has_self = self._value(node.func), False
        if target is _NOTHING and isinstance(node.func, ast.Attribute):
            owner = self._made(node.func.value, known)
            if isinstance(owner, type) and (known or not only_methods):
                # What a method is of an object of the class, and whether it takes the object first.
                found = inspect.getattr_static(owner, node.func.attr, _NOTHING)
                has_self = isinstance(found, (types.FunctionType, types.MethodDescriptorType))
                if found is not _NOTHING:
                    target = found if has_self else getattr(owner, node.func.attr, _NOTHING)
        elif only_methods:
            return
        problem = _refused(target, node, has_self) if target is not _NOTHING else ""
        if problem:
            yield node.lineno, _REFUSED, f"Python {_version()} refuses {problem}"


def _missing(
    owner: object, called: str, names: list[str], node: ast.ImportFrom | ast.Attribute
) -> Iterator[tuple[int, str, str]]:
    """Yield the names that a module of the standard library does not have."""
    for name in names if isinstance(owner, types.ModuleType) else ():
        whole = f"{called}.{name}"
        if name[0] != "_" and not hasattr(owner, name) and _module(whole) is _NOTHING:
            yield node.lineno, "unknown-name", f"Python {_version()} has no `{whole}`."


def _refused(target: object, node: ast.Call, has_self: bool) -> str:
    """Bind a call as Python would; "" where it binds or cannot be told."""
    signature = _signature(target)
    if signature is None or any(isinstance(one, ast.Starred) for one in node.args):
        return ""
    given = [_OF_AN_INSTANCE] * (len(node.args) + has_self)
    named = {one.arg: None for one in node.keywords if one.arg}
    try:
        signature.bind_partial(*given, **named)
    except TypeError as error:
        name = getattr(target, "__qualname__", getattr(target, "__name__", "this"))
        module = getattr(target, "__module__", None) or ""
        whole = f"{module}.{name}" if module and module != "builtins" else name
        return f"this call of `{whole}`: TypeError: {error}. It takes `{signature}`."
    return ""


def _signature(target: object) -> inspect.Signature | None:
    """Return the signature that binds every call, None where the callable may take more."""
    if hasattr(target, "registry") or hasattr(target, "__signature__"):
        return None  # by the type of the first argument; or it only says so
    if isinstance(target, type):
        # Without object and type.
        made_by = (*target.__mro__[:-1], *inspect.getmro(type(target))[:-2])
        if any({"__new__", "__call__"} & vars(one).keys() for one in made_by):
            return None
    elif not isinstance(target, _CALLABLE) or hasattr(target, "__wrapped__"):
        return None
    try:
        return inspect.signature(target)
    except (TypeError, ValueError):
        return None


def _module(name: str) -> object:
    try:
        return importlib.import_module(name)
    except (ImportError, AttributeError, OSError, RuntimeError, ValueError):
        return _NOTHING  # of another platform, or not built here


# --- what of a syntax tree runs whatever the interpreter is, and which names it binds ---------------
# What stands behind a condition on the version or the platform, in a `try`, or where an error is expected,
# may never run here: nothing sure can be said of it.


_CATCHES = {"TypeError", "AttributeError", "ImportError", "ModuleNotFoundError", "NameError"}
_CATCHES |= {"Exception", "BaseException"}
_EXPECTS = {"raises", "assertRaises", "assertRaisesRegex", "suppress", "warns"}
_CONDITIONS = {
    "version_info", "hexversion", "platform", "hasattr", "TYPE_CHECKING", "python_version", "os.name",
    "implementation", "signature",
}  # fmt: skip
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


if __name__ == "__main__":
    sys.exit(main())
