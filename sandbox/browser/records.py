"""Reads what the browser's side told. Everything in it may come from a hostile page.

A record that is not as expected is left out; every text is cut; pictures are verified and counted.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from dataclasses import dataclass, field

from sandbox.streams import json_values
from sandbox.values import Side

NOT_LOADED = "not-loaded"
NOT_RESPONDING = "not-responding"
"""Its scripts never let go, in two browsers, while an empty page was there at once."""
QUICK = "quick"
"""It was there in less than a third of the time that a page has."""
CONSOLE_ERROR = "console-error"
FAILED_REQUEST = "failed-request"
COVERED_CONTROL = "covered-control"
AXE = "axe"
NEEDS_NETWORK = "needs-network"
NOT_SETTLED = "not-settled"
NOT_EXAMINED = "not-examined"
HAS_EFFECT = "has-effect"
NO_EFFECT = "no-effect"
FAILED_ACT = "failed-act"
RULES = frozenset(
    {
        NOT_LOADED, NOT_RESPONDING, QUICK, CONSOLE_ERROR, FAILED_REQUEST, COVERED_CONTROL, AXE, NEEDS_NETWORK,
        NOT_SETTLED, NOT_EXAMINED, HAS_EFFECT, NO_EFFECT, FAILED_ACT,
    }
)  # fmt: skip


MAX_BYTES = 4_000_000
MAX_WIDTH, MAX_HEIGHT = 2000, 6000
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {2: 3, 6: 4}  # colour type → bytes a pixel at 8 bits
_FILTERS = frozenset(range(5))


class PictureError(ValueError):
    """Why some bytes are no picture that can be kept."""


@dataclass(frozen=True, slots=True)
class _Header:
    width: int
    height: int
    colour: int
    raw: bytes

    @property
    def line_bytes(self) -> int:
        return 1 + self.width * _CHANNELS[self.colour]


def verified(content: bytes) -> bytes:
    """Return the same picture with nothing but its header and pixels. Raises PictureError."""
    if len(content) > MAX_BYTES or not content.startswith(_SIGNATURE):
        raise PictureError("it is no PNG, or too large")
    header: _Header | None = None
    packed = []
    for kind, body in _chunks(content):
        if kind == b"IHDR" and header is None:
            if len(body) != 13:
                raise PictureError("its header is broken")
            width, height, depth, colour, compression, filtering, interlace = struct.unpack(
                ">IIBBBBB", body
            )
            if not (0 < width <= MAX_WIDTH and 0 < height <= MAX_HEIGHT):
                raise PictureError(f"it is larger than {MAX_WIDTH} by {MAX_HEIGHT} pixels")
            if depth != 8 or colour not in _CHANNELS or compression or filtering or interlace:
                raise PictureError("it is not plain 8-bit colour")
            header = _Header(width, height, colour, body)
        elif kind == b"IDAT" and header is not None:
            packed.append(body)
        elif kind == b"IEND":
            break
        elif kind[0] < ord("a"):
            raise PictureError("it has a part that is not allowed")
    if header is None:
        raise PictureError("it has no header")
    # Exactly as many bytes are unpacked as the header promises.
    wanted = header.line_bytes * header.height
    try:
        pixels = zlib.decompressobj().decompress(b"".join(packed), wanted + 1)
    except zlib.error as error:
        raise PictureError("its pixels cannot be unpacked") from error
    if len(pixels) != wanted or not set(pixels[:: header.line_bytes]) <= _FILTERS:
        raise PictureError("its pixels are not as many as its header says")
    parts = ((b"IHDR", header.raw), (b"IDAT", zlib.compress(pixels, 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def _chunks(content: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], len(_SIGNATURE)
    while at + 12 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        body = content[at + 8 : at + 8 + length]
        checksum = content[at + 8 + length : at + 12 + length]
        if len(body) != length or checksum != struct.pack(">I", zlib.crc32(kind + body)):
            raise PictureError("a part of it is broken")
        found.append((kind, body))
        at += 12 + length
    return found


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
class PictureDifference:
    """How two pictures of one title differ; `png` shows it, None where nothing does."""

    visit: str
    title: str
    changed: int
    pixels: int
    png: bytes | None


@dataclass(frozen=True, slots=True)
class PageFault:
    """What was seen wrong (or, of a control, at all). The rules are named in `sandbox.browser.records`."""

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
    faults: list[PageFault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    acts: list[ActSeen] = field(default_factory=list)


@dataclass(slots=True)
class JourneyRecords:
    """All that one run told."""

    visits: dict[tuple[Side, str], VisitSeen] = field(default_factory=dict)
    shots: list[Shot] = field(default_factory=list)
    differences: list[PictureDifference] = field(default_factory=list)
    servers: dict[Side, str] = field(default_factory=dict)  # why a side was not served
    needs: str = ""
    starts: int = 0
    ended: bool = False

    def joined(self, more: JourneyRecords) -> JourneyRecords:
        """What both runs told; of a visit that both made what the later one did."""
        return JourneyRecords(
            self.visits | more.visits,
            self.shots + more.shots,
            self.differences + more.differences,
            self.servers | more.servers,
            self.needs or more.needs,
            self.starts + more.starts,
            self.ended and more.ended,
        )

    def visit(self, side: Side, visit: str) -> VisitSeen:
        """The visit's record, made when there is none."""
        return self.visits.setdefault((side, visit), VisitSeen())


def read_records(channel: bytes) -> JourneyRecords:
    """Read all records of one run."""
    told = JourneyRecords()
    for values in json_values(channel.split(b"\n")[:_MAX_RECORDS]):
        if not isinstance(values, dict):
            continue
        record = _Record(values)
        kind, visit = record.text("kind"), record.text("visit")
        if kind == "picture":
            png = record.png() if len(told.shots) < MAX_PICTURES else None
            if png:
                told.shots.append(Shot(visit, record.side, record.text("title"), png))
        elif kind == "difference":
            counts = (record.count("changed"), record.count("pixels"))
            told.differences.append(
                PictureDifference(visit, record.text("title"), *counts, record.png())
            )
        elif kind == "server":
            told.servers[record.side] = "\n".join(
                (record.text("problem"), record.text("said"))
            ).strip()
        elif kind == "needs":
            told.needs = record.text("problem")
        elif kind == "browser":
            told.starts += 1
        elif kind == "end":
            told.ended = True
        elif visit:
            _take_visit(kind, record, told.visit(record.side, visit))
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


def _take_visit(kind: str, record: _Record, seen: VisitSeen) -> None:
    if kind == "visit":
        seen.is_whole, seen.problem, seen.tree = True, record.text("problem"), record.text("tree")
    elif kind == "broken":
        seen.broken = record.text("problem")
    elif kind == "fault":
        seen.faults.append(PageFault(record.text("rule"), record.text("message")))
    elif kind == "note":
        seen.notes.append(record.text("message"))
    elif kind == "act":
        seen.acts.append(ActSeen(record.text("line"), record.text("failure"), record.text("tree")))
