"""Values of literals and of data that a change makes others: each as on base, by itself.

Of many in one file, of which tests look at some, all together are as on base.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import islice

from sandbox.damage.inside.data import Value, altered_data
from sandbox.damage.inside.entries import entries
from sandbox.damage.inside.for_people import is_for_people
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Clock, Source, pieces, walk

MOST = 8
_MOST_ALONE = 4  # of a file; more are a table that is written anew
_MOST_NAMES = 20
_MOST_OTHERS = 2  # of a file
_NUMBER = re.compile(rb"(-?\d{1,15})(?:\.\d{1,15})?")
_TEXT = re.compile(rb"([\"']?)\w[^\"'\\\n]{0,200}\1")
_WORD = re.compile(r"\w[\w.-]{0,60}")
_SAYS_NOTHING = frozenset((
    *("", "true", "false", "none", "null", "undefined"),
    *("and", "or", "not", "where", "from", "select", "in", "is", "as", "on", "by", "for", "with", "div"),
))  # fmt: skip
"""Words that say nothing of a value: whoever writes one has not spoken of it."""


def altered_values(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield the values of base that head has others for; `names` are what names them and what they are."""
    found = (one for source in sources for one in _of_file(source, clock))
    yield from islice(found, MOST)


def other_data(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield the values of data that head has others for than base, each with another one still.

    Who notices that they are as on base may only see that they are others than there.
    """
    for source in sources:
        found = altered_data(source, clock) if source.root is None and source.hunks else []
        for one in found[:_MOST_OTHERS]:
            line = source.text.count(b"\n", 0, one.start) + 1
            for put in _others(one.now):
                told = f"`{_shown(one.now)}` becomes `{_shown(put)}`"
                place = source.number, "constant", line, source.symbol(line), one.start, one.end
                yield Damage(*place, put, told)


def _others(value: bytes) -> Iterator[bytes]:
    """Yield a number above and one below, the other flag, or another text."""
    if number := _NUMBER.fullmatch(value):
        whole, more = int(number[1]), value[len(number[1]) :]
        yield from (str(one).encode() + more for one in (whole + 1, whole - 1))
    elif value in (b"true", b"false"):
        yield b"false" if value == b"true" else b"true"
    elif text := _TEXT.fullmatch(value):
        yield text[1] + b"damaged" + text[1]


def _of_file(source: Source, clock: Clock) -> Iterator[Damage]:
    if not source.hunks or clock.is_over:
        return
    found = _of_code(source, clock) if source.root is not None else altered_data(source, clock)
    alone = len(found) <= _MOST_ALONE
    for one in found if alone else ():
        named = f", for `{shown(one.name)}`" * bool(
            one.name and one.was.strip() and one.now.strip()
        )
        yield _damage(source, [one], _told(one) + named)
    if not alone:
        yield _damage(
            source, found, f"{_told(found[0])}, with {len(found) - 1} other values as before"
        )


def _told(one: Value) -> str:
    was, now = _shown(one.was), _shown(one.now)
    if not was:
        return f"`{now}` is missing"
    return f"`{was}` is still there" + f" instead of `{now}`" * bool(now)


def _of_code(source: Source, clock: Clock) -> list[Value]:
    """Return the values of a program; texts that people read are none of them."""
    was = clock.parse(source.before, source.language)
    if was is None or source.root is None:
        return []
    found = []
    for one in entries(source.language, was, source.root):
        both = (node for side in (one.was, one.now) for node in walk(side))
        written = [piece for node in both for piece in pieces(node)]
        is_inside = source.symbol(one.now.start_point[0] + 1)
        is_prose = not is_inside and any(b" " in piece.text.strip() for piece in written)
        if not is_prose and not all(map(is_for_people, written)):
            found.append(Value.of(one))
    return found


def _damage(source: Source, found: list[Value], told: str) -> Damage:
    """Put base's values in place of head's."""
    start, end, put, at = found[0].start, found[-1].end, b"", found[0].start
    words: dict[str, None] = {}
    for one in found:
        put += source.text[at : one.start] + one.was
        at = one.end
        both = [_WORD.findall(side.decode(errors="replace")) for side in (one.was, one.now)]
        is_list = one.was[:1] in (b"(", b"[", b"{")  # of one its entries that are gone
        others = {*both[0]} ^ {*both[1]} if is_list else ()
        named = (
            one.name,
            *(word for side in both for word in side if word in others or not others),
        )
        words.update(dict.fromkeys(word for word in named if word.lower() not in _SAYS_NOTHING))
    line = source.text.count(b"\n", 0, start) + 1
    edit = repr([(one.name, one.was, one.now) for one in found]).encode()
    place = source.number, "altered", line, source.symbol(line), start, end
    same, names = hashlib.sha256(edit).hexdigest()[:16], tuple(words)[:_MOST_NAMES]
    return Damage(*place, put, told, is_telling=False, names=names, edit=same)


def _shown(value: bytes) -> str:
    return shown(value.decode(errors="replace"))
