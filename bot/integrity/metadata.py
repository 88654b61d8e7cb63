"""Reads the words that an image carries besides its pixels, within hard limits.

PNG text chunks (tEXt, zTXt, iTXt, eXIf: W3C PNG 3rd edition, 11.3), JPEG comments and APP segments (EXIF,
XMP: ITU T.81 B.2.4), GIF comment extensions (GIF89a, 24), RIFF chunks of WebP. Nothing is decoded but text;
a broken file ends the reading.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

MAX_TEXTS = 50
MAX_TEXT_BYTES = 64_000
_PNG = b"\x89PNG\r\n\x1a\n"
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt", b"eXIf")
_RIFF_CHUNKS = (b"EXIF", b"XMP ", b"ICMT")
_READABLE = re.compile(rb"[\x20-\x7e\t\r\n]{12,}")
_WIDE = re.compile(rb"([\x20-\x7e])\0")


def texts_in_image(data: bytes) -> tuple[str, ...]:
    """The readable runs of 12 characters or more in a PNG's, JPEG's, GIF's or WebP's metadata."""
    found: list[str] = []
    for block in _blocks(data):
        readable = [run.decode("ascii") for run in _READABLE.findall(block[:MAX_TEXT_BYTES])]
        utf16 = _WIDE.sub(rb"\1", block[:MAX_TEXT_BYTES])  # EXIF comments may be UTF-16
        readable += [run.decode("ascii") for run in _READABLE.findall(utf16)]
        found += [text for text in readable if text not in found]
        if len(found) >= MAX_TEXTS:
            break
    return tuple(found[:MAX_TEXTS])


def _blocks(data: bytes) -> Iterator[bytes]:
    if data.startswith(_PNG):
        yield from _png(data)
    elif data.startswith(b"\xff\xd8"):
        yield from _jpeg(data)
    elif data.startswith(b"GIF8"):
        yield from _gif(data)
    elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        yield from _riff(data)


def _png(data: bytes) -> Iterator[bytes]:
    at = len(_PNG)
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if kind in _TEXT_CHUNKS:
            yield body
            if kind in (b"zTXt", b"iTXt"):
                yield from _inflated(body)
        at += size + 12


def _inflated(body: bytes) -> Iterator[bytes]:
    """The deflated part of a text chunk, never more than 64,000 bytes of it."""
    start = body.find(b"\x78")
    while 0 <= start < 400:
        try:
            yield zlib.decompressobj().decompress(body[start:], MAX_TEXT_BYTES)
            return
        except zlib.error:
            start = body.find(b"\x78", start + 1)


def _jpeg(data: bytes) -> Iterator[bytes]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, size = data[at + 1], struct.unpack_from(">H", data, at + 2)[0]
        if marker in (0xDA, 0xD9):
            return
        if marker == 0xFE or 0xE1 <= marker <= 0xEF:
            yield data[at + 4 : at + 2 + size]
        at += 2 + max(size, 2)


def _gif(data: bytes) -> Iterator[bytes]:
    at = data.find(b"\x21\xfe")
    for _ in range(MAX_TEXTS):
        if at < 0:
            return
        at += 2
        parts: list[bytes] = []
        while at < len(data) and data[at] and sum(map(len, parts)) < MAX_TEXT_BYTES:
            parts.append(data[at + 1 : at + 1 + data[at]])
            at += data[at] + 1
        yield b"".join(parts)
        at = data.find(b"\x21\xfe", at)


def _riff(data: bytes) -> Iterator[bytes]:
    at = 12
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, at)
        if kind in _RIFF_CHUNKS:
            yield data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
