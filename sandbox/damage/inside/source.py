"""One changed file as its tree: the functions in it, the names that it binds, its tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice

import tree_sitter

from sandbox.code_map.inside.parse import parsed
from sandbox.damage.inside.languages import FUNCTIONS, IMPORTS, TEXT

_MOST_NODES = 400_000
_MOST_PARAMETERS = 40
_LONGEST_HUNK = 400  # lines
_MOST_DEPTH = 300
OF_ALL_S = 20.0  # of the processor, so that a busy machine reads as much
_LISTING = frozenset((
    *("parameters", "formal_parameters", "argument_list", "arguments"),
    *("list", "array", "dictionary", "object", "set"),
))  # fmt: skip
"""Where a comma behind the last entry is layout; in Python's tuples it is none."""
TYPES = ("type", "type_annotation", "type_parameters", "type_arguments")
_CASTS = ("as_expression", "satisfies_expression", "non_null_expression")
_WHOLE = re.compile(
    r"identifier|this|super|(?:member|subscript|call|array|object|parenthesized)\w*|.*_literal"
)
"""What brackets round it do not hold together."""


@dataclass(slots=True)
class Function:
    """A function that has a name; lines count from 1."""

    name: str
    node: tree_sitter.Node
    body: tree_sitter.Node
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines of head from `first` to before `end`, counted from 0, and what base has in their place."""

    first: int
    end: int
    gone: list[bytes]
    came: list[bytes]


@dataclass(slots=True)
class Source:
    """One changed file of head with its tree; `language` is empty where no grammar reads it.

    `named` are functions that are damaged though they did not change. Of a file of C that a grammar cannot
    read whole, as of most with macros, `readable` are the parts of its top that it reads, in its `dialect`.
    """

    number: int
    language: str
    text: bytes
    ranges: list[tuple[int, int]]
    hunks: list[tuple[int, int, bytes]]
    root: tree_sitter.Node | None
    functions: list[Function] = field(default_factory=list)
    named: frozenset[str] = frozenset()
    suffix: str = ""  # of its name
    dialect: str = ""
    readable: tuple[tree_sitter.Node, ...] = ()

    @property
    def before(self) -> bytes:
        """Return what stood in the file on base; nothing for a new one."""
        if not self.hunks:
            return b""
        lines = self.text.splitlines(keepends=True)
        for first, count, text in sorted(self.hunks, reverse=True):
            at = max(first, 1) - 1 if count else first
            lines[at : at + count] = [text]
        return b"".join(lines)

    def line_edits(self) -> Iterator[LineEdit]:
        """Yield what a change makes of lines; of a very long hunk nothing."""
        rows = self.text.splitlines(keepends=True)
        for first, count, text in self.hunks:
            at, before = max(first, 1) - 1, text.splitlines(keepends=True)
            if max(count, len(before)) > _LONGEST_HUNK:
                continue
            matcher = SequenceMatcher(None, before, rows[at : at + count], autojunk=False)
            for kind, a, b, c, d in matcher.get_opcodes():
                if kind != "equal":
                    yield LineEdit(at + c, at + d, before[a:b], rows[at + c : at + d])

    def is_changed(self, first: int, last: int) -> bool:
        """Tell whether a change touches these lines; a deletion must stand between two of them."""
        return any(
            (a <= last and b >= first) if a <= b else (first <= b and a <= last)
            for a, b in self.ranges
        )

    def adds(self, line: int, last: int = 0) -> bool:
        """Tell whether a change adds this line, and all from there to the `last` one."""
        return any(a <= line and max(line, last) <= b for a, b in self.ranges)

    def symbol(self, line: int, last: int = 0) -> str:
        """Return the innermost function around a line, or around all from there to the `last` one."""
        found = self._around(line, last)
        return found.name if found else ""

    def symbol_ended_by(self, line: int, text: bytes) -> str:
        """Return the function that ends at a line, where a text behind it would be a part of it (Python)."""
        rows = self.text.splitlines()
        while line > 1 and not rows[line - 1].strip():
            line -= 1
        found = self._around(line) if rows else None
        if found is None:
            return ""
        depth, own = (len(one) - len(one.lstrip()) for one in (text, rows[found.first - 1]))
        return found.name if depth > own else ""

    def is_new(self, line: int) -> bool:
        """Tell whether the change adds all of the innermost function around a line."""
        found = self._around(line)
        return found is not None and self.adds(found.first, found.last)

    def end_of(self, line: int, last: int) -> int:
        """Return the last line up to `last` that is of the innermost function around a line."""
        found = self._around(line)
        return min(found.last, last) if found else last

    def _around(self, line: int, last: int = 0) -> Function | None:
        end = max(line, last)
        around = [one for one in self.functions if one.first <= line and end <= one.last]
        return min(around, key=lambda one: one.last - one.first) if around else None


class Clock:
    """What is left of the time for everything together."""

    def __init__(self, seconds: float = OF_ALL_S) -> None:
        self._end = time.process_time() + seconds

    def parse(self, text: bytes, language: str) -> tree_sitter.Node | None:
        """Return the tree of a text; None where it does not parse, or not in time."""
        root = self.parse_partly(text, language)
        return None if root is None or root.has_error else root

    def parse_partly(self, text: bytes, language: str) -> tree_sitter.Node | None:
        """Return the tree of a text, which may have errors; None where there is none in time."""
        try:
            return parsed(text, language, lambda: self.is_over).root_node
        except ValueError:
            return None

    @property
    def is_over(self) -> bool:
        """Tell whether there is no time left."""
        return time.process_time() > self._end


def is_modest(root: tree_sitter.Node) -> bool:
    """Tell whether a tree can be gone through in no time: parents of deep nodes are found slowly."""
    waiting, seen = [(root, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        seen += 1
        if seen > _MOST_NODES or depth > _MOST_DEPTH:
            return False
        waiting += [(one, depth + 1) for one in node.children]
    return True


def walk(
    root: tree_sitter.Node, start: int = 0, end: int | None = None
) -> Iterator[tree_sitter.Node]:
    """Yield every node, in the order of the text: all, or those that touch what is between two bytes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        near = node.children
        if end is not None:
            near = [one for one in near if one.end_byte >= start and one.start_byte <= end]
        waiting += reversed(near)


def parents(node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """Yield what a node stands in, the innermost first."""
    around = node.parent
    while around is not None:
        yield around
        around = around.parent


def part(node: tree_sitter.Node | None, *fields: str) -> tree_sitter.Node | None:
    """Return what a node has in the first of some fields that it has; None for none."""
    found = (node.child_by_field_name(one) for one in fields) if node is not None else ()
    return next((one for one in found if one is not None), None)


def functions(root: tree_sitter.Node) -> Iterator[Function]:
    """Yield every function that has a name and a body."""
    for node in walk(root):
        if node.type not in FUNCTIONS or not node.is_named:
            continue
        body, name = node.child_by_field_name("body"), name_of(node)
        body = body or next((one for one in node.children if one.type == "function_body"), None)
        if body is not None and name:
            # Whoever changes a decorator changes what is called.
            around = node.parent
            whole = around if around and around.type == "decorated_definition" else node
            first = whole.start_point[0]
            yield Function(name, node, body, first + 1, node.end_point[0] + 1)


def name_of(node: tree_sitter.Node) -> str:
    """Return a function's own name, or that of what it is assigned to."""
    named = node.child_by_field_name("name")
    inner = node.child_by_field_name("declarator")
    while named is None and inner is not None:
        inner, last = inner.child_by_field_name("declarator"), inner
        named = last if inner is None else None
    named = named or part(node.parent, "name", "key", "left", "property")
    if named is None and node.type == "function_declaration":
        named = next((one for one in node.children if "identifier" in one.type), None)
    return text_of(named).rpartition(".")[2].rpartition("::")[2][:80] if named else ""


def parameters_of(node: tree_sitter.Node) -> tuple[str, ...]:
    """Return the names of what a function takes: the first in each of its parameters."""
    taken = node.child_by_field_name("parameters")
    names = (
        next((text_of(leaf) for leaf in walk(one) if "identifier" in leaf.type), "")
        for one in (taken.named_children if taken is not None else ())
    )
    return tuple(name[:80] for name in names if name)[:_MOST_PARAMETERS]


def text_of(node: tree_sitter.Node) -> str:
    """Return what is written there."""
    return (node.text or b"").decode(errors="replace")


def function_around(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the innermost function that a node stands in."""
    return next((one for one in parents(node) if one.type in FUNCTIONS), None)


def is_aside(node: tree_sitter.Node) -> bool:
    """Tell whether a leaf stands in an import, a docstring or a comment."""
    for around in islice(parents(node), 4):
        if IMPORTS.search(around.type) or "comment" in around.type:
            return True
        if around.type == "assignment" and around.children[0].text == b"__all__":
            return True
        if around.type == "expression_statement":
            return around.named_child_count == 1 and "string" in around.named_children[0].type
    return False


@dataclass(frozen=True, slots=True)
class Piece:
    """Something written that has no parts: a leaf of a tree, or a string's text between escapes in it."""

    text: bytes
    start: int
    end: int
    line: int
    node: tree_sitter.Node

    @property
    def type(self) -> str:
        """Return what kind of node it is, or is a part of."""
        return self.node.type


def pieces(node: tree_sitter.Node) -> Iterator[Piece]:
    """Yield all that a node itself has written, without what its children have: mostly nothing.

    Of a text with escapes some grammars have no leaf for what stands between these.
    """
    if node.children and not TEXT.search(node.type):
        return
    written, at, line = node.text or b"", node.start_byte, node.start_point[0] + 1
    for begin, end in (*((o.start_byte, o.end_byte) for o in node.children), (node.end_byte, 0)):
        from_here = at - node.start_byte
        between = written[from_here : begin - node.start_byte]
        if between:
            yield Piece(between, at, begin, line + written.count(b"\n", 0, from_here), node)
        at = end


def said(
    root: tree_sitter.Node, start: int = 0, end: int | None = None, *, with_types: bool = False
) -> Iterator[tree_sitter.Node]:
    """Yield the nodes of a tree without comments, imports, docstrings and, mostly, annotations.

    With `start` and `end` these are the nodes that have bytes between the two.
    """
    end = root.end_byte if end is None else end
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not with_types and (given := _only_typed(node)) is not None:
            node = given
        is_typing = node.type in TYPES or _is_of_a_cast(node)
        if not (_says_nothing(node) or (not with_types and is_typing)):
            yield node
            near = (one for one in node.children if one.end_byte > start and one.start_byte < end)
            waiting += reversed([*near])


def tokens(
    root: tree_sitter.Node, start: int = 0, end: int | None = None, *, with_types: bool = True
) -> list[bytes]:
    """Return all that is written in a tree or between two of its bytes, as `said`, without layout."""
    nodes = said(root, start, end, with_types=with_types)
    return [one.text for node in nodes for one in pieces(node)]


def _only_typed(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what `typing.cast` is given beside a type, which is what it gives; None for any other node."""
    called = node.child_by_field_name("function") if node.type == "call" else None
    given = node.child_by_field_name("arguments") if called is not None else None
    is_cast = called is not None and called.text == b"typing.cast"
    return given.named_children[1] if is_cast and given and given.named_child_count == 2 else None


def _says_nothing(node: tree_sitter.Node) -> bool:
    if node.type == "," and node.parent is not None and node.parent.type in _LISTING:
        before, behind = node.prev_sibling, node.next_sibling
        is_last = behind is not None and behind.type in (")", "]", "}")
        return is_last and before is not None and before.is_named
    if IMPORTS.search(node.type) or "comment" in node.type:
        return bool(node.children) or "comment" in node.type
    if node.type == "expression_statement":
        return node.named_child_count == 1 and "string" in node.named_children[0].type
    return node.type == "assignment" and node.children[0].text == b"__all__"


def _is_of_a_cast(node: tree_sitter.Node) -> bool:
    """Tell whether a node is what a cast adds to its value: `as T`, `!`, and the brackets of `(a as T).b`."""
    around = node.parent
    if around is None or (around.type in _CASTS and node == around.children[0]):
        return False
    if around.type in _CASTS:
        return True
    inner = around.named_children[0] if node.type in ("(", ")") and around.named_children else None
    if around.type != "parenthesized_expression" or inner is None or inner.type not in _CASTS:
        return False
    while inner.type in _CASTS:
        inner = inner.children[0]
    return _WHOLE.fullmatch(inner.type) is not None


def bound(root: tree_sitter.Node, start: int = 0, end: int | None = None) -> set[tuple[str, ...]]:
    """The names that a file defines or imports, or a part of it does; functions with their parameters."""
    found: set[tuple[str, ...]] = set()
    for node in walk(root, start, end):
        if IMPORTS.search(node.type) and node.is_named and "statement" in node.type:
            found |= {(text_of(o),) for o in walk(node) if not o.children and o.is_named}
        elif node.type == "function_declarator":  # C declares a function before it is defined
            declared = node.child_by_field_name("declarator")
            found.add((text_of(declared) if declared is not None else "", "declared"))
        elif node.type in FUNCTIONS and node.is_named:
            parameters = node.child_by_field_name("parameters")
            found.add((name_of(node), text_of(parameters) if parameters is not None else ""))
        elif node.type.startswith(("class", "struct", "enum", "trait", "interface", "type_spec")):
            named = node.child_by_field_name("name")
            if named is not None:
                found.add((text_of(named), "class"))
        elif node.type in ("assignment", "variable_declarator", "const_spec", "var_spec"):
            left = part(node, "left", "name")
            if left is not None and len([*islice(parents(node), 4)]) < 4:  # it stands at the top
                found.add((text_of(left), "name"))
    return found
