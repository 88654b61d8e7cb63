"""Says which addresses of the web may be reached from this machine, and lets nothing past it.

The check stands in the function that connects, and connects to the very address that was checked: a
name that resolves to something else a moment later (DNS rebinding) changes nothing.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

import httpcore

from bot.judges.web_access.base import Refused
from sandbox.addresses import Address, is_public

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
            raise Refused(f"Port {port} is not allowed.")
        try:
            found = (await self.resolve(host, port))[:_MOST_ADDRESSES]
        except (OSError, UnicodeError) as error:
            raise Refused("The host name cannot be resolved.") from error
        if not found:
            raise Refused("The host name cannot be resolved.")
        for text in found:
            if not self._may_reach(text):
                raise Refused("The host is not on the public internet.")
        return found

    def _may_reach(self, text: str) -> bool:
        try:
            return self.is_allowed(ipaddress.ip_address(text))
        except ValueError:
            return False


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
        raise Refused("Unix sockets cannot be looked up.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as the library asks between tries."""
        await asyncio.sleep(seconds)
