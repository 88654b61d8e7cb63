"""Search by `ddgs`: the real library, in its process, through the guarded tunnel to a real TLS server."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.judges.web_access import LookupRefused
from bot.judges.web_access.guard import Guard, Streams, Tunnel
from bot.judges.web_access.lookup import MetaSearch
from tests.bot.web_access.servers import Page, Site, certificate, guard_for, site

pytest.importorskip("ddgs", reason="the extra `search` is not installed")
pytestmark = pytest.mark.real
ENGINE = "html.duckduckgo.com"
RESULTS = b"""<html><body><div class="result__body body"><h2>How to round prices</h2>
<a href="https://docs.test/rounding">Prices are rounded half up when they are shown.</a></div>
</body></html>"""


def tunnel_to(served: Site, guard: Guard, **more: int) -> Tunnel:
    """A tunnel whose connections all end at one server, whatever their port."""

    async def connect(address: str, _port: int) -> Streams:
        return await asyncio.open_connection(address, served.port)

    return Tunnel(guard, connect=connect, **more)


async def test_the_library_searches_through_the_tunnel(tmp_path: Path) -> None:
    authority, tls = certificate(tmp_path, ENGINE)
    guard = guard_for(names={ENGINE: ("127.0.0.1",)})
    with site(lambda path: Page(RESULTS), tls) as served:
        search = MetaSearch(tunnel_to(served, guard), str(authority))
        said = await search.search("round prices")
    assert said.startswith("How to round prices\nhttps://docs.test/rounding\nPrices are rounded")
    ((method, path, _, body),) = served.seen
    assert (method, path) == ("POST", "/html/")
    assert b"round+prices" in body or b"round%20prices" in body


async def test_no_engine_is_an_answer_in_words(tmp_path: Path) -> None:
    nowhere = Guard(resolve=guard_for().resolve)
    with pytest.raises(LookupRefused, match="No search engine responded"):
        await MetaSearch(Tunnel(nowhere)).search("anything")


async def spoken(proxy: str, head: str, password: str | None = None) -> Streams:
    """A connection to the proxy that has said its head."""
    parts = urlsplit(proxy)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    secret = base64.b64encode(f"assay:{password or parts.password}".encode()).decode()
    writer.write(f"{head}\r\nProxy-Authorization: Basic {secret}\r\n\r\n".encode())
    return reader, writer


@pytest.mark.parametrize(
    ("head", "password"),
    [
        ("CONNECT site.test:443 HTTP/1.1", "guess"),
        ("CONNECT site.test:80 HTTP/1.1", None),
        ("CONNECT site.test:22 HTTP/1.1", None),
        ("GET http://site.test/ HTTP/1.1", None),
        ("CONNECT private.test:443 HTTP/1.1", None),
        ("CONNECT metadata.test:443 HTTP/1.1", None),
        ("CONNECT 10.0.0.1:443 HTTP/1.1", None),
        ("CONNECT [::1]:443 HTTP/1.1", None),
        ("CONNECT unknown.test:443 HTTP/1.1", None),
        ("CONNECT", None),
        ("\x00\xff", None),
        ("X: " + "y" * 20_000, None),
    ],
)
async def test_nothing_else_gets_through(head: str, password: str | None) -> None:
    names = {"private.test": ("10.0.0.1",), "metadata.test": ("127.0.0.1", "169.254.169.254")}
    with site(lambda path: Page()) as served:
        async with tunnel_to(served, guard_for(names=names)).opened() as proxy:
            reader, writer = await spoken(proxy, head, password)
            said = await reader.read(100)
            writer.close()
            await writer.wait_closed()
    assert said.startswith(b"HTTP/1.1 403")
    assert served.seen == []


async def test_it_moves_so_much_and_ends_with_its_context() -> None:
    with site(lambda path: Page(b"x" * 10_000, endless=True)) as served:
        async with tunnel_to(served, guard_for(), most_bytes=100_000).opened() as proxy:
            reader, writer = await spoken(proxy, "CONNECT site.test:443 HTTP/1.1")
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"GET / HTTP/1.1\r\nHost: site.test\r\n\r\n")
            moved = len(await reader.read(-1))
            writer.close()
            await writer.wait_closed()
    assert 0 < moved <= 100_000
