"""Makes damaged copies of changed files: each hunk reverted, functions emptied, operators changed.

Runs inside the sandbox. Input: JSON with `called` and `words`, names that the tests call and mention, and
`files`, a list of {path, language, ranges: [[first, last]], hunks: [[first, count, text]]}: the changed
lines of head (a deletion in front of line n is [n, n - 1]), and what stood in place of `count` lines on
base. Output on the private channel: one JSON line a damage, the most telling first: {file, kind, line,
symbol, start, end, text, what, is_telling, is_new, names, is_changed}; it replaces the bytes from start to
end. What does not parse is dropped. With `emptied`, names of functions, there is nothing else than these
without their bodies. With `named`, names that a judge's step is about, functions of these
names are damaged though they did not change, what says the same as on base is left alone, and there are
edits more: files that only look different (`same`), definitions as on base (`restored`, with what is `lost`),
functions that never give the same twice (`unsteady`), or do nothing where they run for what is named
(`beneath`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest
from typing import BinaryIO

import tree_sitter

from sandbox.damage.inside.languages import (
    BOUNDS,
    CONDITIONED,
    FLAGS,
    NUMBER,
    OPERATION,
    OPPOSITES,
    TEXT,
    WORD,
    leaving,
    negated,
)
from sandbox.damage.inside.results import other_results, unsteady
from sandbox.damage.inside.source import (
    Clock,
    Function,
    Source,
    bound,
    functions,
    is_aside,
    is_modest,
    text_of,
    tokens,
    walk,
)
from sandbox.damage.inside.twins import Twins, same

MOST = 60
_MOST_OF_A_KIND = 40  # looked at in one file
_MOST_OUTSIDE = 3  # constants outside of functions
_MOST_BYTES = 500_000
_NOTHING = frozenset(("", "pass", "...", "return", "return None", "{}", "{ }", "{;}"))
_SHOWN = 40
_MOST_READ, _MOST_NAMES = 4_000, 40


@dataclass(frozen=True, slots=True)
class Damage:
    """One replacement in one file. `is_telling`: noticing it shows that more than a name is looked at.

    `is_new`: the change adds all of the function. `names`: what it stands in, the outermost first, and
    whether that `is_changed`.
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


def main() -> int:
    """Make the damages of every named file. Returns the exit code."""
    asked = json.load(sys.stdin)
    clock = Clock()
    sources = [one for n, file in enumerate(asked["files"]) if (one := _read(n, file, clock))]
    damages = ranked(sources, frozenset(asked["words"]), frozenset(asked["called"]))
    if asked["emptied"]:
        damages = emptied(sources, frozenset(asked["emptied"]))
    elif asked["named"] is not None:
        damages = for_a_step(sources, frozenset(asked["named"]), clock)
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        told = 0
        for damage in damages:
            if told == MOST or clock.is_over:
                break
            source = next(s for s in sources if s.number == damage.file)
            checked = _checked(damage, source, clock)
            if checked:
                _tell(channel, replace(checked, is_new=source.is_new(checked.line)))
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
    if clock.is_over or (root is not None and not is_modest(root)):
        return None
    language = language if root is not None else ""  # of a dialect that the grammar cannot read
    ranges = [(a, b) for a, b in file["ranges"]]  # type: ignore[attr-defined]
    hunks = [(a, n, t.encode("utf-8", "surrogateescape")) for a, n, t in file["hunks"]]  # type: ignore[attr-defined]
    source = Source(number, language, text, ranges, hunks, root)
    if root is not None:
        source.functions = list(functions(root))
    return source


def ranked(
    sources: list[Source], words: frozenset[str], called: frozenset[str]
) -> Iterator[Damage]:
    """Order all damages by what they tell: of each kind one, functions that the tests call or name first."""
    queues: list[list[Damage]] = [[], [], [], [], [], []]
    rest: list[Damage] = []
    for source in sources:
        queues[0] += _emptied(source, _changed_functions(source))
        for one in _reverted(source):  # what was not there before shows only that a name is missing
            (rest if source.root is None or source.is_new(one.line) else queues[1]).append(one)
        queues[3] += _points(source)
        for at, result in _results(source):
            queues[at].append(result)
        rest += _raising(source)
    for queue in (*queues, rest):
        queue.sort(key=lambda one: (one.symbol not in called, one.symbol not in words))
    yield from (one for one in chain(*zip_longest(*queues)) if one)
    yield from rest


def emptied(sources: list[Source], named: frozenset[str]) -> Iterator[Damage]:
    """Empty every function of these names."""
    for source in sources:
        yield from _emptied(source, [one for one in source.functions if one.name in named])


def for_a_step(sources: list[Source], named: frozenset[str], clock: Clock) -> Iterator[Damage]:
    """What a judge's step is run on: copies that look different, then what is as on base, then damages."""
    twins = {one.number: Twins.of(one, clock) for one in sources}
    for source in sources:
        start, end, text = same(source)
        what = "the same in other words"
        yield Damage(source.number, "same", 1, "", start, end, text, what, is_telling=False)
    for number, twin in twins.items():
        for one, text in twin.changed():
            line, what = one.node.start_point[0] + 1, f"`{one.name}` as on base"
            place = number, "restored", line, one.name, one.node.start_byte, one.node.end_byte
            yield Damage(*place, text, what, is_telling=False, names=one.key)
        if lost := twin.lost():
            end = len(twin.source.text)
            yield Damage(number, "lost", 1, "", end, end, lost, "what base has besides", False)
    for source in sources:
        source.named = named
    for damage in ranked(sources, named, named):
        twin = twins[damage.file]
        names = twin.names(damage.line)
        if damage.kind in ("reverted", "raises") and twin.own:
            continue
        is_changed = not twin.is_same(damage.line)
        if is_changed or named.intersection(names):
            words = () if twin.own else _words_at(twin.source, damage.line)
            yield replace(damage, names=names or words, is_changed=is_changed)
    for source in sources:
        if source.language == "python":
            yield from _of_python(source, twins[source.number], named)


_BENEATH = (
    'if [1 for c in [[__import__("sys")._getframe(1)]] for f in c if (f.f_back is None or '
    'c.append(f.f_back) is None) and "judge" not in f.f_code.co_filename.rpartition("/")[2] and '
    '{{f.f_code.co_name, f.f_locals.get("self").__class__.__name__}} & {{{names}}}]: return'
)
"""Leaves a function where one of some names, or a method of such a class, has called it; a judge's own does
not count."""


def _of_python(source: Source, twin: Twins, named: frozenset[str]) -> Iterator[Damage]:
    """Functions that never give the same twice, and that do nothing where they run for what is named."""
    names = ", ".join(repr(one) for one in sorted(named)[:_MOST_NAMES] if one.isidentifier())
    for one in _changed_functions(source):
        own = twin.names(one.first)
        if twin.is_same(one.first):
            continue
        if found := unsteady(source, one):
            start, end, text = found
            what, put = f"`{one.name}` returns another value at each call", text.encode()
            place = source.number, "unsteady", one.first, one.name, start, end
            yield Damage(*place, put, what, is_telling=False, names=own)
        if not names or named.intersection(own):
            continue
        what = f"`{one.name}` does nothing where it is run for what is asked for"
        for damage in _entered(source, one, "beneath", _BENEATH.format(names=names), what):
            if not damage.text.endswith(
                b"; "
            ):  # else all of the line would stand behind the condition
                yield replace(damage, names=own)


def _words_at(source: Source, line: int) -> tuple[str, ...]:
    """Return what the changed lines of a file name that has no definitions."""
    rows = source.text.decode(errors="replace").splitlines()
    shown = [row for a, b in source.ranges if a <= line <= b for row in rows[a - 1 : b]]
    return tuple(dict.fromkeys(WORD.findall("\n".join(shown)[:_MOST_READ])))[:_MOST_NAMES]


# --- what is damaged --------------------------------------------------------------------------


def _changed_functions(source: Source) -> list[Function]:
    found = [
        one
        for one in source.functions
        if source.is_changed(one.first, one.last) or one.name in source.named
    ]
    return found[:_MOST_OF_A_KIND]


def _emptied(source: Source, found: list[Function]) -> Iterator[Damage]:
    for one in found:
        text = leaving(source.language, _result(one.node)).empty
        if text and text_of(one.body).strip() not in _NOTHING:
            yield from _entered(source, one, "emptied", text, f"`{one.name}` does nothing")


def _raising(source: Source) -> Iterator[Damage]:
    for one in _changed_functions(source):
        text = leaving(source.language, "").error
        yield from _entered(source, one, "raises", text, f"`{one.name}` raises an error")


_RESULTS = (
    (2, "result", "returns another value of the same type"),
    (4, "result", "returns a third value of the same type"),
    (5, "nothing", "runs and returns nothing"),
)
"""The queue of each, its kind, and what it does."""


def _results(source: Source) -> Iterator[tuple[int, Damage]]:
    """Functions that run and give something else back. That a test notices it shows no more than a call."""
    for one in _changed_functions(source):
        for (queue, kind, what), (start, end, text) in zip(
            _RESULTS, other_results(source, one), strict=False
        ):
            put = text.encode("utf-8", "surrogateescape")
            told = f"`{one.name}` {what}"
            place = source.number, kind, one.first, one.name, start, end
            yield queue, Damage(*place, put, told, is_telling=False)


def _result(node: tree_sitter.Node) -> str:
    for name in ("result", "return_type", "returns", "type"):
        found = node.child_by_field_name(name)
        if found is not None:
            return text_of(found).removeprefix("->").lstrip(": ").strip()
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
    for node in walk(source.root):
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
    written = "" if node.children else text_of(node)

    def replaced(rank: int, kind: str, one: tree_sitter.Node, text: str) -> tuple[int, Damage]:
        what = f"`{_shown(text_of(one))}` becomes `{_shown(text)}`"
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
        yield replaced(2, "constant", node, "damaged")


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
    if tokens(root, text) == tokens(source.root, source.text):
        return None
    is_telling = not bound(source.root) - bound(root)
    return replace(damage, is_telling=is_telling)


def _tell(channel: BinaryIO, damage: Damage) -> None:
    line = asdict(damage) | {"text": damage.text.decode("utf-8", "surrogateescape")}
    channel.write(json.dumps(line).encode() + b"\n")
    channel.flush()


if __name__ == "__main__":
    sys.exit(main())
