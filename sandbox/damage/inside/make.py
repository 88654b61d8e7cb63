"""Makes damages of changed files: each hunk reverted, functions emptied, conditions and operators changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, chain, zip_longest

import tree_sitter

from sandbox.damage.inside.languages import (
    BOUNDS,
    CONDITIONED,
    FLAGS,
    NUMBER,
    OPERATION,
    OPPOSITES,
    TEXT,
    leaving,
    negated,
)
from sandbox.damage.inside.results import other_results
from sandbox.damage.inside.source import Function, Source, is_aside, said, text_of

_MOST_OF_A_KIND = 40  # looked at in one file
_MOST_OUTSIDE = 3  # constants outside of functions
_NOTHING = frozenset(("", "pass", "...", "return", "return None", "{}", "{ }", "{;}"))
_SHOWN = 40
_LONGEST_ROW = 400
_PIECE = re.compile(rb"\w+|\s+|[^\w\s()\[\]{},;:]+|.", re.DOTALL)
_VERSION = re.compile(r"v?\d{1,9}(?:\.\d{1,9}){1,4}(?:[-.+]?[A-Za-z]{1,9}\d{0,9})?")


@dataclass(frozen=True, slots=True)
class Damage:
    """One replacement in one file. `is_telling`: noticing it shows that more than a name is looked at.

    `is_new`: the change adds all of the function. `names`: what it stands in, the outermost first, and
    whether that `is_changed`, and takes which `parameters` (of what is altered, its own variables); of a
    condition the values that it asks for.
    `edit` is the same where the same is done in several places.
    """

    file: int
    kind: str
    line: int
    symbol: str
    start: int
    end: int
    text: bytes
    what: str
    is_telling: bool = True
    is_new: bool = False
    names: tuple[str, ...] = ()
    is_changed: bool = True
    parameters: tuple[str, ...] = ()
    edit: str = ""


_RESULTS = (
    (2, "result", "returns another value of the same type"),
    (4, "result", "returns a third value of the same type"),
    (5, "nothing", "runs and returns nothing"),
    (6, "near", "returns numbers near by"),
)
"""Functions that run and give something else back: the queue of each, its kind, and what it does. That a
test notices it shows no more than a call."""


def ranked(
    sources: list[Source], words: frozenset[str], called: frozenset[str]
) -> Iterator[Damage]:
    """Order all damages by what they tell: of each kind one, functions that the tests call or name first."""
    queues: list[list[Damage]] = [[], [], [], [], [], [], []]
    rest: list[Damage] = []
    unread: list[Damage] = []  # of files that no grammar reads whole, such as C with many macros
    for source in sources:
        changed = changed_functions(source)
        queues[0] += _emptied(source, changed)
        for one in _reverted(source):  # what was not there before shows only that a name is missing
            is_new = source.root is not None and source.is_new(one.line)
            (rest if is_new else queues[1] if source.root else unread).append(one)
        queues[3] += _points(source)
        for function in changed:
            results = zip(_RESULTS, other_results(source, function), strict=False)
            for (queue, kind, what), (start, end, text) in results:
                put, told = text.encode("utf-8", "surrogateescape"), f"`{function.name}` {what}"
                place = source.number, kind, function.first, function.name, start, end
                queues[queue].append(Damage(*place, put, told, is_telling=False))
            error = leaving(source.language, "").error
            told = f"`{function.name}` raises an error"
            rest += entered(source, function, "raises", error, told)
    for damages in (*queues, rest):
        damages.sort(key=lambda one: (one.symbol not in called, one.symbol not in words))
    queues[1] += unread
    yield from (one for one in chain(*zip_longest(*queues[:-1])) if one)
    yield from (*rest, *queues[-1])


def emptied(sources: list[Source], named: frozenset[str]) -> Iterator[Damage]:
    """Empty every function of these names."""
    for source in sources:
        yield from _emptied(source, [one for one in source.functions if one.name in named])


# --- what is damaged --------------------------------------------------------------------------


def changed_functions(source: Source) -> list[Function]:
    """Return the functions that a change touches, or that are named: the first of a file."""
    found = [
        one
        for one in source.functions
        if source.is_changed(one.first, one.last) or one.name in source.named
    ]
    return found[:_MOST_OF_A_KIND]


def _emptied(source: Source, found: list[Function]) -> Iterator[Damage]:
    for one in found:
        fields = ("result", "return_type", "returns", "type")
        kinds = (one.node.child_by_field_name(field) for field in fields)
        kind = next((text_of(each) for each in kinds if each is not None), "")
        text = leaving(source.language, kind.removeprefix("->").lstrip(": ").strip()).empty
        if text and text_of(one.body).strip() not in _NOTHING:
            yield from entered(source, one, "emptied", text, f"`{one.name}` does nothing")


def entered(
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
    place = source.number, kind, function.first, function.name, at, end
    yield Damage(*place, inserted.encode(), what, is_telling)


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
    """Each hunk as it was on base; the biggest first. One that changes several functions is in none."""
    starts = [0]
    for row in source.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    hunks = sorted(source.hunks, key=lambda one: -one[1])[:_MOST_OF_A_KIND]
    for first, count, text in hunks:
        at = max(first, 1) - 1
        if at + count >= len(starts):
            continue
        inside = [one for one in source.ranges if at < one[0] <= at + count + 1]
        line = inside[0][0] if inside else first
        what = "the change is taken back"
        symbol = source.symbol(line, max((last for _, last in inside), default=line))
        place = source.number, "reverted", line, symbol, starts[at], starts[at + count]
        yield Damage(*place, text, what)


def _points(source: Source) -> list[Damage]:
    """Conditions, operators and constants in changed lines: the crude ones first, then bounds.

    None of types, and none of functions whose body is `...`, as overloads are: these never run.
    """
    if source.root is None:
        return []
    stubs = [one for one in source.functions if text_of(one.body).strip() == "..."]
    found: list[tuple[int, Damage]] = []
    for node in said(source.root):
        line = node.start_point[0] + 1
        if len(found) >= 3 * _MOST_OF_A_KIND:
            break
        if source.adds(line) and not any(one.first <= line <= one.last for one in stubs):
            found += _point(source, node, line)
    outside = sum(not one.symbol for _, one in found)
    if outside > _MOST_OUTSIDE:  # a table: a test looks at some of it
        found = [pair for pair in found if pair[1].symbol]
    found.sort(key=lambda one: one[0])
    kept = _kept(source, {one.line for _, one in found})
    return [
        replace(one, is_changed=not any(a <= one.start and one.end <= b for a, b in kept))
        for _, one in found
    ]


def _kept(source: Source, lines: set[int]) -> list[tuple[int, int]]:
    """Return from where to where the text of changed lines is as on base, in as many lines there."""
    found: list[tuple[int, int]] = []
    starts = [0, *accumulate(map(len, source.text.splitlines(keepends=True)))]
    for edit in source.line_edits() if lines else ():
        is_same = len(edit.gone) == len(edit.came)
        for at, (gone, came) in enumerate(zip(edit.gone, edit.came, strict=False), edit.first):
            if is_same and at + 1 in lines and max(len(gone), len(came)) <= _LONGEST_ROW:
                words = [_PIECE.findall(one) for one in (gone, came)]
                ends = [*accumulate(map(len, words[1]), initial=starts[at])]
                blocks = SequenceMatcher(
                    None, words[0], words[1], autojunk=False
                ).get_matching_blocks()
                found += ((ends[b], ends[b + size]) for _, b, size in blocks if size)
    return found


def _point(source: Source, node: tree_sitter.Node, line: int) -> Iterator[tuple[int, Damage]]:
    written = "" if node.children else text_of(node)

    def replaced(rank: int, kind: str, one: tree_sitter.Node, text: str) -> tuple[int, Damage]:
        what = f"`{shown(text_of(one))}` becomes `{shown(text)}`"
        place = source.number, kind, line, source.symbol(line), one.start_byte, one.end_byte
        return rank, Damage(*place, text.encode(), what)

    if node.type in CONDITIONED and node.is_named:
        condition = node.child_by_field_name("condition")
        if condition is not None:
            yield replaced(0, "negated", condition, negated(source.language, text_of(condition)))
        return
    parent = node.parent
    if node.children or parent is None or is_aside(node):
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
        if _VERSION.fullmatch(written) and not source.symbol(line):
            return  # of a release: no test looks at it
        yield replaced(2, "constant", node, "damaged")


def shown(text: str) -> str:
    """Return a text as a reader may be told it: one short line."""
    line = " ".join(text.replace("`", "'").split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
