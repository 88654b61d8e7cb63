"""Which addresses belong to the public internet: the one list for builds and for judges' look-ups."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

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
