"""Says where a test stands and how it reads, from the files as they were when it was collected."""

from __future__ import annotations

import ast
import os
from binascii import crc32
from types import CodeType, TracebackType

_LARGEST_SOURCE = 2000
_LARGEST_MESSAGE = 4000
_LARGEST_LINE = 300
_LARGEST_NAME = 1000
_OWN_FOLDER = os.path.dirname(__file__)  # noqa: PTH120
_LARGEST_FILE_BYTES = 2_000_000


def tail(text: str) -> str:
    """Return the last part of a failure message: what went wrong stands at its end."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= _LARGEST_MESSAGE:
        return text
    end = text[-_LARGEST_MESSAGE:]
    start = end.find("\n", 0, _LARGEST_MESSAGE // 10) + 1
    return "... " + end[start:]


def name(text: str) -> str:
    """Return the name of a test; of one that holds a whole value, its beginning and a sum of all."""
    if len(text) <= _LARGEST_NAME:
        return text
    return f"{text[:_LARGEST_NAME]}... {len(text)} {crc32(text.encode('utf-8', 'replace')):x}"


def raised(error: BaseException) -> str:
    """Return an exception as one line, of what it wraps the innermost; foreign code is not asked."""
    for _ in range(10):
        wrapped = getattr(error, "cause", None) or error.__cause__
        if not isinstance(wrapped, BaseException):
            break
        error = wrapped
    said = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    path = getattr(error, "path", None)
    if isinstance(error, ImportError) and isinstance(path, str):
        said = said.removesuffix(f" ({path})")
    line = " ".join(said.split())[:_LARGEST_LINE]
    return f"{type(error).__name__}: {line}".rstrip(": ")


def is_own(trace: TracebackType | None) -> bool:
    """Tell whether an exception comes out of this package's own code."""
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    return os.path.dirname(trace.tb_frame.f_code.co_filename) == _OWN_FOLDER  # noqa: PTH120


class Sources:
    """Reads each file once and finds functions by the line their code starts at."""

    def __init__(self) -> None:
        self._functions: dict[str, dict[int, tuple[int, int]]] = {}
        self._lines: dict[str, list[str]] = {}
        self._told: set[tuple[str, int]] = set()

    def of(self, function: object) -> tuple[int, str]:
        """Return (line of the definition, code and docstring, capped); (0, "") when unknown.

        The code comes once: a function with a thousand parameter sets is not told a thousand times.
        """
        for _ in range(20):  # to the innermost function behind decorators
            inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
            if inner is None:
                break
            function = inner
        code = getattr(function, "__code__", None)
        if not isinstance(code, CodeType):
            return 0, ""
        name = code.co_filename
        if name not in self._functions:
            self._read(name)
        first, last = self._functions[name].get(code.co_firstlineno, (0, 0))
        if (name, first) in self._told:
            return first, ""
        self._told.add((name, first))
        return first, "\n".join(self._lines[name][first - 1 : last])[:_LARGEST_SOURCE]

    def _read(self, name: str) -> None:
        self._functions[name], self._lines[name] = {}, []
        try:
            if os.path.getsize(name) > _LARGEST_FILE_BYTES:  # noqa: PTH202
                return
            with open(name, "rb") as file:  # noqa: PTH123
                data = file.read()
            tree = ast.parse(data)
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return
        self._lines[name] = data.decode("utf-8", "replace").splitlines()
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
                self._functions[name][first] = (first, node.end_lineno or node.lineno)
