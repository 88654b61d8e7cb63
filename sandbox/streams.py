"""Reads what a command writes without ever holding more than a cap of it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Protocol

_READ_BYTES = 1 << 17


class Sink(Protocol):
    """Takes bytes as they come."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""


class HeadTail:
    """Keeps the first and the last half of `cap` bytes; what is between is counted and dropped."""

    def __init__(self, cap: int) -> None:
        self._head_cap = cap - cap // 2
        self._tail_cap = cap // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._seen = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._seen += len(data)
        room = self._head_cap - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._tail_cap + _READ_BYTES:
            self._trim()

    def _trim(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._tail_cap)]

    @property
    def truncated(self) -> bool:
        """True when bytes were dropped."""
        return self._seen > self._head_cap + self._tail_cap

    def value(self) -> bytes:
        """What was kept, with a marker line where bytes were dropped."""
        self._trim()
        if not self.truncated:
            return bytes(self._head + self._tail)
        dropped = self._seen - len(self._head) - len(self._tail)
        marker = b"\n[... %d bytes left out ...]\n" % dropped
        return bytes(self._head) + marker + bytes(self._tail)


class Capped:
    """Keeps the first `cap` bytes and calls `on_overflow` once when more arrive."""

    def __init__(self, cap: int, on_overflow: Callable[[], None]) -> None:
        self._cap = cap
        self._on_overflow: Callable[[], None] | None = on_overflow
        self._kept = bytearray()

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        room = self._cap - len(self._kept)
        self._kept += data[:room]
        if len(data) > room and self._on_overflow:
            self._on_overflow()
            self._on_overflow = None

    def value(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)


class PipeReader:
    """Feeds a sink from the reading end of a pipe, which it owns, until everyone closed the other."""

    def __init__(self, descriptor: int, sink: Sink) -> None:
        self._descriptor = descriptor
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._readable)

    def _readable(self) -> None:
        try:
            data = os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return
        if data:
            self._sink.feed(data)
        else:
            self.close()

    def close(self) -> None:
        """Take what is still in the pipe, then stop. May be called twice."""
        if self.ended.done():
            return
        self._loop.remove_reader(self._descriptor)
        with suppress(BlockingIOError):
            # Bounded: a writer that survived must not hold us here.
            for _ in range(16):
                if not (data := os.read(self._descriptor, _READ_BYTES)):
                    break
                self._sink.feed(data)
        os.close(self._descriptor)
        self.ended.set_result(None)


def json_values(lines: Iterable[bytes]) -> Iterator[object]:
    """Yield the JSON values that a program told line by line; what is none is passed over."""
    for line in lines:
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            continue


def last_line(printed: bytes, most: int = 200) -> str:
    """Return the last line of what a program printed, capped: mostly its reason for giving up."""
    lines = printed[-20_000:].decode(errors="replace").strip().splitlines()
    return (lines or ["no reason given"])[-1].strip()[:most]
