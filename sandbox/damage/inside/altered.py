"""What a change makes of statements that stood in a function on base: each of these places as it was.

Whoever asks for the change, or a test of it, needs that. Where a place is changed in several ways, each of
them is taken back alone, too. What only moves lines, adds statements, arguments and entries, or changes
comments, layout, imports and annotations is no such place, nor what does the same, as its statements say
(`same_steps`). Outside of functions only patterns are, and arguments that are gone. Values of literals and of
data are taken back one by one, wherever they stand. What is only added to the statements of a function is
`extended`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import chain, islice

import tree_sitter

from sandbox.damage.inside.altered_values import altered_values
from sandbox.damage.inside.dropped import dropped_arguments, dropped_promises
from sandbox.damage.inside.languages import FUNCTIONS, TEXT
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.needed import other_names, with_arguments, with_needed
from sandbox.damage.inside.other_words import (
    is_said_otherwise,
    only_refuses,
    own_names,
    without_refused,
)
from sandbox.damage.inside.parts import GIVEN, Place, Step, counts, parts, steps
from sandbox.damage.inside.same_steps import SidesOfFile
from sandbox.damage.inside.source import (
    Clock,
    LineEdit,
    Source,
    name_of,
    part,
    text_of,
    tokens,
    walk,
)
from sandbox.damage.inside.unread import is_overwritten

_MOST = 16
_MOST_TOGETHER = 4  # functions of which all places are tried at once, too
_MOST_READ = 36  # places, of which not all are one
_MOST_LINES = 40  # a longer place is another way to do it all, which tests of it see
_MOST_PAIRS = 6  # lines that are tried one by one, too
_ALIKE = 0.6  # as much of two lines is the same where one became the other
_LONGEST_LINE = 200  # that is compared so
_MOST_NAMES = 200  # of a place
_CLOSING = re.compile(rb"[\])};,]*")
"""A line that only closes what others open: where it is right, there is one way to write it."""
_NAME = re.compile(rb"[A-Za-z_]\w*")
_DECLARING = re.compile(rb"(?:var|let|const)\s+(?=[\w$]+\s*=)")
_GIVES = re.compile(rb"(?:(?:var|let|const)\s+)?([\w$.]+)\s*=(?!=)")


def altered(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield the places, each as on base, and their parts.

    `names` are the function's and those that came or went, else such words of texts, else those that stand
    in another order; a function that the file has on both sides is none of them, but where all places of a
    function are one. What is done alike in several places is no part of one.
    """
    added = _Added.of(sources)
    edited = {one.number: [*one.line_edits()] for one in sources if one.root}
    read = (_places(one, edited[one.number], added) for one in sources if one.root)
    places = [*chain.from_iterable(read)]
    places.sort(key=lambda place: not b"".join(place[3]).strip())  # what is only added comes last
    found: dict[tuple[int, int, int], tuple[Damage, bool]] = {}
    whole: dict[tuple[int, str], list[Damage]] = {}
    of_number = {source.number: source for source in sources}
    both = {o.number: SidesOfFile(o.before, o.text) for o in sources if o.language == "python"}
    for place in islice(places, _MOST_READ):
        for as_on_base, is_part in _as_on_base(*place, clock):
            if not is_part and _does_the_same(as_on_base, place[0], both, clock):
                break
            one = as_on_base
            if not is_part:
                one = with_needed(one, place[0], edited[one.file])
            # A line alone and with those around it has the same number.
            found.setdefault((one.file, one.start, one.end), (one, is_part))
            if not is_part and one.kind == "altered":
                whole.setdefault((one.file, one.symbol), []).append(as_on_base)
    merged = (_together(o, of_number[number], edited[number]) for (number, _), o in whole.items())
    together = [*islice(filter(None, merged), _MOST_TOGETHER)]
    together = [o for o in together if not _does_the_same(o, of_number[o.file], both, clock)]
    for source in sources:
        given = dropped_arguments(source, edited.get(source.number, []), clock)
        for one in chain(dropped_promises(source, clock), given):
            found.setdefault((one.file, one.start, one.end), (one, True))
    texts = {source.number: source.text for source in sources}
    kept = {source.number: _functions(source) for source in sources}
    edits = [(one.text, texts[one.file][one.start : one.end]) for one, _ in found.values()]
    alike = Counter(edits)
    chosen = [
        one
        for (one, is_part), edit in zip(found.values(), edits, strict=True)
        if not is_part or alike[edit] == 1
    ]
    # Where all that is added is a part, too, that is asked about.
    chosen.sort(key=lambda one: one.kind == "extended")
    values = list(altered_values(sources, clock))
    yield from together
    results = {_result(one, texts[one.file]) for one in together}
    written = {source.number: set[bytes]() for source in sources}
    for one in islice(chosen, max(_MOST - len(values) - len(together), 0)):
        file, text = _result(one, texts[one.file])
        if one.kind == "extended" and b"".join(text.split()) in written[file]:
            continue
        results.add((file, text))
        written[file].add(b"".join(text.split()))
        names = (name for name in one.names if name == one.symbol or name not in kept[one.file])
        yield replace(one, names=tuple(names))
    yield from (one for one in values if _result(one, texts[one.file]) not in results)


@dataclass(frozen=True, slots=True)
class _Added:
    """The lines that a change adds, each with the functions in which it does; of some head has `more`."""

    lines: dict[bytes, set[str]] = field(default_factory=dict)
    more: set[bytes] = field(default_factory=set)

    @classmethod
    def of(cls, sources: list[Source]) -> _Added:
        """Read the lines that are in the ranges of the change."""
        added = cls()
        for source in sources:
            lines = source.text.splitlines()
            now, was = (
                Counter(row.strip() for row in text.splitlines())
                for text in (source.text, source.before)
            )
            added.more.update(now - was)
            for first, last in source.ranges:
                for number, row in enumerate(lines[first - 1 : last], start=first):
                    added.lines.setdefault(row.strip(), set()).add(source.symbol(number))
        return added

    def have_all(self, gone: list[bytes], instead: list[bytes], above: list[bytes]) -> bool:
        """Tell whether all lines that are gone only moved, and are not in what stands `instead` of them.

        `above` are head's lines up to there: what one of these gives a name, a line put back decides again.

        Where others moved, one that declared a name may assign it now: the name is declared before.
        """
        left = [at for at in range(len(gone)) if not self.have(gone, at, above)]
        moved = [one for one in gone if one in self.lines and not _CLOSING.fullmatch(one)]
        assigned = [_DECLARING.sub(b"", gone[at], count=1) for at in left]
        return all(
            moved and _DECLARING.match(gone[at]) and one in self.lines and one not in instead
            for at, one in zip(left, assigned, strict=True)
        )

    def have(self, gone: list[bytes], at: int, above: list[bytes]) -> bool:
        """Tell whether a line that is gone only moved.

        A guard also moves into the function that is called behind it, where what is asked has another name.
        """
        line = gone[at]
        if line in self.lines or _CLOSING.fullmatch(line):
            return not (line in above and self._is_one_of_two(line))
        if not line.startswith(b"if"):
            return False
        called = set(re.findall(rb"(\w+)\(", b" ".join(gone[at + 1 :])))
        return any(
            called & {one.encode() for one in functions} and _differ_in_a_name(line, other)
            for other, functions in self.lines.items()
            if other.startswith(b"if")
        )

    def _is_one_of_two(self, line: bytes) -> bool:
        """Tell whether what a line gives a name is now one of two values, the other of which is new."""
        given, places = _GIVES.match(line), self.lines.get(line, set())
        others = (one for one in self.more & {*self.lines} - {line} if places & self.lines[one])
        return given is not None and any(
            (other := _GIVES.match(one)) is not None and other[1] == given[1] for one in others
        )


def _differ_in_a_name(one: bytes, other: bytes) -> bool:
    """Tell whether two lines are the same but for one name, wherever it stands in them."""
    pairs = other_names(one, other)
    if pairs is None or len(pairs) != 1:
        return False
    kept = {*_NAME.findall(one)} & {*_NAME.findall(other)}
    return not kept.intersection(*pairs)


def _result(one: Damage, text: bytes) -> tuple[int, bytes]:
    """Return a file and what its text is with a damage."""
    return one.file, text[: one.start] + one.text + text[one.end :]


def _does_the_same(one: Damage, source: Source, both: dict[int, SidesOfFile], clock: Clock) -> bool:
    """Tell whether a place of Python as on base does what it does on head."""
    known = both.get(source.number)
    return known is not None and not clock.is_over and known.are_same(_result(one, source.text)[1])


def _functions(source: Source) -> set[str]:
    """Return the names of the functions that a file has on both sides."""
    nodes = walk(source.root) if source.root is not None else ()
    names = {name_of(node) for node in nodes if node.type in FUNCTIONS}
    words = set(re.findall(r"\w+", source.before.decode(errors="replace")))
    return names & words


def _places(
    source: Source, edits: list[LineEdit], added: _Added
) -> Iterator[tuple[Source, int, int, list[bytes]]]:
    """Yield what a change puts in place of lines of base: its first line and the one behind, and those."""
    rows = [row.strip() for row in source.text.splitlines()]
    for edit in edits:
        gone, came = ([row.strip() for row in side] for side in (edit.gone, edit.came))
        gone = [*filter(None, gone)]
        is_moved = bool(gone) and added.have_all(gone, came, rows[: edit.end])
        if len(gone) > _MOST_LINES or is_moved:
            continue
        yield source, edit.first, edit.end, edit.gone
        if 1 < len(edit.gone) == len(edit.came) <= _MOST_PAIRS:  # line by line, too
            for at, (old, new) in enumerate(zip(edit.gone, edit.came, strict=True), edit.first):
                if old != new and not _CLOSING.fullmatch(old.strip()):
                    yield source, at, at + 1, [old]
        elif 1 < min(len(edit.gone), len(edit.came)) <= _MOST_PAIRS and _are_alike(edit):
            yield source, edit.first, edit.end - 1, edit.gone[:-1]
            yield source, edit.end - 1, edit.end, edit.gone[-1:]


def _are_alike(edit: LineEdit) -> bool:
    """Tell whether the last line of several became the last of those in their place."""
    old, new = edit.gone[-1].strip(), edit.came[-1].strip()
    if _CLOSING.fullmatch(old) or max(len(old), len(new)) > _LONGEST_LINE:
        return False
    return SequenceMatcher(None, old, new, autojunk=False).ratio() >= _ALIKE


def _as_on_base(
    source: Source, first: int, end: int, before: list[bytes], clock: Clock
) -> Iterator[tuple[Damage, bool]]:
    """Yield the damage that puts lines back (they count from 0), and, as True, those of their parts.

    There is none for what is no statement, or where base cannot be read.
    """
    end = max(source.end_of(first + 1, end), first)  # what follows a function is another thing
    rows = source.text.splitlines(keepends=True)
    start, stop = len(b"".join(rows[:first])), len(b"".join(rows[:end]))
    if source.root is None or source.is_new(first + 1) or clock.is_over:
        return
    put = with_arguments(b"".join(before), source, start, stop, clock)
    function = source.symbol(first + 1, max(end, first + 1))
    if end == first and not function and source.language == "python":
        function = source.symbol_ended_by(first, put)
    symbol = function or _pattern(source.root, start, stop)
    text = source.text[:start] + put + source.text[stop:]
    root = clock.parse(text, source.language) if symbol else None
    if root is None:
        return
    whole = Place.of(text, root, start, start + len(put))
    was = without_refused(whole, source)
    now = Place.of(source.text, source.root, start, stop)
    changed = steps(was.pieces, now.pieces)
    same = [one for one in changed if is_said_otherwise(one, source, clock)]
    only_refused = len(was.pieces) < len(whole.pieces) and all(map(only_refuses, changed))
    if len(same) == len(changed) or only_refused or is_overwritten(root, was.pieces):
        return
    left = iter(tokens(source.root, start, stop, with_types=False))
    own = own_names(now)
    here = source.number, "altered", first + 1, symbol, start, stop
    # Else what was there is there, in its order.
    if not all(one in left for one in tokens(root, start, start + len(put), with_types=False)):
        old, new = _names(was), _names(now)
        names = sorted({*old} ^ {*new} or _words_of_texts(changed) or _moved(old, new))
        told = f"`{_first_row(was, start)}` is still there"
        edit = _edit(changed)
        named = symbol, *names
        place = Damage(*here, put, told, is_telling=False, names=named, parameters=own, edit=edit)
        yield place, False
    elif function:
        came = [one for step in changed if step not in same for one in step.came]
        if any(map(counts, came)):
            told = _added(changed, was, now, start)
            names = sorted({text_of(one.node) for one in came if "identifier" in one.type})
            here = source.number, "extended", first + 1, symbol, start, stop
            named, edit = (symbol, *names), _edit(changed)
            place = Damage(
                *here, put, told, is_telling=False, names=named, parameters=own, edit=edit
            )
            yield place, False
    for one in parts(changed, was, now, _hunk(source, first, rows)):
        if not any(other.at <= one.start <= other.end for other in same):
            here = source.number, "altered", one.line, symbol, one.start, one.end
            named = one.names if function else (symbol, *one.names)
            edit = one.edit and f"{symbol} {one.edit}"
            yield Damage(*here, one.put, one.what, is_telling=False, names=named, edit=edit), True


def _first_row(place: Place, start: int) -> str:
    """Return the first line that is code; a comment tells of nothing that tests could see."""
    at = place.pieces[0].start if place.pieces else start
    row = place.text[place.text.rfind(b"\n", 0, at) + 1 :].lstrip().partition(b"\n")[0]
    return shown(row.decode(errors="replace").strip())


def _added(changed: Sequence[Step], was: Place, now: Place, start: int) -> str:
    """Say what is not there where only something was added, in one place or around what there was."""
    if len(changed) > 1 or not changed[0].came:
        return f"`{_first_row(was, start)}` is still there"
    came = now.text[changed[0].at : changed[0].end].decode(errors="replace")
    return f"`{shown(came)}` is missing"


def _together(several: list[Damage], source: Source, edits: list[LineEdit]) -> Damage | None:
    """Return the places of a function, all as on base, as one may need another; None for one alone."""
    apart: list[Damage] = []
    for one in sorted(several, key=lambda o: (o.start, -o.end)):
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    first = apart[0]
    if len(apart) < 2 or not first.symbol:
        return None
    text, at = b"", first.start
    for one in apart:
        text += source.text[at : one.start] + one.text
        at = one.end
    told = f"`{first.symbol}` is as on base in {len(apart)} places"
    names, own = (
        tuple(dict.fromkeys(chain.from_iterable(of_each)))
        for of_each in ([one.names for one in apart], [one.parameters for one in apart])
    )
    edit = hashlib.sha256(text).hexdigest()[:16]
    whole = replace(first, end=at, text=text, what=told, names=names, parameters=own, edit=edit)
    return with_needed(whole, source, edits)


def _hunk(source: Source, line: int, rows: list[bytes]) -> tuple[bytes, bytes]:
    """Return the texts on base and on head of the hunk that a line (from 0) of head stands in."""
    for first, count, before in source.hunks:
        at = max(first, 1) - 1
        if at <= line <= at + count:
            return before, b"".join(rows[at : at + count])
    return b"", b""


def _pattern(root: tree_sitter.Node, start: int, end: int) -> str:
    """Return the name that a pattern between two bytes has outside of functions; "" where there is none."""
    around = root.descendant_for_byte_range(start, max(end - 1, start))
    found = walk(around) if around is not None else ()
    node = next((one for one in found if _is_pattern(one) and start <= one.start_byte < end), None)
    while node is not None and node.type not in GIVEN:
        node = node.parent
    named = part(node, "left", "name", "property")
    return text_of(named)[:80] if named is not None else ""


def _is_pattern(node: tree_sitter.Node) -> bool:
    return node.type == "regex" or (
        node.type == "string_start" and b"r" in (node.text or b"").lower()
    )


def _names(place: Place) -> list[str]:
    return [text_of(one.node) for one in place.pieces if "identifier" in one.type]


def _edit(changed: Sequence[Step]) -> str:
    """Return what is the same for two places in which the same words are gone, and have come."""
    words = [_words(step) for step in changed]
    return hashlib.sha256(repr(words).encode()).hexdigest()[:16]


def _words(step: Step) -> list[list[bytes]]:
    """Return the words that are gone and that came; where `{a: b}` is `{a}` now, `a` came for `b`."""
    gone, came = ([one.text for one in side] for side in (step.gone, step.came))
    pair = step.gone[0].node.parent if step.gone else None
    key = part(pair, "key") if pair is not None and pair.type == "pair" else None
    if key is not None and not came and gone[0] == b":":
        return [gone[1:], [key.text or b""]]
    return [gone, came]


def _words_of_texts(changed: Sequence[Step]) -> set[str]:
    """Return the words that came into texts, or are gone from them."""
    sides = ([o for step in changed for o in step.gone], [o for step in changed for o in step.came])
    gone, came = (b" ".join(one.text for one in side if TEXT.search(one.type)) for side in sides)
    return {one.decode() for one in {*_NAME.findall(gone)} ^ {*_NAME.findall(came)}}


def _moved(old: list[str], new: list[str]) -> set[str]:
    """Return the names that stand in another order: `a or b` is `b or a` now."""
    found = SequenceMatcher(None, old[:_MOST_NAMES], new[:_MOST_NAMES], autojunk=False)
    apart = (old[a:b] + new[c:d] for kind, a, b, c, d in found.get_opcodes() if kind != "equal")
    return set(chain.from_iterable(apart))
