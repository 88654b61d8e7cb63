"""Pages are fetched within bounds, and nothing of ours goes with the request."""

from __future__ import annotations

import gzip
import ssl
import threading
import zlib
from pathlib import Path

import pytest

from bot.judges.web_access import LookupRefused
from bot.judges.web_access.fetch import Fetcher, FetchLimits, HttpRequest
from tests.bot.web_access.servers import Page, certificate, guard_for, site

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.2/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://inner.test/",
        "//inner.test/",
        "file:///etc/passwd",
        "http://user:word@site.test/",
        "http://site.test:6379/",
    ],
)
async def test_every_redirect_is_checked(target: str) -> None:
    def answer(path: str) -> Page:
        return Page(status=302, headers=(("Location", target),))

    with site(answer) as served:
        guard = guard_for(served.port, names={"inner.test": ("10.0.0.7",)})
        with pytest.raises(LookupRefused):
            await Fetcher(guard).fetch(HttpRequest(f"http://site.test:{served.port}/"))
        assert len(served.seen) == 1


async def test_redirects_are_followed_without_cookies_and_end() -> None:
    def answer(path: str) -> Page:
        if path == "/end":
            return Page(b"there", "text/plain")
        target = "/end" if path == "/start" else "/again"
        return Page(status=301, headers=(("Location", target), ("Set-Cookie", "a=b")))

    with site(answer) as served:
        fetcher = Fetcher(guard_for(served.port))
        fetched = await fetcher.fetch(HttpRequest(f"http://site.test:{served.port}/start"))
        assert (fetched.text, fetched.url) == ("there", f"http://site.test:{served.port}/end")
        assert all("cookie" not in headers for _, _, headers, _ in served.seen)
        with pytest.raises(LookupRefused, match="more than 5"):
            await fetcher.fetch(HttpRequest(f"http://site.test:{served.port}/again"))
        assert len(served.seen) == 2 + 6


async def test_a_key_goes_nowhere_else() -> None:
    with site(lambda path: Page(status=307, headers=(("Location", "/other"),))) as served:
        call = HttpRequest(f"http://site.test:{served.port}/", (("Authorization", "Bearer key"),))
        with pytest.raises(LookupRefused, match="carries credentials"):
            await Fetcher(guard_for(served.port)).fetch(call)
        assert len(served.seen) == 1


async def test_a_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        site(lambda path: Page(b"page", "text/plain")) as served,
        site(lambda path: Page()) as proxy,
    ):
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        call = HttpRequest(f"http://site.test:{served.port}/")
        assert (await Fetcher(guard_for(served.port)).fetch(call)).text == "page"
        assert proxy.seen == []


@pytest.mark.parametrize(
    "packed", [gzip.compress(bytes(50_000_000), 1), zlib.compress(bytes(50_000_000), 1)]
)
async def test_a_decompression_bomb_is_cut(packed: bytes) -> None:
    page = Page(packed, "text/plain", headers=(("Content-Encoding", "gzip"),))
    with site(lambda path: page) as served:
        fetched = await Fetcher(guard_for(served.port)).fetch(
            HttpRequest(f"http://site.test:{served.port}/")
        )
        assert len(fetched.body) == 1_000_000
        assert fetched.is_cut


async def test_a_body_without_end_is_cut() -> None:
    with site(lambda path: Page(b"x" * 65_536, "text/plain", endless=True)) as served:
        fetched = await Fetcher(guard_for(served.port)).fetch(
            HttpRequest(f"http://site.test:{served.port}/")
        )
        assert (len(fetched.body), fetched.is_cut) == (1_000_000, True)


async def test_a_host_that_waits_is_left() -> None:
    wait = threading.Event()
    try:
        with site(lambda path: Page(wait=wait)) as served:
            fetcher = Fetcher(guard_for(served.port), FetchLimits(seconds=0.3))
            with pytest.raises(LookupRefused, match="longer than"):
                await fetcher.fetch(HttpRequest(f"http://site.test:{served.port}/"))
            wait.set()
    finally:
        wait.set()


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (Page(kind="application/octet-stream"), "not text"),
        (Page(kind="image/png"), "not text"),
        (Page(kind=""), "not text"),
        (Page(headers=(("Content-Encoding", "br"),)), "unsupported content encoding"),
        (Page(b"no gzip", headers=(("Content-Encoding", "gzip"),)), "cannot be read"),
    ],
)
async def test_answers_that_are_not_read(page: Page, words: str) -> None:
    with site(lambda path: page) as served, pytest.raises(LookupRefused, match=words):
        await Fetcher(guard_for(served.port)).fetch(HttpRequest(f"http://site.test:{served.port}/"))


async def test_a_host_that_is_not_there() -> None:
    with site(lambda path: Page()) as served:
        port = served.port
    with pytest.raises(LookupRefused, match="does not respond"):
        await Fetcher(guard_for(port)).fetch(HttpRequest(f"http://site.test:{port}/"))


async def test_tls_is_checked_for_the_name_and_not_for_the_address(tmp_path: Path) -> None:
    authority, served_by = certificate(tmp_path, "site.test")
    trusting = ssl.create_default_context(cafile=str(authority))
    names = {"other.test": ("127.0.0.1",)}
    with site(lambda path: Page(b"safe", "text/plain"), served_by) as served:
        guard = guard_for(served.port, names=names)
        fetcher = Fetcher(guard, verify=trusting)
        url = f"https://site.test:{served.port}/"
        assert (await fetcher.fetch(HttpRequest(url))).text == "safe"
        for wrong in (
            url.replace("site.test", "other.test"),
            url.replace("site.test", "127.0.0.1"),
        ):
            with pytest.raises(LookupRefused, match="does not respond"):
                await fetcher.fetch(HttpRequest(wrong))
        with pytest.raises(LookupRefused, match="does not respond"):
            await Fetcher(guard).fetch(HttpRequest(url))
