"""A stream of records that nobody can alter, forge or replay without the current key.

A frame is 8 hex digits of length, 32 bytes of tag, and the body (JSON). The key of the next frame
is the hash of this one's: who learns a key can go on from there but not rewrite the past
(Bellare and Yee, "Forward-security in private-key cryptography", 2003).
"""

from __future__ import annotations

import json
from _blake2 import blake2b
from fcntl import F_DUPFD_CLOEXEC, fcntl
from posix import close, getpid, urandom, write

KEY_BYTES = 32
TAG_BYTES = 32
HEADER_BYTES = 8 + TAG_BYTES
LARGEST_BODY_BYTES = 1 << 20
_OUT_OF_THE_WAY = 200  # tests that close "all" descriptors mostly stop before

# One encoder made once, out of a private copy of `json`: see child.py.
_encode = json.JSONEncoder(ensure_ascii=True, check_circular=False).encode


class Broken(Exception):
    """A frame that the holder of the key did not write."""


def tag(key: bytes, body: bytes) -> bytes:
    """Return the tag of a body under a key."""
    return blake2b(body, key=key, digest_size=TAG_BYTES).digest()


def following(key: bytes) -> bytes:
    """Return the key of the next frame."""
    return blake2b(b"next", key=key, digest_size=TAG_BYTES).digest()


def encode(record: dict[str, object]) -> bytes:
    """Return the body of a record."""
    return _encode(record).encode("ascii")


def frame(key: bytes, body: bytes) -> bytes:
    """Return one frame; who writes it moves on to `following(key)`."""
    return b"%08x" % len(body) + tag(key, body) + body


class Writer:
    """Appends frames to a descriptor, each under the key that follows the last one's."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self._descriptor = descriptor
        self._key = key

    @classmethod
    def begun(cls, channel: int) -> Writer:
        """Make a key, which is the first that the host is told, and the writer that has it."""
        key = urandom(KEY_BYTES)
        write(channel, key)
        return cls(channel, key)

    def write(self, body: bytes) -> None:
        """Write one frame and forget its key."""
        data = frame(self._key, body)
        self._key = following(self._key)
        while data:
            data = data[write(self._descriptor, data) :]


class Recorder:
    """The child's pen: appends records to the supervisor's pipe; silent in forked copies of this process."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self._writer = Writer(fcntl(descriptor, F_DUPFD_CLOEXEC, _OUT_OF_THE_WAY), key)
        close(descriptor)
        self._owner = getpid()

    @property
    def is_ours(self) -> bool:
        """Tell whether this is the process that was started, not a fork made by a test."""
        return getpid() == self._owner

    def record(self, kind: str, **fields: object) -> None:
        """Write one record."""
        if self.is_ours:
            self._writer.write(encode({"kind": kind, **fields}))


class Reader:
    """Takes bytes as they come and gives whole, verified bodies."""

    _tag = staticmethod(tag)
    _following = staticmethod(following)

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._rest = b""

    @property
    def is_between_frames(self) -> bool:
        """Tell whether no part of an unfinished frame is left."""
        return not self._rest

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies that are now whole. Raises Broken at the first wrong frame."""
        self._rest += data
        bodies = []
        start = 0
        while len(self._rest) - start >= HEADER_BYTES:
            length = _length(self._rest[start : start + 8])
            end = start + HEADER_BYTES + length
            if len(self._rest) < end:
                break
            body = self._rest[start + HEADER_BYTES : end]
            if self._rest[start + 8 : start + HEADER_BYTES] != self._tag(self._key, body):
                raise Broken("a record with a wrong tag")
            bodies.append(body)
            self._key = self._following(self._key)
            start = end
        self._rest = self._rest[start:]
        return bodies


def _length(digits: bytes) -> int:
    try:
        length = int(digits, 16)
    except ValueError:
        raise Broken("something that is no record") from None
    if b"%08x" % length != digits:  # "+0000043" and "0000004A" are numbers, too
        raise Broken("a length that the recorder did not write")
    if not 0 <= length <= LARGEST_BODY_BYTES:
        raise Broken("a record that is too large")
    return length
