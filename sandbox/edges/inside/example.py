"""Runs the expressions that a task shows, in the tree, and tells what each gave.

The input is JSON: {changed: [path], sources: [path], calls: [{code, before}]}: an expression and the
statements before it. Names that nothing there binds stand for what the tree's own modules (`sources`) define
at their top level. Writes one JSON object a line to the channel: {number, outcome: value | raised | printed |
not-tried, said, literal, errors, message}: `literal` is the value if it is plain data, `errors` are the names
of the error's class and its bases, `message` is all that it says. First of all {defined: path} of each module
that defines one of the names.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import re
import signal
import sys
from pathlib import Path
from types import ModuleType

from call import TooLong, imported, last_line, limited, too_long  # type: ignore[import-not-found]

del sys.modules["call"]  # the tree may have a module of this name
sys.path[0] = ""

_PLAIN = (type(None), bool, int, float, str, bytes)
_ORDINARY = (
    "abs bool bytes dict float frozenset int len list max min range repr round set sorted str tuple"
)
_BINDING = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.ClassDef)
_MOST_BYTES = 1_000_000
_MOST_SAID = 300
_MOST_MESSAGE = 4_000
_MOST_LITERAL = 10_000


def main() -> int:
    """Run every example twice: what differs between the two shows nothing. Returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")
    wanted = json.load(sys.stdin)
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123  until the end
    signal.signal(signal.SIGALRM, too_long)
    sys.path += [one for one in ("src", "lib") if Path(one).is_dir()]
    calls = wanted["calls"]
    text = " ".join(code for call in calls for code in (*call["before"], call["code"]))
    tree = ModuleTree(wanted["changed"], wanted["sources"], set(re.findall(r"\w+", text)))
    for path in tree.defining():
        channel.write(json.dumps({"defined": path}) + "\n")
    for number, call in enumerate(calls):
        first, second = (made(tree, call["code"], call["before"]) for _ in range(2))
        told = first if first == second else not_tried("it gives something else each time")
        channel.write(json.dumps({"number": number, **told}) + "\n")
        channel.flush()
    return 0


def made(tree: ModuleTree, call: str, before: list[str]) -> dict[str, object]:
    """Run what stands before an expression, and then itself."""
    printed = io.StringIO()
    try:
        with limited():
            node = ast.parse(call, mode="eval")
            found = _named(tree, node, [ast.parse(one) for one in before])
            _run(before, found)
            for one in ast.walk(node):
                if isinstance(one, ast.Attribute):
                    _load(one, found)
    except BaseException as error:  # whatever the tree does when it is imported
        return not_tried(last_line(error))
    try:
        with limited(), contextlib.redirect_stdout(printed):
            code = compile(node, "<task>", "eval")
            value = eval(code, found)  # noqa: S307  in the sandbox
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
            if inspect.isgenerator(value):
                value = list(value)
            literal = repr(value) if _is_plain(value) else ""
            said = repr(value)
    except TooLong as error:
        return not_tried(last_line(error))
    except BaseException as error:  # SystemExit and the like are what the call does
        errors = [one.__name__ for one in type(error).__mro__]
        said = last_line(error)
        told = {"outcome": "raised", "said": said, "literal": "", "errors": errors}
        return {**told, "message": _message(error)}
    if value is None and printed.getvalue():
        return _told("printed", printed.getvalue(), "")
    return _told("value", said, literal)


def _message(error: BaseException) -> str:
    try:
        return str(error)[:_MOST_MESSAGE]
    except BaseException:  # whatever the tree's own error does when it is shown
        return ""


def _told(outcome: str, said: str, literal: str) -> dict[str, object]:
    whole = literal if len(literal) <= _MOST_LITERAL else ""
    most = _MOST_LITERAL if outcome == "printed" else _MOST_SAID
    return {"outcome": outcome, "said": said[:most], "literal": whole, "errors": []}


def _named(tree: ModuleTree, node: ast.AST, before: list[ast.Module]) -> dict[str, object]:
    """What the names stand for that the code does not bind. Raises LookupError."""
    nodes = [one for part in (*before, node) for one in ast.walk(part)]
    bound = {
        one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)
    }
    bound |= {one.arg for one in nodes if isinstance(one, ast.arg)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    bound |= {one.name for one in nodes if isinstance(one, kinds)}
    bound |= {str(one.name) for one in nodes if isinstance(one, ast.ExceptHandler)}
    imports = [one for one in nodes if isinstance(one, (ast.Import, ast.ImportFrom))]
    for one in imports:
        bound |= {(alias.asname or alias.name).split(".")[0] for alias in one.names}
    free = {one.id for one in nodes if isinstance(one, ast.Name)} - bound
    found: dict[str, object] = {"__builtins__": vars(builtins) if before else {}}
    own = [name for name in sorted(free) if tree.knows(name)]
    for name in sorted(free):
        if name in own or not (before and hasattr(builtins, name)):
            found[name] = tree.value(name)
    if not any(name not in _ORDINARY.split() for name in own) and not any(
        map(_is_of_tree, imports)
    ):
        raise LookupError("nothing of the project is called")
    return found


def _is_of_tree(statement: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is one of the project's own."""
    names = [one.name for one in statement.names]
    if isinstance(statement, ast.ImportFrom):
        names = [statement.module or ""]
    for name in names:
        top = name.split(".")[0]
        spec = importlib.util.find_spec(top) if top else None
        places = [*(spec.submodule_search_locations or ()), spec.origin or ""] if spec else []
        here = os.getcwd()  # noqa: PTH109
        if any(os.path.abspath(one).startswith((here, "/env/project")) for one in places if one):  # noqa: PTH100
            return True
    return False


def _run(before: list[str], found: dict[str, object]) -> None:
    """Run statements; one of a session that raises ends it only where a later one needs what it binds."""
    for text in before:
        statement = ast.parse(text).body[0]
        try:
            exec(compile(text, "<task>", "exec"), found)  # noqa: S102  in the sandbox
        except Exception:  # whatever the tree raises when its code is called
            if isinstance(statement, _BINDING):
                raise


def _load(node: ast.expr, found: dict[str, object]) -> object:
    """Import what a dotted name leads to; None where it leads to more than modules. Raises ImportError."""
    if isinstance(node, ast.Name):
        value = found.get(node.id)
    else:
        value = _load(node.value, found) if isinstance(node, ast.Attribute) else None
        if isinstance(value, ModuleType) and isinstance(node, ast.Attribute):
            if not hasattr(value, node.attr):
                importlib.import_module(f"{value.__name__}.{node.attr}")
            value = getattr(value, node.attr)
    return value if isinstance(value, ModuleType) else None


def not_tried(why: str) -> dict[str, object]:
    """Say why a call shows nothing."""
    return {"outcome": "not-tried", "said": why[:_MOST_SAID], "literal": "", "errors": []}


def _is_plain(value: object, depth: int = 0) -> bool:
    if type(value) in _PLAIN:
        return True
    if depth > 20:
        return False
    if type(value) is dict:
        return all(_is_plain(one, depth + 1) for pair in value.items() for one in pair)
    if type(value) in (list, tuple, set, frozenset):
        return all(_is_plain(one, depth + 1) for one in value)  # type: ignore[attr-defined]
    return False


class ModuleTree:
    """Where the tree's own modules define some names. Of two files the changed one counts."""

    def __init__(self, changed: list[str], sources: list[str], names: set[str]) -> None:
        self._changed = set(changed)
        self._defined: dict[str, list[str]] = {}
        for path in sources:
            for name in _defined_in(path, names):
                self._defined.setdefault(name, []).append(path)

    def defining(self) -> list[str]:
        """Return the modules that define any of the names."""
        return sorted({path for paths in self._defined.values() for path in paths})

    def knows(self, name: str) -> bool:
        """Whether a name is the tree's own: a module's, or defined in one."""
        return name in self._defined or _module(name) is not None

    def value(self, name: str) -> object:
        """What a name stands for. Raises LookupError where that cannot be told, and what an import raises."""
        paths = self._defined.get(name, [])
        if len(paths) > 1:
            paths = [path for path in paths if path in self._changed] or paths
        if len(paths) == 1:
            return getattr(imported(paths[0]), name)
        if paths:
            raise LookupError(f"{len(paths)} files define {name}: {', '.join(paths[:3])}")
        if module := _module(name):
            imported(str(module))
            return importlib.import_module(name)
        if name in _ORDINARY.split():
            return getattr(builtins, name)
        raise LookupError(f"nothing in the tree defines {name}")


def _module(name: str) -> Path | None:
    """The file of a top-level module or package of this name."""
    places = (Path(name, "__init__.py"), Path(f"{name}.py"))
    both = (folder / place for folder in (Path(), Path("src")) for place in places)
    return next((one for one in both if one.is_file()), None)


def _defined_in(path: str, names: set[str]) -> set[str]:
    """Return which names a module defines; only one that has a word of them is parsed, which takes long."""
    try:
        text = Path(path).read_bytes()
        is_told = any(not name.isascii() or name.encode() in text for name in names)
        if len(text) > _MOST_BYTES or not is_told:
            return set()
        body = ast.parse(text).body
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {one.name for one in body if isinstance(one, kinds) and one.name in names}


if __name__ == "__main__":
    # The tree may leave threads and handlers behind; there is nothing to tidy up here.
    os._exit(main())
