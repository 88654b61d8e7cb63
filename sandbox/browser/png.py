"""Makes a picture from a hostile place safe to keep: checked, capped, and written anew.

Only what every decoder agrees on stays: 8-bit colour, with or without alpha, not interlaced. No
metadata, and not one byte more than the size in the header says. Source: the PNG specification.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

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
            header = _header(body)
        elif kind == b"IDAT" and header is not None:
            packed.append(body)
        elif kind == b"IEND":
            break
        elif kind[0] < ord("a"):
            raise PictureError("it has a part that is not allowed")
    if header is None:
        raise PictureError("it has no header")
    pixels = zlib.compress(_pixels(b"".join(packed), header), 6)
    return _SIGNATURE + b"".join(
        _chunk(kind, body)
        for kind, body in ((b"IHDR", header.raw), (b"IDAT", pixels), (b"IEND", b""))
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


def _header(body: bytes) -> _Header:
    if len(body) != 13:
        raise PictureError("its header is broken")
    width, height, depth, colour, compression, filtering, interlace = struct.unpack(
        ">IIBBBBB", body
    )
    if not (0 < width <= MAX_WIDTH and 0 < height <= MAX_HEIGHT):
        raise PictureError(f"it is larger than {MAX_WIDTH} by {MAX_HEIGHT} pixels")
    if depth != 8 or colour not in _CHANNELS or compression or filtering or interlace:
        raise PictureError("it is not plain 8-bit colour")
    return _Header(width, height, colour, body)


def _pixels(packed: bytes, header: _Header) -> bytes:
    """Unpack exactly as many bytes as the header promises."""
    wanted = header.line_bytes * header.height
    unpacking = zlib.decompressobj()
    try:
        pixels = unpacking.decompress(packed, wanted + 1)
    except zlib.error as error:
        raise PictureError("its pixels cannot be unpacked") from error
    if len(pixels) != wanted or not set(pixels[:: header.line_bytes]) <= _FILTERS:
        raise PictureError("its pixels are not as many as its header says")
    return pixels


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
