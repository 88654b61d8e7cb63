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

from bot.lookup.base import Refused

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Awaitable[tuple[str, ...]]]
"""Resolves a host name to its addresses. Raises OSError if it has none."""

DEFAULT_PORTS = frozenset({80, 443})
_MOST_ADDRESSES = 8
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Networks that carry an IPv4 address inside an IPv6 one, or that lead into somebody's own network.
_NEVER = tuple(
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # carrier-grade NAT, where some clouds keep their metadata
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",
        "168.63.129.16/32",  # a public address that is one cloud's metadata service
        "::/96",  # IPv4-compatible
        "64:ff9b:1::/48",  # local NAT64
        "100::/64",
        "2001::/23",  # Teredo and other assignments of the protocols
        "2002::/16",  # 6to4
        "3fff::/20",
        "5f00::/16",
        "fec0::/10",  # site-local, of old
    )
)


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and hides no other address in it."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None or address.scope_id:
            return False
        if address in _NAT64:  # how an IPv6-only network reaches IPv4: what it holds counts
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    if any(address.version == network.version and address in network for network in _NEVER):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


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
