"""Values of literals and of data that a change makes others: each as on base, by itself.

Of many in one file, of which tests look at some, all together are as on base.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from sandbox.damage.inside import BY_ROWS
from sandbox.damage.inside.entries import Entry, entries, is_release
from sandbox.damage.inside.make import Damage, shown
from sandbox.damage.inside.parts import is_for_people
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
        value = Value.of(one)
        is_own = value.was == value.now.replace(b"node:", b"", 1)  # a module of Node's own
        if is_own and source.text[: value.start].endswith((b"require(", b"import(")):
            continue
        if not is_prose and not all(map(is_for_people, written)):
            found.append(value)
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


# --- of data: JSON, TOML, YAML, what is written like INI, and other files by their rows -------


_JSON = (".json", ".jsonc", ".json5", ".webmanifest")
_BY_LINES = (".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".properties", ".env")
_MOST_ROWS = 12  # that are others; more are written anew
_MOST_LINES = 5_000
_LONGEST_LINE = 300
_SECTION = re.compile(rb"[ \t]{0,40}\[{1,2}([^\[\]\n]{1,80})\]{1,2}[ \t]{0,40}\Z")
_NAMED = re.compile(
    rb"(?P<indent>[ \t]{0,80}(?:-[ \t]{1,8})?)(?P<name>\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[\w.-]{1,80})"
    rb"[ \t]{0,40}[:=](?:[ \t]{1,40}|(?=[^ \t]))?(?P<value>[^\n]*)\Z"
)
_COMMENT = re.compile(rb"(?<![ \t])[ \t]{1,40}[#;][^\n]*")
_OPEN = (b"{", b"[", b"|", b">", b"&", b"*", b"!")
_REMARKS = {
    ".sql": re.compile(rb"(?:--|/\*)[^\n]*\Z"),
    ".dockerfile": re.compile(rb"#[^\n]*\Z"),
}
_REMARK = re.compile(rb"(?:<!--|\{#|\{\{!|<%#)[^\n]*\Z")  # of a template
"""Rows that say nothing to the program."""
_PIECE = re.compile(rb"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Value:
    """A value of head between two bytes, what base has there, and its name."""

    name: str
    start: int
    end: int
    was: bytes
    now: bytes

    @classmethod
    def of(cls, one: Entry, shift: int = 0) -> Value:
        """Read both nodes; those of a text in parentheses are shifted."""
        start, end = one.now.start_byte + shift, one.now.end_byte + shift
        return cls(one.name, start, end, one.was.text or b"", one.now.text or b"")


def altered_data(source: Source, clock: Clock) -> list[Value]:
    """Return the values that stand under the same names on base and are others there.

    These are the names around each: its section, and what it is indented below. Of queries, templates and
    Dockerfiles a value is what stands between what is the same in a row.
    """
    if source.suffix in _JSON:
        texts = (b"(" + one.strip() + b")" for one in (source.before, source.text))
        was, now = (clock.parse(one, "javascript") for one in texts)
        shift = len(source.text) - len(source.text.lstrip()) - 1
        found = entries("javascript", was, now) if was and now else []
        return [Value.of(one, shift) for one in found]
    if source.suffix in _BY_LINES:
        return list(_by_lines(source))
    return list(_rows(source)) if source.suffix in BY_ROWS else []


def _rows(source: Source) -> Iterator[Value]:
    """Yield the rows of base that are gone or others; what only moved, or is a remark, is none."""
    was, now = (text.splitlines(keepends=True) for text in (source.before, source.text))
    if max(len(was), len(now)) > _MOST_LINES:
        return
    starts = [0]
    for row in now:
        starts.append(starts[-1] + len(row))
    kept = {_bare(row, source.suffix) for row in now}
    for kind, a, b, c, d in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        gone = [row for row in was[a:b] if _bare(row, source.suffix) not in kept]
        if kind in ("equal", "insert") or not gone or len(gone) > _MOST_ROWS:
            continue
        if b - a == d - c:
            for n in range(b - a):
                if was[a + n] in gone:
                    yield _within(was[a + n], now[c + n], starts[c + n])
        else:
            yield Value("", starts[c], starts[d], b"".join(was[a:b]), b"".join(now[c:d]))


def _bare(row: bytes, suffix: str) -> bytes:
    """Return a row without its layout; nothing of a remark."""
    text = b"".join(row.split())
    return b"" if _REMARKS.get(suffix, _REMARK).match(text) else text


def _within(was: bytes, now: bytes, start: int) -> Value:
    """Leave out what both rows begin and end with."""
    old, new = _PIECE.findall(was), _PIECE.findall(now)
    least = min(len(old), len(new))
    same = next((n for n in range(least) if old[n] != new[n]), least)
    end = next((n for n in range(least - same) if old[-1 - n] != new[-1 - n]), least - same)
    gone, came = (b"".join(side[same : len(side) - end]) for side in (old, new))
    name = old[0].decode(errors="replace") if same and old[0].isalpha() else ""
    at = start + len(b"".join(new[:same]))
    return Value(name, at, at + len(came), gone, came)


def _by_lines(source: Source) -> Iterator[Value]:
    was, now = (list(_named(text)) for text in (source.before, source.text))
    old, new = (Counter(path for path, *_ in side) for side in (was, now))
    known = {path: value for path, _, value in was if old[path] == new[path] == 1}
    for path, start, value in now:
        before = known.get(path, value)
        is_other = before.strip(b"'\"") != value.strip(b"'\"")
        name = path[-1].decode(errors="replace").strip("'\"")
        if is_other and not is_release(name, before, value):
            yield Value(name, start, start + len(value), before, value)


def _named(text: bytes) -> Iterator[tuple[tuple[bytes, ...], int, bytes]]:
    """Yield the names around each value, where it begins, and what it is."""
    section, around, at = b"", list[tuple[int, bytes]](), 0
    for line in text.splitlines(keepends=True)[:_MOST_LINES]:
        row = line.rstrip(b"\r\n")
        found = _NAMED.match(row) if len(row) <= _LONGEST_LINE else None
        if heading := _SECTION.match(row) if not found else None:
            section, around = heading[1], []
        elif found:
            indent = len(found["indent"])
            around = [one for one in around if one[0] < indent]
            path = (section, *(name for _, name in around), found["name"])
            around.append((indent, found["name"]))
            value = _COMMENT.sub(b"", found["value"]).rstrip()
            if value and not value.startswith(_OPEN):
                yield path, at + found.start("value"), value
        at += len(line)
