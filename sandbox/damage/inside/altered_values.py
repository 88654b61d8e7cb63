"""Values of literals and of data that a change makes others: each as on base, by itself.

Of many in one file, of which tests look at some, all together are as on base.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import islice

import tree_sitter

from sandbox.damage.inside.data import Value, altered_data
from sandbox.damage.inside.entries import entries
from sandbox.damage.inside.for_people import is_for_people
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.source import Clock, Piece, Source, pieces, walk

MOST = 8
_MOST_ALONE = 4  # of a file; more are a table that is written anew
_MOST_NAMES = 20
_WORD = re.compile(r"\w[\w.-]{0,60}")
_FLAGS = frozenset(("true", "false", "none", "null", "undefined"))


def altered_values(sources: list[Source], clock: Clock) -> Iterator[Damage]:
    """Yield the values of base that head has others for; `names` are what names them and what they are."""
    found = (one for source in sources for one in _of_file(source, clock))
    yield from islice(found, MOST)


def _of_file(source: Source, clock: Clock) -> Iterator[Damage]:
    if not source.hunks or clock.is_over:
        return
    found = _of_code(source, clock) if source.root is not None else altered_data(source, clock)
    alone = len(found) <= _MOST_ALONE
    for one in found if alone else ():
        told = f"`{_shown(one.was)}` is still there instead of `{_shown(one.now)}`"
        yield _damage(source, [one], told + f", for `{shown(one.name)}`" * bool(one.name))
    if not alone:
        told = f"`{_shown(found[0].was)}` is still there instead of `{_shown(found[0].now)}`"
        yield _damage(source, found, f"{told}, with {len(found) - 1} other values as before")


def _of_code(source: Source, clock: Clock) -> list[Value]:
    """Return the values of a program; texts that people read are none of them."""
    was = clock.parse(source.before, source.language)
    if was is None or source.root is None:
        return []
    found = []
    for one in entries(source.language, was, source.root):
        written = [piece for side in (one.was, one.now) for piece in _pieces(side)]
        is_inside = source.symbol(one.now.start_point[0] + 1)
        is_prose = not is_inside and any(b" " in piece.text.strip() for piece in written)
        if not is_prose and not all(map(is_for_people, written)):
            found.append(Value.of(one))
    return found


def _pieces(node: tree_sitter.Node) -> list[Piece]:
    return [piece for one in walk(node) for piece in pieces(one)]


def _damage(source: Source, found: list[Value], told: str) -> Damage:
    """Put base's values in place of head's."""
    start, end, put, at = found[0].start, found[-1].end, b"", found[0].start
    words: dict[str, None] = {}
    for one in found:
        put += source.text[at : one.start] + one.was
        at = one.end
        written = (one.was + b" " + one.now).decode(errors="replace")
        values = (word for word in _WORD.findall(written) if word.lower() not in _FLAGS)
        words.update(dict.fromkeys(filter(None, (one.name, *values))))
    line = source.text.count(b"\n", 0, start) + 1
    edit = repr([(one.name, one.was, one.now) for one in found]).encode()
    return Damage(
        source.number,
        "altered",
        line,
        source.symbol(line),
        start,
        end,
        put,
        told,
        is_telling=False,
        names=tuple(words)[:_MOST_NAMES],
        edit=hashlib.sha256(edit).hexdigest()[:16],
    )


def _shown(value: bytes) -> str:
    return shown(value.decode(errors="replace"))
