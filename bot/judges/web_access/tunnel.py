"""A proxy on loopback for a program that searches by itself; it connects only where the guard allows.

The program speaks TLS with whoever the guard allows; nothing of it is read here. Only its own run
knows the password, so nobody else on the machine gets out by it.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.judges.web_access.base import Refused
from bot.judges.web_access.guard import Guard
from sandbox.concurrently import concurrently

_HTTPS = 443
_MOST_HEAD_BYTES = 8_192
_HEAD_S, _CONNECT_S = 10.0, 10.0
_READ_BYTES = 1 << 16
_NO_HEAD = (asyncio.IncompleteReadError, asyncio.LimitOverrunError)
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[str, int], Awaitable[Streams]]


@dataclass(slots=True)
class Tunnel:
    """One program's way out. `connect` is a seam for tests; `most_bytes` counts both directions."""

    guard: Guard
    most_bytes: int = 8_000_000
    connect: Connect = asyncio.open_connection
    _password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    _passed: int = 0
    _serving: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[str]:
        """Serve while the context lasts; gives the proxy's address, password included."""
        server = await asyncio.start_server(self._begin, "127.0.0.1", 0, limit=_MOST_HEAD_BYTES)
        try:
            host, port = server.sockets[0].getsockname()[:2]
            yield f"http://assay:{self._password}@{host}:{port}"
        finally:
            server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            await server.wait_closed()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            answered = await self._reached(reader)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await self._relay((reader, writer), answered)
        except (Refused, OSError, *_NO_HEAD):  # a TimeoutError is an OSError
            with suppress(OSError):
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        finally:
            await _closed(writer)

    async def _reached(self, reader: asyncio.StreamReader) -> Streams:
        """Connect to what the program asks for. Raises Refused, or what a dead connection raises."""
        async with asyncio.timeout(_HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        host, port = self._wanted(head.decode("latin-1"))
        failure: Exception = Refused("The host name cannot be resolved.")
        for address in await self.guard.addresses(host, port):
            try:
                async with asyncio.timeout(_CONNECT_S):
                    return await self.connect(address, port)
            except OSError as error:  # a TimeoutError is one
                failure = error
        raise failure

    def _wanted(self, head: str) -> tuple[str, int]:
        """Host and port of a CONNECT with the password; anything else is refused."""
        first, *fields = head.split("\r\n")
        words = first.split(" ")
        expected = base64.b64encode(f"assay:{self._password}".encode()).decode()
        given = [
            value.strip()
            for name, _, value in (f.partition(":") for f in fields)
            if name.lower() == "proxy-authorization"
        ]
        if len(given) != 1 or not secrets.compare_digest(given[0], f"Basic {expected}"):
            raise Refused("The password is wrong.")
        host, _, port = words[1].rpartition(":") if len(words) == 3 else ("", "", "")
        if words[0] != "CONNECT" or not host or port != str(_HTTPS):
            raise Refused("Only https addresses can be looked up.")
        return host.strip("[]"), _HTTPS

    async def _relay(self, inside: Streams, outside: Streams) -> None:
        try:
            await concurrently(self._copy(inside[0], outside[1]), self._copy(outside[0], inside[1]))
        finally:
            await _closed(outside[1])

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_READ_BYTES):
            self._passed += len(data)
            if self._passed > self.most_bytes:
                raise Refused(f"It transferred more than {self.most_bytes:,} bytes.")
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
