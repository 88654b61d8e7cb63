"""Lays one side's doctests on the other side's code: examples in docstrings stand inside the source.

A text file of examples travels whole, as a test file does. Of a module only the docstrings with
examples travel; where the other code lacks the function, a stand-in fails as a missing name would.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.toolchains.tree import Tree
from sandbox.values import TestRun

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True, order=True)
class _DocstringEdit:
    """Bytes to put in; where two start at one place, what stands deeper comes first."""

    start: int
    above: int
    end: int
    put: bytes


@dataclass(frozen=True, slots=True)
class Doctests:
    """What of both sides' doctests differs.

    `files` are texts to swap whole. `base_on_head` are modules of head with base's docstrings by
    path, `head_on_base` the other way round.
    """

    files: tuple[str, ...] = ()
    base_on_head: dict[str, str] = field(default_factory=dict)
    head_on_base: dict[str, str] = field(default_factory=dict)


def find_doctests(base_tree: Path, head_tree: Path, base: TestRun, head: TestRun) -> Doctests:
    """Compare the files in which doctests ran on either side, and are no test files anyway."""
    results = (*base.results, *head.results)
    paths = {
        one.path for one in results if one.is_doctest and classify(one.path) is PathKind.SOURCE
    }
    before, after = Tree(base_tree), Tree(head_tree)
    differing = sorted(p for p in paths if before.read_bytes(p) != after.read_bytes(p))
    modules = [path for path in differing if path.endswith(".py")]
    texts = {path: (before.read(path), after.read(path)) for path in modules}
    return Doctests(
        files=tuple(path for path in differing if not path.endswith(".py")),
        base_on_head={
            p: text for p, (b, h) in texts.items() if h and (text := with_doctests(h, b))
        },
        head_on_base={
            p: text for p, (b, h) in texts.items() if (text := with_doctests(b, h, stand_ins=True))
        },
    )


def with_doctests(code: str, other: str, stand_ins: bool = False) -> str:
    """Return `code` with the examples of `other`'s docstrings; "" when nothing differs."""
    try:
        own, theirs = _Module(code), _Module(other)
        edits = list(_edits(own, theirs, stand_ins))
        text = own.data
        for edit in sorted(edits, reverse=True):
            text = text[: edit.start] + edit.put + text[edit.end :]
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return text.decode() if edits else ""


class _Module:
    """A module's definitions by qualified name, and where they stand in its bytes."""

    def __init__(self, text: str) -> None:
        self.data = text.encode()
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        tree = ast.parse(self.data)
        self.definitions: dict[str, ast.Module | _Definition] = {"": tree}
        for name, node in _named(tree.body, ""):
            while name in self.definitions:  # a second one, such as an overload or a setter
                name += "'"  # noqa: PLW2901
            self.definitions[name] = node

    def offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def after(self, line: int) -> int:
        return self._starts[min(line, len(self._starts) - 1)]

    def place(self, name: str) -> tuple[int, int]:
        """Return where a definition's docstring stands; an empty place before its body for none."""
        body = self.definitions[name].body
        if not body:
            return len(self.data), len(self.data)
        first = body[0]
        start = self.offset(first.lineno, first.col_offset)
        value = first.value if isinstance(first, ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return start, self.offset(first.end_lineno or 0, first.end_col_offset or 0)
        decorators = getattr(first, "decorator_list", [])
        lines = [first.lineno, *(one.lineno for one in decorators)]
        start = self.offset(min(lines), first.col_offset)
        return start, start

    def docstring(self, name: str) -> bytes:
        """Return a docstring as it is written, quotes and all; b"" for none."""
        start, end = self.place(name)
        return self.data[start:end]

    def indent(self, offset: int) -> bytes | None:
        """Return what stands on the line before, None when that is more than blanks."""
        before = self.data[:offset].rpartition(b"\n")[2]
        return before if not before.strip() else None


def _named(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, _Definition]]:
    for node in body:
        if isinstance(node, _Definition):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _named(node.body, f"{prefix}{node.name}.")
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _named(getattr(node, part, None) or [], prefix)


def _edits(own: _Module, theirs: _Module, stand_ins: bool) -> Iterator[_DocstringEdit]:
    missing: set[str] = set()
    for name in theirs.definitions:
        said = theirs.docstring(name)
        if b">>>" not in said and name in own.definitions:
            continue
        if name in own.definitions:
            start, end = own.place(name)
            if own.data[start:end] != said:
                put = said
                if end == start:  # there is none yet: it comes before the body
                    indent = own.indent(start)
                    put += b"; " if indent is None else b"\n" + indent
                yield _DocstringEdit(start, 0, end, put)
        elif stand_ins and "'" not in name and name.rpartition(".")[0] not in missing:
            missing.add(name)
            yield from _stand_in(own, theirs, name)
        elif stand_ins:
            missing.add(name)  # stands in its class's stand-in


def _stand_in(own: _Module, theirs: _Module, name: str) -> Iterator[_DocstringEdit]:
    """Append what only the other side defines, if there are examples in it."""
    lines = _lines_of(theirs, name, "")
    if not any(b">>>" in line for line in lines):
        return
    holder = name.rpartition(".")[0]
    if not holder:
        yield _DocstringEdit(len(own.data), 0, len(own.data), b"\n\n" + b"\n".join(lines) + b"\n")
        return
    body = own.definitions[holder].body
    indent = own.indent(own.offset(body[0].lineno, body[0].col_offset))
    if indent:
        end = own.after(body[-1].end_lineno or 0)
        lines = _lines_of(theirs, name, indent.decode())
        lead = b"" if own.data[:end].endswith(b"\n") else b"\n"
        yield _DocstringEdit(end, -len(indent), end, lead + b"\n".join(lines) + b"\n")


def _lines_of(theirs: _Module, name: str, indent: str) -> list[bytes]:
    node, last = theirs.definitions[name], name.rpartition(".")[2]
    said = theirs.docstring(name) or b"''"
    fails = f"raise NameError(\"name '{last}' is not defined\")"
    if not isinstance(node, ast.ClassDef):
        head = f"{indent}def {last}(*_arguments, **_named):\n{indent}    "
        return [head.encode() + said, f"{indent}    {fails}".encode()]
    new = f"{indent}    def __new__(cls, *_arguments, **_named):\n{indent}        {fails}"
    lines = [f"{indent}class {last}:\n{indent}    ".encode() + said, new.encode()]
    for inner, _ in _named(node.body, f"{name}."):
        if inner.count(".") == name.count(".") + 1 and not inner.endswith(".__new__"):
            lines += _lines_of(theirs, inner, f"{indent}    ")
    return lines
