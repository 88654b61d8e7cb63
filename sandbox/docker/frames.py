"""What the worker and the entry program say to each other over docker's attached stream."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sandbox.base import SandboxError
from sandbox.streams import Sink

_ENGINE_HEADER_BYTES = 8
_FRAME_HEADER_BYTES = 5
_ENGINE_STDOUT = 1
_ENTRY_SAID_BYTES = 4000


@dataclass(frozen=True, slots=True)
class LaunchOrder:
    """What the entry program is to start: the whole argv and environment, nothing is added.

    `filter` is a seccomp program, empty for none. After `deadline_s` the container ends by itself.
    """

    argv: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    filter: bytes
    wants_channel: bool
    deadline_s: int


def launch_message(launch: LaunchOrder) -> bytes:
    """The launch for `entry.read_launch`: texts may be any bytes but NUL, so nothing is quoted."""
    texts = [os.fsencode(text) for text in launch.argv]
    texts += [os.fsencode(f"{name}={value}") for name, value in launch.environment.items()]
    numbers = (
        len(launch.argv),
        len(launch.environment),
        len(launch.stdin),
        len(launch.filter),
        int(launch.wants_channel),
        launch.deadline_s,
    )
    header = b"%d %d %d %d %d %d" % numbers
    body = launch.stdin + launch.filter + b"\0".join(texts)
    return b"%06d%010d" % (len(header), len(body)) + header + body


class _Cutter:
    """Cuts a stream into packets of a header of fixed size and a payload."""

    def __init__(self, header_bytes: int) -> None:
        self._header_bytes = header_bytes
        self._held = bytearray()

    def cut(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The packets, header and payload, that are complete with this data."""
        self._held += data
        found, start = [], 0
        while len(self._held) - start >= self._header_bytes:
            body = start + self._header_bytes
            end = body + int.from_bytes(self._held[body - 4 : body], "big")
            if len(self._held) < end:
                break
            found.append((bytes(self._held[start:body]), bytes(self._held[body:end])))
            start = end
        del self._held[:start]
        return found


class Frames:
    """Takes the attached stream apart: docker's packets, and in its stdout the entry's frames."""

    def __init__(self, sinks: Mapping[bytes, Sink]) -> None:
        """`sinks` by the kind of a frame: `o`utput, `e`rror output, `c`hannel."""
        self._sinks = sinks
        self._packets = _Cutter(_ENGINE_HEADER_BYTES)
        self._frames = _Cutter(_FRAME_HEADER_BYTES)
        self._said = bytearray()
        self.exit_code: int | None = None

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Raises SandboxError when they are no frames."""
        for header, payload in self._packets.cut(data):
            if header[0] == _ENGINE_STDOUT:
                self._feed_frames(payload)
            else:
                self._said += payload[: _ENTRY_SAID_BYTES - len(self._said)]

    def _feed_frames(self, data: bytes) -> None:
        for header, payload in self._frames.cut(data):
            kind = header[:1]
            if kind == b"x":
                self.exit_code = int(payload)
            elif kind in self._sinks:
                self._sinks[kind].feed(payload)
            else:
                raise SandboxError(f"the container's stream holds no frames: {header!r}")

    def said(self) -> str:
        """What the entry program itself complained about."""
        return self._said.decode(errors="replace").strip()
