"""What a change makes of statements that stood in a function on base: each of these places as it was.

Whoever asks for the change, or a test of it, needs that. What only adds something, moves lines, or changes
comments, layout, imports and annotations is no such place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain, islice

import tree_sitter

from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Clock, Source, text_of, tokens, walk

_MOST = 12
_MOST_READ = 36  # places, of which not all are one
_MOST_LINES = 40  # a longer place is another way to do it all, which tests of it see
_MOST_PAIRS = 6  # lines in whose place there are as many
_LONGEST_HUNK = 400  # lines
_MOST_NAMES = 200  # of a place
_LEAST_NAMED = 3  # words and marks of an expression
_COPIED = ([b".", b"copy", b"(", b")"], [b"[", b":", b"]"])
"""Two ways to copy a list."""
_HELP = (b"help", b"description", b"epilog", b"usage", b"summary")
"""Names of texts that say how a program is used."""
_CONTENTS = ("string_content", "string_fragment")
_NUMBER = re.compile(rb"\d[\d_]*(?:\.\d+)?")
_OPERATORS = (
    {b"<", b"<=", b">", b">="},
    {b"+", b"-"},
    {b"*", b"/"},
    {b"and", b"or"},
    {b"&&", b"||"},
)
"""Of which one is easily taken for another."""
_Step = tuple[int, int, int, int]
"""The leaves of base that are gone, from and up to, and those that came."""


def altered(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield the places, each as on base.

    `names` are the function's and those that came or went, else those that stand in another order.
    """
    added: set[bytes] = set()
    for source in sources:
        lines = source.text.splitlines()
        for first, last in source.ranges:
            added.update(row.strip() for row in lines[first - 1 : last])
    places = chain.from_iterable(_places(one, added) for one in sources if one.root)
    found = (_as_on_base(*place, clock) for place in islice(places, _MOST_READ))
    known: set[tuple[int, int, int]] = (
        set()
    )  # a line alone and with those around it has the same number
    for one in chain.from_iterable(found):
        place = one.file, one.start, one.end
        if place in known:
            continue
        known.add(place)
        yield one
        if len(known) == _MOST:
            return


def _places(source: Source, added: set[bytes]) -> Iterator[tuple[Source, int, int, list[bytes]]]:
    """Yield what a change puts in place of lines of base: its first line and the one behind, and those."""
    lines = source.text.splitlines(keepends=True)
    for first, count, text in source.hunks:
        at, before = max(first, 1) - 1, text.splitlines(keepends=True)
        if max(count, len(before)) > _LONGEST_HUNK:
            continue
        matcher = SequenceMatcher(None, before, lines[at : at + count], autojunk=False)
        for kind, old, until, begin, end in matcher.get_opcodes():
            gone = [row.strip() for row in before[old:until] if row.strip()]
            is_moved = all(one in added for one in gone)
            if kind not in ("replace", "delete") or len(gone) > _MOST_LINES or is_moved:
                continue
            yield source, at + begin, at + end, before[old:until]
            if 1 < until - old == end - begin <= _MOST_PAIRS:  # line by line, too
                for n in range(until - old):
                    if before[old + n] != lines[at + begin + n]:
                        yield source, at + begin + n, at + begin + n + 1, [before[old + n]]


def _as_on_base(
    source: Source, first: int, end: int, before: list[bytes], clock: Clock
) -> Iterator[Damage]:
    """Yield the damage that puts lines back (they count from 0), and those that put back a part of one.

    There is none for what is no statement, where nothing that base has is gone, or base cannot be read.
    """
    end = max(source.end_of(first + 1, end), first)  # what follows a function is another thing
    symbol = source.symbol(first + 1, max(end, first + 1))
    if not symbol or source.is_new(first + 1) or clock.is_over:
        return
    rows, put = source.text.splitlines(keepends=True), b"".join(before)
    place = len(b"".join(rows[:first])), len(b"".join(rows[:end]))
    text = source.text[: place[0]] + put + source.text[place[1] :]
    root = clock.parse(text, source.language)
    if root is None or source.root is None:
        return
    was = tokens(root, text, with_types=False)
    left = iter(tokens(source.root, source.text, with_types=False))
    if all(one in left for one in was):  # what was there is there, in its order
        return
    here_was, here_is = _leaves(root, place[0], place[0] + len(put)), _leaves(source.root, *place)
    changed = _changed(here_was, here_is)
    if _is_said_otherwise(here_was, here_is, changed, source):
        return
    old, new = _names(here_was), _names(here_is)
    names = {*old} ^ {*new} or _moved(old, new)
    shown_line = next(row.decode(errors="replace").strip() for row in before if row.strip())
    told = f"`{shown(shown_line)}` is still there"
    here = source.number, "altered", first + 1, symbol, *place
    yield Damage(*here, put, told, is_telling=False, names=(symbol, *sorted(names)))
    for was_leaf, leaf in _mistakable(here_was, here_is, changed):
        line = leaf.start_point[0] + 1
        at = source.number, "altered", line, symbol, leaf.start_byte, leaf.end_byte
        gone, came = text_of(was_leaf), text_of(leaf)
        numbers = (gone, came) if _NUMBER.fullmatch(gone.encode()) else ()
        told = f"`{gone}` is still there instead of `{came}`"
        yield Damage(*at, gone.encode(), told, is_telling=False, names=(symbol, *numbers))


def _leaves(root: tree_sitter.Node, start: int, end: int) -> list[tree_sitter.Node]:
    """Return what is written between two places of a text, in its order."""
    return [one for one in walk(root) if not one.children and start <= one.start_byte < end]


def _names(leaves: list[tree_sitter.Node]) -> list[str]:
    return [text_of(one) for one in leaves if "identifier" in one.type]


def _changed(old: list[tree_sitter.Node], new: list[tree_sitter.Node]) -> list[_Step]:
    """Return what differs between two places; all of places that are too long to be compared."""
    if max(len(old), len(new)) > _MOST_NAMES:
        return [(0, len(old), 0, len(new))]
    was, now = ([one.text for one in leaves] for leaves in (old, new))
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [(a, b, c, d) for kind, a, b, c, d in steps if kind != "equal"]


def _is_said_otherwise(
    old: list[tree_sitter.Node],
    new: list[tree_sitter.Node],
    changed: list[_Step],
    source: Source,
) -> bool:
    """Tell whether all that is gone has another name or spelling, is a text of help, or can be no more.

    `a ** (b - 1)` is `a ** c`, behind `c = b - 1`; `a.copy()` is `a[:]`.
    """
    leaves = walk(source.root) if source.root else ()
    written = b" ".join(one.text or b"" for one in leaves if not one.children)
    for first, until, begin, end in changed:
        gone, came = (
            [one.text or b"" for one in leaves] for leaves in (old[first:until], new[begin:end])
        )
        is_help = _are_help(old, first, until) and _are_help(new, begin, end)
        is_dead = not came and _compares_with_nothing(old[first:until], source)
        if is_help or is_dead or (gone in _COPIED and came in _COPIED):
            continue
        if gone[:1] == [b"("] and gone[-1:] == [b")"]:
            gone = gone[1:-1]
        is_given = b" ".join((b"", *came, b"=", *gone, b""))
        if len(gone) < _LEAST_NAMED or len(came) != 1 or is_given not in written:
            return False
    return True


def _compares_with_nothing(gone: list[tree_sitter.Node], source: Source) -> bool:
    """Tell whether something is compared with a text that base gives to something, and that head has nowhere.

    Where it was given was changed, too: tests have to notice that.
    """
    texts = [one.text or b"" for one in gone if one.type in _CONTENTS]
    if len(texts) != 1 or not any(one.text in (b"==", b"===") for one in gone):
        return False
    quoted = rb"[\"'`]" + re.escape(texts[0]) + rb"[\"'`]"
    is_given = re.search(rb"(?<![=!<>])[:=]\s{0,9}" + quoted, source.before)
    return is_given is not None and re.search(quoted, source.text) is None


def _are_help(leaves: list[tree_sitter.Node], begin: int, end: int) -> bool:
    """Tell whether these are parts of texts that stand behind a name such as `help`."""
    if not all(one.type.startswith("string") or one.type in "'\"" for one in leaves[begin:end]):
        return False
    before = [one for one in leaves[:begin] if not one.type.startswith("string")]
    words = [(one.text or b"").strip(b"'\"") for one in before if one.type not in "'\""][-2:]
    return len(words) == 2 and words[0] in _HELP and words[1] in (b"=", b":")


def _mistakable(
    old: list[tree_sitter.Node], new: list[tree_sitter.Node], changed: list[_Step]
) -> Iterator[tuple[tree_sitter.Node, tree_sitter.Node]]:
    """Yield the numbers and operators that became others, where more of their line is changed."""
    on_line = Counter(leaf.start_point[0] for *_, begin, end in changed for leaf in new[begin:end])
    for first, until, begin, end in changed:
        if until - first != 1 or begin == end:
            continue
        gone = old[first].text or b""
        for at in sorted({begin, end - 1}):
            came = new[at].text or b""
            is_number = _NUMBER.fullmatch(gone) and _NUMBER.fullmatch(came)
            is_other = is_number or any(gone in one and came in one for one in _OPERATORS)
            if is_other and on_line[new[at].start_point[0]] > 1:
                yield old[first], new[at]


def _moved(old: list[str], new: list[str]) -> set[str]:
    """Return the names that stand in another order: `a or b` is `b or a` now."""
    steps = SequenceMatcher(
        None, old[:_MOST_NAMES], new[:_MOST_NAMES], autojunk=False
    ).get_opcodes()
    apart = (old[a:b] + new[c:d] for kind, a, b, c, d in steps if kind != "equal")
    return set(chain.from_iterable(apart))
