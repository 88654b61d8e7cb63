"""Says which addresses of the web may be reached from this machine, and lets nothing past it.

The check stands in the function that connects, and connects to the very address that was checked: a
name that resolves to something else a moment later (DNS rebinding) changes nothing.
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpcore

from bot.judges.web_access import LookupRefused
from sandbox.concurrently import concurrently
from sandbox.network import Address, is_public

Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Resolves a host name to its addresses. Raises OSError if it has none."""

DEFAULT_PORTS = frozenset({80, 443})
_MOST_ADDRESSES = 8


async def resolve(host: str, port: int) -> tuple[str, ...]:
    """Ask the system's resolver. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(one[4][0]) for one in found))


@dataclass(frozen=True, slots=True)
class Guard:
    """What may be reached: `ports` beside it, `resolve` and `is_allowed` are seams for tests."""

    ports: frozenset[int] = DEFAULT_PORTS
    resolve: Resolve = resolve
    is_allowed: Callable[[Address], bool] = is_public

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The checked addresses of a host. Raises Refused when any of them may not be reached."""
        if port not in self.ports:
            raise LookupRefused(f"Port {port} is not allowed.")
        try:
            found = (await self.resolve(host, port))[:_MOST_ADDRESSES]
        except (OSError, UnicodeError) as error:
            raise LookupRefused("The host name cannot be resolved.") from error
        if not found:
            raise LookupRefused("The host name cannot be resolved.")
        for text in found:
            try:
                may_reach = self.is_allowed(ipaddress.ip_address(text))
            except ValueError:
                may_reach = False
            if not may_reach:
                raise LookupRefused("The host is not on the public internet.")
        return found


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections for `httpcore`, each to an address that the guard has just checked.

    `httpcore` keeps the host's name for the Host header and for TLS; only the socket knows the address.
    """

    def __init__(self, guard: Guard) -> None:
        self._guard, self._network = guard, httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's own signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first checked address that answers. Raises Refused or ConnectError."""
        failure: Exception = httpcore.ConnectError("no address")
        for address in await self._guard.addresses(host, port):
            try:
                return await self._network.connect_tcp(
                    address, port, timeout, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never. Raises Refused."""
        raise LookupRefused("Unix sockets cannot be looked up.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as the library asks between tries."""
        await asyncio.sleep(seconds)


# --- A proxy on loopback for a program that searches by itself; it connects only where the guard allows


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
            answer, onward = await self._reached(reader)
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            try:
                await concurrently(self._copy(reader, onward), self._copy(answer, writer))
            finally:
                await _closed(onward)
        except (LookupRefused, OSError, *_NO_HEAD):  # a TimeoutError is an OSError
            with suppress(OSError):
                writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        finally:
            await _closed(writer)

    async def _reached(self, reader: asyncio.StreamReader) -> Streams:
        """Connect to what the program asks for: a CONNECT with the password, to a host's https port.

        Raises Refused, or what a dead connection raises.
        """
        async with asyncio.timeout(_HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        first, *fields = head.decode("latin-1").split("\r\n")
        words = first.split(" ")
        expected = base64.b64encode(f"assay:{self._password}".encode()).decode()
        given = [
            value.strip()
            for name, _, value in (f.partition(":") for f in fields)
            if name.lower() == "proxy-authorization"
        ]
        if len(given) != 1 or not secrets.compare_digest(given[0], f"Basic {expected}"):
            raise LookupRefused("The password is wrong.")
        host, _, port = words[1].rpartition(":") if len(words) == 3 else ("", "", "")
        if words[0] != "CONNECT" or not host or port != str(_HTTPS):
            raise LookupRefused("Only https addresses can be looked up.")
        failure: Exception = LookupRefused("The host name cannot be resolved.")
        for address in await self.guard.addresses(host.strip("[]"), _HTTPS):
            try:
                async with asyncio.timeout(_CONNECT_S):
                    return await self.connect(address, _HTTPS)
            except OSError as error:  # a TimeoutError is one
                failure = error
        raise failure

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(_READ_BYTES):
            self._passed += len(data)
            if self._passed > self.most_bytes:
                raise LookupRefused(f"It transferred more than {self.most_bytes:,} bytes.")
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
