"""Reads what the browser's side told. Everything in it may come from a hostile page.

A record that is not as expected is left out; every text is cut; pictures are verified and counted.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from sandbox.browser.png import PictureError, verified
from sandbox.values import Side

MAX_PICTURES = 120
_MAX_RECORDS = 5000
_MAX_TEXT = 5000


@dataclass(frozen=True, slots=True)
class Shot:
    """A verified picture."""

    visit: str
    side: Side
    title: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Difference:
    """How two pictures of one title differ; `png` shows it, None where nothing does."""

    visit: str
    title: str
    changed: int
    pixels: int
    png: bytes | None


@dataclass(frozen=True, slots=True)
class Fault:
    """What was seen wrong (or, of a control, at all). The rules are named in `sandbox.browser.faults`."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class ActSeen:
    """One act of a script: `failure` is empty when it went well."""

    line: str
    failure: str
    tree: str


@dataclass(slots=True)
class VisitSeen:
    """One page or script on one side. `is_whole` once the visit came to its end."""

    is_whole: bool = False
    problem: str = ""
    broken: str = ""  # why nothing can be said about the page
    tree: str = ""
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    acts: list[ActSeen] = field(default_factory=list)


@dataclass(slots=True)
class Told:
    """All that one run told."""

    visits: dict[tuple[Side, str], VisitSeen] = field(default_factory=dict)
    shots: list[Shot] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    servers: dict[Side, str] = field(default_factory=dict)  # why a side was not served
    needs: str = ""
    starts: int = 0
    ended: bool = False

    def visit(self, side: Side, visit: str) -> VisitSeen:
        """The visit's record, made when there is none."""
        return self.visits.setdefault((side, visit), VisitSeen())


def read_records(channel: bytes) -> Told:
    """Read all records of one run."""
    told = Told()
    for record in _records(channel):
        _take(record, told)
    return told


class _Record:
    """One JSON object, read with suspicion."""

    def __init__(self, values: dict[object, object]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        value = self._values.get(name)
        return value[:_MAX_TEXT] if isinstance(value, str) else ""

    def count(self, name: str) -> int:
        value = self._values.get(name)
        return value if isinstance(value, int) and 0 <= value < 1 << 40 else 0

    def png(self) -> bytes | None:
        value = self._values.get("png")
        try:
            return (
                verified(base64.b64decode(value, validate=True)) if isinstance(value, str) else None
            )
        except (binascii.Error, ValueError, PictureError):
            return None

    @property
    def side(self) -> Side:
        return Side.BASE if self._values.get("side") == "base" else Side.HEAD


def _records(channel: bytes) -> Iterator[_Record]:
    for line in channel.split(b"\n")[:_MAX_RECORDS]:
        try:
            values = json.loads(line) if line else None
        except (ValueError, RecursionError):
            continue
        if isinstance(values, dict):
            yield _Record(values)


def _take(record: _Record, told: Told) -> None:
    kind, visit = record.text("kind"), record.text("visit")
    if kind == "picture":
        png = record.png() if len(told.shots) < MAX_PICTURES else None
        if png:
            told.shots.append(Shot(visit, record.side, record.text("title"), png))
    elif kind == "difference":
        counts = (record.count("changed"), record.count("pixels"))
        told.differences.append(Difference(visit, record.text("title"), *counts, record.png()))
    elif kind == "server":
        told.servers[record.side] = "\n".join((record.text("problem"), record.text("said"))).strip()
    elif kind == "needs":
        told.needs = record.text("problem")
    elif kind == "browser":
        told.starts += 1
    elif kind == "end":
        told.ended = True
    elif visit:
        _take_visit(kind, record, told.visit(record.side, visit))


def _take_visit(kind: str, record: _Record, seen: VisitSeen) -> None:
    if kind == "visit":
        seen.is_whole, seen.problem, seen.tree = True, record.text("problem"), record.text("tree")
    elif kind == "broken":
        seen.broken = record.text("problem")
    elif kind == "fault":
        seen.faults.append(Fault(record.text("rule"), record.text("message")))
    elif kind == "note":
        seen.notes.append(record.text("message"))
    elif kind == "act":
        seen.acts.append(ActSeen(record.text("line"), record.text("failure"), record.text("tree")))
