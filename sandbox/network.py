"""The build network: user-mode networking, and the one list of addresses that are not of the public
internet.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from sandbox.base import Command, Mount, Network
from sandbox.index import IndexSettings

Address = IPv4Address | IPv6Address

NOT_PUBLIC: tuple[IPv4Network | IPv6Network, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this host
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier-grade NAT, where some clouds keep their metadata
            "127.0.0.0/8",
            "168.63.129.16/32",  # a public address that is one cloud's wire server
            "169.254.0.0/16",  # link-local, where most clouds keep their metadata
            "172.16.0.0/12",
            "192.0.0.0/24",  # protocol assignments, and one cloud's metadata
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",
            "198.18.0.0/15",  # benchmarking
            "224.0.0.0/3",  # multicast, reserved, broadcast
            "::/96",  # unspecified, loopback, IPv4-compatible
            "::ffff:0:0/96",  # IPv4-mapped
            "64:ff9b:1::/48",  # local NAT64
            "100::/64",
            "2001::/23",  # Teredo and other assignments of the protocols
            "2001:db8::/32",
            "2002::/16",  # 6to4
            "3fff::/20",
            "5f00::/16",
            "fc00::/7",
            "fe80::/10",
            "fec0::/10",  # site-local, of old
            "ff00::/8",
        ),
    )
)
"""Networks that are somebody's own, that hide another address, or that nobody should reach.

Sources: the special-purpose registries of IANA (RFC 6890) and the clouds' documentation. The ranges for
documentation (RFC 5737) are not among them: nobody routes them, and machines without a name server of
their own lead the names of package indexes there.
"""

_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, and hides no other address in it."""
    if isinstance(address, IPv6Address):
        if address.scope_id:
            return False
        if address in _NAT64:  # how an IPv6-only network reaches IPv4: what it holds counts
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    if any(address.version == network.version and address in network for network in NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


RESOLVER = "100.127.255.3"
"""The name server inside; slirp4netns passes questions on to the host's own."""

_INSIDE = "100.127.255.0/24"
_GATEWAY = "100.127.255.2"

_RTM_NEWROUTE = 24
_NLM_F_REQUEST_ACK_CREATE = 0x1 | 0x4 | 0x400
_RT_TABLE_MAIN = 254
_RTPROT_STATIC = 4
_RT_SCOPE_UNIVERSE = 0
_RTN_UNICAST = 1
_RTN_PROHIBIT = 8
_RTA_DST = 1
_RTA_GATEWAY = 5
# linux/fib_rules.h
_RTM_NEWRULE = 32
_FR_ACT_TO_TBL = 1
_FRA_DST = 1
_FRA_IP_PROTO = 22
_FRA_DPORT_RANGE = 24
_NAME_SERVER_TABLE = 53


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Where this host gets packages from: variables and folders for a build, and the servers."""

    variables: tuple[tuple[str, str], ...]
    mounts: tuple[Mount, ...]
    hosts: frozenset[str]

    def mounts_of(self, command: Command) -> tuple[Mount, ...]:
        """The command's own mounts and, for a build, the host's package folders and CA files."""
        if command.network is Network.NONE:
            return command.mounts
        taken = {mount.target for mount in command.mounts}
        return (*command.mounts, *(one for one in self.mounts if one.target not in taken))


# What uv calls a setting and what pip calls it; pip separates several values by a space.
_PIP_NAMES = (
    ("UV_DEFAULT_INDEX", "PIP_INDEX_URL"),
    ("UV_INDEX", "PIP_EXTRA_INDEX_URL"),
    ("UV_FIND_LINKS", "PIP_FIND_LINKS"),
)


def build_settings(host: IndexSettings) -> BuildSettings:
    """The host's settings, which hold no credentials, for uv and for pip alike."""
    variables = dict(host.variables)
    for uv_name, pip_name in _PIP_NAMES:
        if uv_name in variables:
            variables[pip_name] = variables[uv_name].replace(",", " ")
    words = " ".join(variables.values()).replace(",", " ").split()
    hosts = frozenset(name for word in words if (name := urlsplit(word).hostname))
    return BuildSettings(tuple(sorted(variables.items())), host.mounts, hosts)


def slirp_argv(program: str) -> tuple[str, ...]:
    """The command line of slirp4netns without the namespace's path."""
    return (
        program,
        "--configure",
        "--mtu=65520",
        "--disable-host-loopback",
        "--enable-sandbox",
        "--enable-seccomp",
        f"--cidr={_INSIDE}",
    )


def refused_networks() -> frozenset[IPv4Network]:
    """What is not public, and every address of this host: a service bound to 0.0.0.0 must stay unseen.

    There is no IPv6 in a build's network.
    """
    never = (network for network in NOT_PUBLIC if isinstance(network, IPv4Network))
    # The kernel's table of the host's own addresses: an address, then `/32 host LOCAL`.
    found = set()
    address = ""
    for line in Path("/proc/net/fib_trie").read_text().splitlines():
        words = line.split()
        if "|--" in words:
            address = words[-1]
        elif words[-2:] == ["host", "LOCAL"] and not address.startswith("127."):
            found.add(address)
    return frozenset((*never, *map(IPv4Network, found)))


def _message(kind: int, body: bytes) -> bytes:
    return struct.pack("IHHII", 16 + len(body), kind, _NLM_F_REQUEST_ACK_CREATE, 1, 0) + body


def _attribute(kind: int, value: bytes) -> bytes:
    padding = bytes(-len(value) % 4)
    return struct.pack("HH", 4 + len(value), kind) + value + padding


def _route(
    network: IPv4Network, kind: int, attributes: bytes = b"", table: int = _RT_TABLE_MAIN
) -> bytes:
    """The netlink message that adds a route (man 7 rtnetlink)."""
    family, prefix = socket.AF_INET, network.prefixlen
    fixed = (family, prefix, 0, 0, table, _RTPROT_STATIC, _RT_SCOPE_UNIVERSE, kind, 0)
    body = struct.pack("BBBBBBBBI", *fixed) + attributes
    return _message(_RTM_NEWROUTE, body + _attribute(_RTA_DST, network.network_address.packed))


def _via(gateway: str) -> bytes:
    return _attribute(_RTA_GATEWAY, IPv4Address(gateway).packed)


def prohibitions(networks: Iterable[IPv4Network]) -> tuple[bytes, ...]:
    """Netlink messages that refuse these networks at once (EACCES)."""
    return tuple(_route(network, _RTN_PROHIBIT) for network in networks)


def routes(allowed_addresses: Iterable[str], gateway: str = _GATEWAY) -> tuple[bytes, ...]:
    """Netlink messages: refuse what `refused_networks` says but for the operator's own servers.

    `allowed_addresses` are the IPv4 addresses of the package indexes and proxies that the host is
    configured to use; they may well be private.
    """
    allowed = {IPv4Network(address) for address in allowed_addresses}
    # A gateway that is refused already would not do as a route's next hop.
    refused = prohibitions(sorted(refused_networks() - allowed - {IPv4Network(gateway)}))
    via = _via(gateway)
    return (*refused, *(_route(network, _RTN_UNICAST, via) for network in sorted(allowed)))


def name_server_rules(servers: Iterable[str], gateway: str) -> tuple[bytes, ...]:
    """Netlink messages that lead questions to these name servers, port 53 alone, past the main table."""
    found = [_route(IPv4Network("0.0.0.0/0"), _RTN_UNICAST, _via(gateway), _NAME_SERVER_TABLE)]
    for server in servers:
        for protocol in (socket.IPPROTO_UDP, socket.IPPROTO_TCP):
            header = (socket.AF_INET, 32, 0, 0, _NAME_SERVER_TABLE, 0, 0, _FR_ACT_TO_TBL, 0)
            body = struct.pack("BBBBBBBBI", *header)
            body += _attribute(_FRA_DST, IPv4Address(server).packed)
            body += _attribute(_FRA_IP_PROTO, bytes([protocol]))
            body += _attribute(_FRA_DPORT_RANGE, struct.pack("HH", 53, 53))
            found.append(_message(_RTM_NEWRULE, body))
    return tuple(found)


async def addresses_of(hosts: Iterable[str]) -> frozenset[str]:
    """The IPv4 addresses of these names that are not on the host's loopback; unknown ones are left out."""
    loop = asyncio.get_running_loop()
    found: set[str] = set()
    for host in hosts:
        with suppress(OSError, UnicodeError):
            answers = await loop.getaddrinfo(host, None, family=socket.AF_INET)
            found |= {str(address[0]) for *_, address in answers}
    return frozenset(address for address in found if not IPv4Address(address).is_loopback)
