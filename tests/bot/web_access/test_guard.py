"""The guard refuses whatever is not the public web, before anything is sent."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from bot.judges.web_access import LookupRefused
from bot.judges.web_access.fetch import Fetcher, HttpRequest
from bot.judges.web_access.guard import Guard
from sandbox.network import is_public
from tests.bot.web_access.servers import Page, guard_for, site

pytestmark = pytest.mark.real

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104 - refused
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.8.8.8",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:a9fe:a9fe::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "ff02::1",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_what_is_not_the_public_internet(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "64:ff9b::808:808"])
def test_what_is(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "0.0.0.0",  # noqa: S104 - refused
        "2130706433",
        "0x7f.1",
        "127.1",
        "[::ffff:127.0.0.1]",
    ],
)
async def test_no_spelling_of_this_machine_is_reached(host: str) -> None:
    """By the system's own resolver, with a server that would answer."""
    with site(lambda path: Page()) as served:
        guard = Guard(frozenset({served.port}))
        with pytest.raises(LookupRefused):
            await Fetcher(guard).fetch(HttpRequest(f"http://{host}:{served.port}/"))
        assert served.seen == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://site.test/", "Only http"),
        ("file:///etc/passwd", "Only http"),
        ("gopher://site.test/", "Only http"),
        ("http://user@site.test/", "name or password"),
        ("http://user:word@site.test/", "name or password"),
        ("http://@site.test/", "name or password"),
        ("http://site.test:22/", "Port 22"),
        ("http://site.test:99999/", "not a valid address"),
        ("http://[::1/", "not a valid address"),
        ("http:///path", "not a valid address"),
        ("http://site.test\\@other.test/", "name or password|not a valid address"),
        ("http://site.test/a b", "invalid characters"),
        ("http://site.test/\r\nHost: x", "invalid characters"),
        ("http://sité.test/", "invalid characters"),
        ("http://unknown.test/", "cannot be resolved"),
        ("http://" + "a" * 3000, "invalid characters"),
    ],
)
async def test_addresses_that_may_not_be_asked_for(url: str, words: str) -> None:
    with pytest.raises(LookupRefused, match=words):
        await Fetcher(guard_for()).fetch(HttpRequest(url))


async def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    names = {"mixed.test": ("127.0.0.1", "10.0.0.1")}
    with site(lambda path: Page()) as served:
        with pytest.raises(LookupRefused, match="public internet"):
            guard = guard_for(served.port, names=names)
            await Fetcher(guard).fetch(HttpRequest(f"http://mixed.test:{served.port}/"))
        assert served.seen == []


async def test_a_name_that_changes_its_address_reaches_the_one_that_was_checked() -> None:
    """Rebinding: the resolver says another address every time; each connection asks it once."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",) if len(asked) == 1 else ("127.0.0.2",)

    with site(lambda path: Page(b"checked", "text/plain")) as served:
        guard = Guard(frozenset({served.port}), resolve, lambda one: str(one) == "127.0.0.1")
        call = HttpRequest(f"http://rebind.test:{served.port}/")
        assert (await Fetcher(guard).fetch(call)).text == "checked"
        assert asked == ["rebind.test"]
        assert served.seen[0][2]["host"] == f"rebind.test:{served.port}"
        with pytest.raises(LookupRefused, match="public internet"):
            await Fetcher(guard).fetch(call)
        assert len(served.seen) == 1
