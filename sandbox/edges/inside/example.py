"""Makes the calls that a task shows, in the tree, and tells what each gave.

The input is JSON: {changed: [path], calls: [expression]}. Names stand for what the tree's own modules
define at their top level. Writes one JSON object a line to the channel: {number, outcome: value | raised |
not-tried, said, literal, errors}: `literal` is the value if it is plain data, `errors` are the names of the
error's class and its bases.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import importlib
import inspect
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from call import imported, last_line, limited, too_long  # type: ignore[import-not-found]

del sys.modules["call"]  # the tree may have a module of this name
sys.path[0] = ""

_PLAIN = (type(None), bool, int, float, str, bytes)
_ORDINARY = (
    "abs bool bytes dict float frozenset int len list max min range repr round set sorted str tuple"
)
_NOT_SOURCE = frozenset(
    ["tests", "test", "testing", "docs", "doc", "examples", "build", "dist", "node_modules", "venv"]
)
_MOST_FILES = 5_000
_MOST_BYTES = 1_000_000
_MOST_SAID = 300
_MOST_LITERAL = 10_000


def main() -> int:
    """Make every call, each twice: what differs between the two shows nothing. Returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")
    wanted = json.load(sys.stdin)
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123  until the end
    signal.signal(signal.SIGALRM, too_long)
    calls = wanted["calls"]
    tree = Tree(wanted["changed"], {name for call in calls for name in re.findall(r"\w+", call)})
    for number, call in enumerate(calls):
        first, second = made(tree, call), made(tree, call)
        told = first if first == second else not_tried("it gives something else each time")
        channel.write(json.dumps({"number": number, **told}) + "\n")
        channel.flush()
    return 0


def made(tree: Tree, call: str) -> dict[str, object]:
    """Make one call."""
    try:
        with limited():
            node = ast.parse(call, mode="eval")
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            found = {name: tree.value(name) for name in names}
            for one in ast.walk(node):
                if isinstance(one, ast.Attribute):
                    _load(one, found)
    except BaseException as error:  # whatever the tree does when it is imported
        return not_tried(last_line(error))
    try:
        with limited():
            code = compile(node, "<task>", "eval")
            value = _settled(eval(code, {"__builtins__": {}, **found}))  # noqa: S307  in the sandbox
            literal = repr(value) if _is_plain(value) else ""
            said = repr(value)[:_MOST_SAID]
    except BaseException as error:  # SystemExit and the like are what the call does
        errors = [one.__name__ for one in type(error).__mro__]
        return {"outcome": "raised", "said": last_line(error), "literal": "", "errors": errors}
    literal = literal if len(literal) <= _MOST_LITERAL else ""
    return {"outcome": "value", "said": said, "literal": literal, "errors": []}


def _load(node: ast.expr, found: dict[str, object]) -> object:
    """Import what a dotted name leads to; None where it leads to more than modules. Raises ImportError."""
    if isinstance(node, ast.Name):
        value = found[node.id]
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


def _settled(value: object) -> object:
    """What a call gives once it is waited for, or gone through."""
    if inspect.iscoroutine(value):
        value = asyncio.run(value)
    return list(value) if inspect.isgenerator(value) else value


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


class Tree:
    """Where the modules of the current folder define some names. Of two files the changed one counts."""

    def __init__(self, changed: list[str], names: set[str]) -> None:
        self._changed = set(changed)
        self._defined: dict[str, list[str]] = {}
        for path in _sources():
            for name in _defined_in(path, names):
                self._defined.setdefault(name, []).append(path)

    def value(self, name: str) -> object:
        """What a name stands for. Raises LookupError where that cannot be told, and what an import raises."""
        paths = self._defined.get(name, [])
        if len(paths) > 1:
            paths = [path for path in paths if path in self._changed] or paths
        if len(paths) == 1:
            return getattr(imported(paths[0]), name)
        if paths:
            raise LookupError(f"{len(paths)} files define {name}: {', '.join(paths[:3])}")
        for folder in (Path(name), Path("src", name)):
            if (folder / "__init__.py").is_file():
                imported(str(folder / "__init__.py"))
                return importlib.import_module(name)
        if name in _ORDINARY.split():
            return getattr(builtins, name)
        raise LookupError(f"nothing in the tree defines {name}")


def _sources() -> Iterator[str]:
    count = 0
    for folder, folders, files in os.walk("."):
        folders[:] = sorted(
            one for one in folders if one not in _NOT_SOURCE and not one.startswith(".")
        )
        for file in sorted(files):
            is_test = file.startswith("test_") or file.endswith("_test.py") or file == "conftest.py"
            if not file.endswith(".py") or is_test:
                continue
            count += 1
            if count > _MOST_FILES:
                return
            yield os.path.normpath(os.path.join(folder, file))  # noqa: PTH118


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
