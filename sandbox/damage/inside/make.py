"""Makes damaged copies of changed files: each hunk reverted, functions emptied, operators changed.

Runs inside the sandbox. Input: JSON with `words`, names that the tests mention, and `files`, a list of
{path, language, ranges: [[first, last]], hunks: [[first, count, text]]}: the changed lines of head (a
deletion in front of line n is [n, n - 1]), and what stood in place of `count` lines on base. Output on
the private channel: one JSON line a damage, the most telling first: {file, kind, line, symbol, start, end,
text, what, telling}; it replaces the bytes from start to end. What does not parse is dropped.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, zip_longest
from typing import BinaryIO

import tree_sitter

from sandbox.damage.inside.languages import (
    BOUNDS,
    CONDITIONED,
    FLAGS,
    FUNCTIONS,
    IMPORTS,
    NUMBER,
    OPERATION,
    OPPOSITES,
    TEXT,
    leaving,
    negated,
)
from sandbox.graph.inside.parse import grammar

MOST = 60
_MOST_OF_A_KIND = 40  # looked at in one file
_MOST_OUTSIDE = 3  # constants outside of functions
_MOST_BYTES = 500_000
_MOST_NODES = 400_000
_SECONDS = 20.0
_NOTHING = frozenset(("", "pass", "...", "return", "return None", "{}", "{ }", "{;}"))
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Damage:
    """One replacement in one file. `is_telling`: noticing it shows that more than a name is looked at."""

    file: int
    kind: str
    line: int
    symbol: str
    start: int
    end: int
    text: bytes
    what: str
    is_telling: bool = True


@dataclass(slots=True)
class Function:
    """A function that has a name; lines count from 1."""

    name: str
    node: tree_sitter.Node
    body: tree_sitter.Node
    first: int
    last: int


@dataclass(slots=True)
class Source:
    """One changed file of head with its tree; `language` is empty where no grammar reads it."""

    number: int
    language: str
    text: bytes
    ranges: list[tuple[int, int]]
    hunks: list[tuple[int, int, bytes]]
    root: tree_sitter.Node | None
    functions: list[Function] = field(default_factory=list)

    def is_changed(self, first: int, last: int) -> bool:
        """Tell whether a change touches these lines; a deletion must stand between two of them."""
        return any(
            (a <= last and b >= first) if a <= b else (first <= b and a <= last)
            for a, b in self.ranges
        )

    def symbol(self, line: int) -> str:
        """Return the innermost function around a line."""
        around = [one for one in self.functions if one.first <= line <= one.last]
        return min(around, key=lambda one: one.last - one.first).name if around else ""


class Clock:
    """What is left of the time for everything together."""

    def __init__(self) -> None:
        self._end = time.monotonic() + _SECONDS

    def parse(self, text: bytes, language: str) -> tree_sitter.Node | None:
        """Return the tree of a text; None where it does not parse, or not in time."""
        parser, _ = grammar(language)
        parser.reset()
        try:
            tree = parser.parse(
                lambda offset, _: text[offset : offset + 1_000_000],
                progress_callback=lambda _offset, _error: self.is_over,
            )
        except ValueError:
            return None
        return None if tree.root_node.has_error else tree.root_node

    @property
    def is_over(self) -> bool:
        """Tell whether there is no time left."""
        return time.monotonic() > self._end


def main() -> int:
    """Make the damages of every named file. Returns the exit code."""
    asked = json.load(sys.stdin)
    clock = Clock()
    sources = [one for n, file in enumerate(asked["files"]) if (one := _read(n, file, clock))]
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        told = 0
        for damage in ranked(sources, frozenset(asked["words"])):
            if told == MOST or clock.is_over:
                break
            checked = _checked(damage, next(s for s in sources if s.number == damage.file), clock)
            if checked:
                _tell(channel, checked)
                told += 1
    return 0


def _read(number: int, file: dict[str, object], clock: Clock) -> Source | None:
    path, language = str(file["path"]), str(file["language"])
    try:
        # Without following a link: none is named here, but the tree is somebody else's.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        text = stream.read(_MOST_BYTES + 1)
    if len(text) > _MOST_BYTES or b"\0" in text:
        return None
    root = clock.parse(text, language) if language else None
    if language and root is None:
        return None
    ranges = [(a, b) for a, b in file["ranges"]]  # type: ignore[attr-defined]
    hunks = [(a, n, t.encode("utf-8", "surrogateescape")) for a, n, t in file["hunks"]]  # type: ignore[attr-defined]
    source = Source(number, language, text, ranges, hunks, root)
    if root is not None:
        source.functions = list(_functions(root))
    return source


def ranked(sources: list[Source], words: frozenset[str]) -> Iterator[Damage]:
    """Order all damages by what they tell: of each kind one, functions that the tests name first."""
    queues: list[list[Damage]] = [[], [], []]
    rest: list[Damage] = []
    for source in sources:
        queues[0] += _emptied(source)
        queues[1] += _reverted(source)
        queues[2] += _points(source)
        rest += _raising(source)
    for queue in queues:
        queue.sort(key=lambda one: one.symbol not in words)
    rest.sort(key=lambda one: one.symbol not in words)
    yield from (one for one in chain(*zip_longest(*queues)) if one)
    yield from rest


# --- what is damaged --------------------------------------------------------------------------


def _walk(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    waiting, seen = [root], 0
    while waiting and seen < _MOST_NODES:
        seen += 1
        node = waiting.pop()
        yield node
        waiting += reversed(node.children)


def _functions(root: tree_sitter.Node) -> Iterator[Function]:
    for node in _walk(root):
        if node.type in FUNCTIONS and node.is_named:
            body, name = _body(node), _name(node)
            if body is not None and name:
                yield Function(name, node, body, node.start_point[0] + 1, node.end_point[0] + 1)


def _body(node: tree_sitter.Node) -> tree_sitter.Node | None:
    found = node.child_by_field_name("body")
    return found or next((one for one in node.children if one.type == "function_body"), None)


def _name(node: tree_sitter.Node) -> str:
    """Return a function's own name, or that of what it is assigned to."""
    named = node.child_by_field_name("name")
    inner = node.child_by_field_name("declarator")
    while named is None and inner is not None:
        inner, last = inner.child_by_field_name("declarator"), inner
        named = last if inner is None else None
    parent = node.parent
    if named is None and parent is not None:
        for name in ("name", "key", "left", "property"):
            named = named or parent.child_by_field_name(name)
    if named is None and node.type == "function_declaration":
        named = next((one for one in node.children if "identifier" in one.type), None)
    return _text(named).rpartition(".")[2].rpartition("::")[2][:80] if named else ""


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode(errors="replace")


def _changed_functions(source: Source) -> list[Function]:
    found = [one for one in source.functions if source.is_changed(one.first, one.last)]
    return found[:_MOST_OF_A_KIND]


def _emptied(source: Source) -> Iterator[Damage]:
    for one in _changed_functions(source):
        text = leaving(source.language, _result(one.node)).empty
        if text and _text(one.body).strip() not in _NOTHING:
            yield from _entered(source, one, "emptied", text, f"`{one.name}` does nothing")


def _raising(source: Source) -> Iterator[Damage]:
    for one in _changed_functions(source):
        text = leaving(source.language, "").error
        yield from _entered(source, one, "raises", text, f"`{one.name}` raises an error")


def _result(node: tree_sitter.Node) -> str:
    for name in ("result", "return_type", "returns", "type"):
        found = node.child_by_field_name(name)
        if found is not None:
            return _text(found).removeprefix("->").lstrip(": ").strip()
    return ""


def _entered(
    source: Source, function: Function, kind: str, text: str, what: str
) -> Iterator[Damage]:
    """Put a statement in front of a body; an expression as a body is replaced."""
    body, is_telling = function.body, kind == "emptied"
    at, end, inserted = body.start_byte, body.start_byte, text
    if source.text[at : at + 1] == b"{":
        at = end = at + 1
        inserted = f" {text}\n"
    elif source.language in ("javascript", "typescript", "tsx"):
        end = body.end_byte
        inserted = f"{{ {text} }}"
    elif source.language in ("scala", "kotlin"):
        end = body.end_byte
        inserted = ("= " if source.text[at : at + 1] == b"=" else "") + text
    else:
        first = _first_statement(body)
        if first is None:
            return
        at = end = first.start_byte
        is_inline = first.start_point[0] == function.node.start_point[0]
        indent = source.text[source.text.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")
        inserted = f"{text}; " if is_inline else f"{text}\n{indent}"
    yield Damage(
        source.number,
        kind,
        function.first,
        function.name,
        at,
        end,
        inserted.encode(),
        what,
        is_telling,
    )


def _first_statement(body: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the first statement behind the docstring, if there is any."""
    if not body.named_children or body.type not in ("block", "body_statement"):
        return body
    statements = [one for one in body.named_children if one.type != "comment"]
    is_doc = (
        statements[:1]
        and statements[0].type == "expression_statement"
        and statements[0].named_children
        and statements[0].named_children[0].type == "string"
    )
    return (statements[1:] if is_doc else statements)[0] if statements[bool(is_doc) :] else None


def _reverted(source: Source) -> Iterator[Damage]:
    """Each hunk as it was on base; the biggest first."""
    starts = [0]
    for row in source.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    hunks = sorted(source.hunks, key=lambda one: -one[1])[:_MOST_OF_A_KIND]
    for first, count, text in hunks:
        at = max(first, 1) - 1
        if at + count >= len(starts):
            continue
        line = next((a for a, b in source.ranges if at < a <= at + count + 1), first)
        what = "the change is taken back"
        symbol = source.symbol(line)
        yield Damage(
            source.number, "reverted", line, symbol, starts[at], starts[at + count], text, what
        )


def _points(source: Source) -> list[Damage]:
    """Conditions, operators and constants in changed lines: the crude ones first, then bounds."""
    if source.root is None:
        return []
    found: list[tuple[int, Damage]] = []
    for node in _walk(source.root):
        line = node.start_point[0] + 1
        if len(found) >= 3 * _MOST_OF_A_KIND:
            break
        if any(a <= line <= b for a, b in source.ranges):
            found += _point(source, node, line)
    outside = sum(not one.symbol for _, one in found)
    if outside > _MOST_OUTSIDE:  # a table: a test looks at some of it
        found = [pair for pair in found if pair[1].symbol]
    found.sort(key=lambda one: one[0])
    return [damage for _, damage in found]


def _point(source: Source, node: tree_sitter.Node, line: int) -> Iterator[tuple[int, Damage]]:
    written = "" if node.children else _text(node)

    def replaced(rank: int, kind: str, one: tree_sitter.Node, text: str) -> tuple[int, Damage]:
        what = f"`{_shown(_text(one))}` becomes `{_shown(text)}`"
        place = source.number, kind, line, source.symbol(line), one.start_byte, one.end_byte
        return rank, Damage(*place, text.encode(), what)

    if node.type in CONDITIONED and node.is_named:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield replaced(0, "negated", condition, negated(source.language, _text(condition)))
        return
    parent = node.parent
    if node.children or parent is None or _is_aside(node):
        return
    if not node.is_named and OPERATION.search(parent.type):
        if written in OPPOSITES:
            yield replaced(1, "operator", node, OPPOSITES[written])
        if written in BOUNDS:
            yield replaced(3, "bound", node, BOUNDS[written])
    elif written in FLAGS:
        yield replaced(1, "constant", node, FLAGS[written])
    elif node.is_named and NUMBER.match(written) and "identifier" not in node.type:
        text = str(int(written) + 1) if written.isdecimal() and len(written) < 19 else f"1{written}"
        yield replaced(2, "constant", node, text)
    elif TEXT.search(node.type) and written.strip():
        yield replaced(2, "constant", node, "damaged")


def _is_aside(node: tree_sitter.Node) -> bool:
    """Tell whether a leaf stands in an import, a docstring or a comment."""
    around, depth = node.parent, 0
    while around is not None and depth < 4:
        if IMPORTS.search(around.type) or "comment" in around.type:
            return True
        if around.type == "assignment" and around.children[0].text == b"__all__":
            return True
        if around.type == "expression_statement":
            return around.named_child_count == 1 and "string" in around.named_children[0].type
        around, depth = around.parent, depth + 1
    return False


def _shown(text: str) -> str:
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


# --- which of them count ----------------------------------------------------------------------


def _checked(damage: Damage, source: Source, clock: Clock) -> Damage | None:
    """Drop what does not parse or changes nothing; what takes a name away tells only of the name."""
    text = source.text[: damage.start] + damage.text + source.text[damage.end :]
    if text == source.text:
        return None
    if source.root is None:
        return damage
    root = clock.parse(text, source.language)
    if root is None:
        return None
    if damage.kind != "reverted":
        return damage
    if _tokens(root) == _tokens(source.root):
        return None
    is_telling = not _bound(source.root) - _bound(root)
    return replace(damage, is_telling=is_telling)


def _tokens(root: tree_sitter.Node) -> list[bytes]:
    return [
        one.text or b""
        for one in _walk(root)
        if not one.children and "comment" not in one.type and not _is_aside(one)
    ]


def _bound(root: tree_sitter.Node) -> set[tuple[str, ...]]:
    """The names that a file defines or imports, functions with their parameters."""
    found: set[tuple[str, ...]] = set()
    for node in _walk(root):
        if IMPORTS.search(node.type) and node.is_named and "statement" in node.type:
            found |= {(_text(leaf),) for leaf in _leaves(node)}
        elif node.type in FUNCTIONS and node.is_named:
            parameters = node.child_by_field_name("parameters")
            found.add((_name(node), _text(parameters) if parameters is not None else ""))
        elif node.type.startswith(("class", "struct", "enum", "trait", "interface", "type_spec")):
            named = node.child_by_field_name("name")
            if named is not None:
                found.add((_text(named), "class"))
        elif node.type in ("assignment", "variable_declarator", "const_spec", "var_spec"):
            left = node.child_by_field_name("left") or node.child_by_field_name("name")
            if left is not None and _is_at_top(node):
                found.add((_text(left), "name"))
    return found


def _is_at_top(node: tree_sitter.Node) -> bool:
    depth, around = 0, node.parent
    while around is not None:
        depth, around = depth + 1, around.parent
    return depth <= 3


def _leaves(node: tree_sitter.Node) -> Iterable[tree_sitter.Node]:
    return (one for one in _walk(node) if not one.children and one.is_named)


def _tell(channel: BinaryIO, damage: Damage) -> None:
    line = asdict(damage) | {"text": damage.text.decode("utf-8", "surrogateescape")}
    channel.write(json.dumps(line).encode() + b"\n")
    channel.flush()


if __name__ == "__main__":
    sys.exit(main())
