"""The network of a build: a bridge of our own, and routes that refuse the host and private ranges.

Each build gets a network namespace of its own, held open by a small container of ours (`gate`) that
sets the routes before the build joins. The build has no capability, so it cannot change them, and
needs no rule of the operator's on the host. Name servers may be asked even when their addresses are
private: on port 53 alone, by a routing rule. What this cannot refuse: a public address of the
engine's host when the worker itself is in a container and does not know it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from sandbox import network
from sandbox.base import Limits, SandboxError
from sandbox.docker import container
from sandbox.docker.container import Locked, program_of_ours
from sandbox.docker.engine import Attached, Engine, Subnet

_NAME = "assay-build"
_ANSWER_TIMEOUT_S = 20
_JOIN_TRIES, _JOIN_PAUSE_S = 10, 0.3
_ENGINE_HEADER_BYTES = 8
_RESOLVER_FILES = ("/etc/resolv.conf", "/run/systemd/resolve/resolv.conf")


def name_servers(files: Iterable[str] = _RESOLVER_FILES) -> frozenset[str]:
    """The IPv4 name servers of this machine that are not on its own loopback."""
    found = set()
    for file in files:
        if Path(file).is_file():
            lines = [line.split() for line in Path(file).read_text().splitlines()]
            found |= {words[1] for words in lines if words[:1] == ["nameserver"] and words[1:]}
    usual = {text for text in found if ":" not in text}
    return frozenset(text for text in usual if not IPv4Address(text).is_loopback)


def messages(subnet: Subnet, hosts: Iterable[str], servers: Iterable[str]) -> tuple[bytes, ...]:
    """The netlink messages for a namespace on that bridge, in the order in which they must be sent."""
    asked = network.name_server_rules(sorted(servers), subnet.gateway)
    # The neighbours on the bridge: two halves are more specific than the kernel's own route to it.
    neighbours = IPv4Network(subnet.range).subnets(prefixlen_diff=1)
    refused = (*neighbours, IPv4Network(subnet.gateway))  # last: it must be known till then
    return (*asked, *network.routes(hosts, subnet.gateway), *network.prohibitions(refused))


class BuildNetwork:
    """Opens and ends the networks of builds."""

    def __init__(self, engine: Engine, image: str) -> None:
        self._engine = engine
        self._image = image
        self._streams: dict[str, Attached] = {}

    def open(self, name: str, hosts: frozenset[str], timeout_s: float) -> None:
        """Start the container `name` whose network others may join. Raises SandboxError."""
        subnet = self._joined(name, timeout_s)
        stream = self._streams[name]
        stream.socket.settimeout(_ANSWER_TIMEOUT_S)
        parts = messages(subnet, hosts, name_servers())
        stream.socket.sendall(
            b"%06d" % len(parts) + b"".join(b"%06d" % len(part) + part for part in parts)
        )
        try:
            answer = stream.socket.recv(4096)[_ENGINE_HEADER_BYTES:]
        except TimeoutError as error:
            raise SandboxError("the build network's container does not answer") from error
        if answer != b"ready":
            raise SandboxError(f"the build network was refused: {answer.decode(errors='replace')}")

    def _joined(self, name: str, timeout_s: float) -> Subnet:
        """Start the container in the network that all builds share.

        Till one of two networks that were made at once is gone, the engine joins neither, not even by its id.
        """
        for left in reversed(range(_JOIN_TRIES)):
            subnet = self._engine.network(_NAME, {container.OURS: "1"})
            locked = Locked(
                name=name,
                image=self._image,
                program=program_of_ours("gate"),
                owner="0:0",
                labels=container.labels(timeout_s),
                network=subnet.id,
                # The engine's own starter counts too, with a dozen threads where the machine is busy.
                limits=Limits(memory_mb=64, disk_mb=64, processes=64),
                capabilities=("NET_ADMIN",),
            )
            self._engine.create(locked)
            self._streams[name] = self._engine.attach(name)
            try:
                self._engine.start(name)
            except SandboxError:
                self.end(name)
                if not left:
                    raise
                time.sleep(_JOIN_PAUSE_S)
            else:
                break
        return subnet

    def end(self, name: str) -> None:
        """Remove the container; one that was never started is fine."""
        if stream := self._streams.pop(name, None):
            stream.close()
        self._engine.remove(name)
