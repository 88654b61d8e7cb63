"""The build network: user-mode networking, and the addresses that it must not reach.

slirp4netns opens every connection from the host's own network, so what the host may reach the
command may reach, but for the host's loopback (`--disable-host-loopback`) and for the networks
that the routing table inside refuses (`refused_networks`). The command has no capability over that
table. What this cannot refuse: a machine of the operator's with a public address.
"""

from __future__ import annotations

import socket
import struct
from ipaddress import IPv4Network, ip_network
from pathlib import Path

RESOLVER = "100.127.255.3"
"""The name server inside; slirp4netns passes questions on to the host's own."""

_INSIDE = "100.127.255.0/24"
# Private and link-local ranges, RFC 1918, RFC 3927 (the clouds' metadata), RFC 6598, multicast.
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10")
_MULTICAST_AND_ABOVE = "224.0.0.0/3"

_RTM_NEWROUTE = 24
_NLM_F_REQUEST_ACK_CREATE = 0x1 | 0x4 | 0x400
_RT_TABLE_MAIN = 254
_RTPROT_STATIC = 4
_RTN_PROHIBIT = 8
_RTA_DST = 1


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


def refused_networks() -> tuple[IPv4Network, ...]:
    """Private ranges and every address of this host: a service bound to 0.0.0.0 must stay unseen."""
    texts = (*_PRIVATE, _MULTICAST_AND_ABOVE, *_host_addresses())
    networks = {network for text in texts if isinstance(network := ip_network(text), IPv4Network)}
    return tuple(sorted(networks - {ip_network("127.0.0.1/32")}))


def _host_addresses() -> set[str]:
    """The host's own IPv4 addresses, from the kernel's table: an address, then `/32 host LOCAL`."""
    found = set()
    address = ""
    for line in Path("/proc/net/fib_trie").read_text().splitlines():
        words = line.split()
        if "|--" in words:
            address = words[-1]
        elif words[-2:] == ["host", "LOCAL"] and not address.startswith("127."):
            found.add(address)
    return found


def prohibit_route(network: IPv4Network) -> bytes:
    """The netlink message that makes a network unreachable (man 7 rtnetlink)."""
    route = struct.pack(
        "BBBBBBBBI",
        socket.AF_INET,
        network.prefixlen,
        0,
        0,
        _RT_TABLE_MAIN,
        _RTPROT_STATIC,
        0,
        _RTN_PROHIBIT,
        0,
    )
    target = network.network_address.packed
    body = route + struct.pack("HH", 4 + len(target), _RTA_DST) + target
    header = struct.pack("IHHII", 16 + len(body), _RTM_NEWROUTE, _NLM_F_REQUEST_ACK_CREATE, 1, 0)
    return header + body


def refused_routes() -> tuple[str, ...]:
    """Every refusal as the launcher takes it: netlink messages in hex."""
    return tuple(prohibit_route(network).hex() for network in refused_networks())
