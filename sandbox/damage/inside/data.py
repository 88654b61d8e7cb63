"""Values of data that a change makes others: of JSON, TOML, YAML, and of what is written like INI.

Each is found by the names around it: its section, and what it is indented below. Of queries, templates and
Dockerfiles it is what stands between what is the same in a row.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from sandbox.damage.inside import BY_ROWS
from sandbox.damage.inside.entries import Entry, entries, is_release
from sandbox.damage.inside.source import Clock, Source

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
    """Return the values that stand under the same names on base and are others there."""
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
