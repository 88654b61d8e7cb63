"""What the build network's container is told."""

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from sandbox.docker.driver import messages, name_servers
from sandbox.docker.engine import Subnet
from sandbox.network import prohibitions

BRIDGE = Subnet("bridge", "172.18.0.0/16", "172.18.0.1")


def test_the_gateway_is_refused_last_and_the_neighbours_more_closely_than_the_bridge() -> None:
    halves = (IPv4Network("172.18.0.0/17"), IPv4Network("172.18.128.0/17"))
    gateway = IPv4Network("172.18.0.1/32")
    assert messages(BRIDGE, (), ())[-3:] == prohibitions((*halves, gateway))


def test_a_name_server_is_reached_on_its_port_alone() -> None:
    server = IPv4Address("10.255.255.53")
    rules = [part for part in messages(BRIDGE, (), [str(server)]) if server.packed in part]
    assert len(rules) == 2  # UDP and TCP
    assert all((53).to_bytes(2, "little") * 2 in rule for rule in rules)


def test_name_servers_on_the_hosts_loopback_are_no_use_inside(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("# x\nnameserver 127.0.0.53\nnameserver ::1\nnameserver\n")
    (tmp_path / "b").write_text("nameserver 10.0.0.2\noptions edns0\n")
    files = [str(tmp_path / name) for name in ("a", "b", "none")]
    assert name_servers(files) == {"10.0.0.2"}
