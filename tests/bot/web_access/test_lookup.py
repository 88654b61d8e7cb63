"""What a judge gets for an address, search words or a package: text, capped and scrubbed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from pydantic import SecretStr, ValidationError

from bot.judges.web_access import open_lookup
from bot.judges.web_access.fetch import Fetcher
from bot.judges.web_access.lookup import TEXT_CHARS, WebLookup, packages_by
from bot.settings import Settings
from sandbox.base import Command, Completed, Sandbox
from tests.bot.web_access.servers import Page, Site, guard_for, site

pytestmark = pytest.mark.real
HTML = b"""<!doctype html><title>Guide</title><style>p{}</style><script>alert(1)</script>
<nav><a href="/x">menu</a></nav><h2>Use it</h2><p>Call <code>run()</code> &amp; wait.</p>
<ul><li>one<li>two</ul>
<p>See <a href="https://docs.test/a?b=1&amp;c=2">the docs</a>\xe2\x80\x8b\x1b[31m.</p>"""


class Registry:
    """A sandbox in which pip's client answers as it does for one known package."""

    async def run(self, command: Command) -> Completed:
        name = command.stdin.decode().strip()
        if name in {"packaging", "known"}:
            return Completed(0, f"{name}==1.2.3\n".encode(), b"", 0.1)
        return Completed(1, b"", f"{name} was not found in the package registry".encode(), 0.1)


REGISTRY = cast(Sandbox, Registry())


def lookup_at(served: Site) -> WebLookup:
    return WebLookup(Fetcher(guard_for(served.port)), None, packages_by(REGISTRY))


async def test_a_page_becomes_text() -> None:
    with site(lambda path: Page(HTML)) as served:
        said = await lookup_at(served)(f"http://site.test:{served.port}/guide")
    assert said.startswith(f"http://site.test:{served.port}/guide answers 200.\n")
    assert "## Use it" in said
    assert "Call run() & wait." in said
    assert "See the docs (https://docs.test/a?b=1&c=2)." in said
    assert "one\n" in said
    for unwanted in ("alert", "p{}", "menu", "\x1b", "\u200b", "<"):
        assert unwanted not in said


async def test_a_page_that_nests_without_end_is_given_up() -> None:
    with site(lambda path: Page(b"<div>" * 199_000)) as served:
        said = await lookup_at(served)(f"http://site.test:{served.port}/")
    assert said.startswith("Not looked up: The page took too long to read")


async def test_what_is_long_is_capped() -> None:
    with site(lambda path: Page(b"word " * 50_000, "text/plain")) as served:
        said = await lookup_at(served)(f"http://site.test:{served.port}/")
    assert len(said) <= TEXT_CHARS
    assert said.endswith("[the rest was left out]")


async def test_a_refusal_is_said_and_not_raised() -> None:
    lookup = WebLookup(Fetcher(guard_for()), None, packages_by(REGISTRY))
    for request in ("http://169.254.169.254/", "", "  ", "some words", "file:///etc/passwd"):
        assert (await lookup(request)).startswith("Not looked up: ")


SEARXNG = {"results": [{"title": "T", "url": "https://a.test/", "content": "found it", "score": 1}]}
TAVILY = {"results": [{"title": "T", "url": "https://a.test/", "content": "found it"}]}
BRAVE = {"web": {"results": [{"title": "T", "url": "https://a.test/", "description": "found it"}]}}


@pytest.mark.parametrize(
    ("provider", "reply"), [("searxng", SEARXNG), ("tavily", TAVILY), ("brave", BRAVE)]
)
async def test_each_search_provider(
    provider: str, reply: dict[str, object], tmp_path: Path
) -> None:
    page = Page(json.dumps(reply).encode(), "application/json")
    with site(lambda path: page) as served:
        url = f"http://127.0.0.1:{served.port}/" + ("" if provider == "searxng" else "search")
        key = SecretStr("" if provider == "searxng" else "the-key")
        settings = Settings(home=tmp_path, search=provider, search_url=url, search_key=key)
        lookup = open_lookup(settings, REGISTRY)
        assert lookup is not None
        assert await lookup("how to do & it") == "T\nhttps://a.test/\nfound it"
        assert (await lookup(url)).startswith("Not looked up: ")
    ((method, path, headers, body),) = served.seen
    if provider == "searxng":
        assert (method, path) == ("GET", "/search?q=how+to+do+%26+it&format=json")
    elif provider == "tavily":
        assert (method, headers["authorization"]) == ("POST", "Bearer the-key")
        assert json.loads(body)["query"] == "how to do & it"
    else:
        assert path == "/search?q=how+to+do+%26+it&count=8"
        assert headers["x-subscription-token"] == "the-key"


@pytest.mark.parametrize(
    "page",
    [
        Page(b"{}", "application/json", 429),
        Page(b"not json", "application/json"),
        Page(b'{"results": 3}', "application/json"),
        Page(b"<p>captcha"),
    ],
)
async def test_a_search_that_fails_says_so(page: Page, tmp_path: Path) -> None:
    with site(lambda path: page) as served:
        url = f"http://127.0.0.1:{served.port}"
        lookup = open_lookup(Settings(home=tmp_path, search="searxng", search_url=url), REGISTRY)
        assert lookup is not None
        assert (await lookup("words")).startswith("Not looked up: The search provider")


async def test_a_search_provider_leads_nowhere_else(tmp_path: Path) -> None:
    page = Page(status=302, headers=(("Location", "/admin"),))
    with site(lambda path: page) as served:
        url = f"http://127.0.0.1:{served.port}"
        settings = Settings(home=tmp_path, search="searxng", search_url=url)
        lookup = open_lookup(settings, REGISTRY)
        assert lookup is not None
        assert "redirects" in await lookup("words")
        assert len(served.seen) == 1


def test_it_is_off_unless_the_operator_sets_it(tmp_path: Path) -> None:
    assert open_lookup(Settings(home=tmp_path), REGISTRY) is None
    for wrong in ({"search": "searxng"}, {"search": "brave"}, {"search": "other"}):
        with pytest.raises(ValidationError):
            Settings(home=tmp_path, **wrong)


async def test_packages_are_looked_up_by_their_registrys_client() -> None:
    lookup = WebLookup(Fetcher(guard_for()), None, packages_by(REGISTRY))
    assert await lookup("pip:known") == "The pip package known exists. Its newest version is 1.2.3."
    assert await lookup("pip:made-up") == "The pip package made-up does not exist."
    assert (await lookup("pip:known --index x")).startswith("Not looked up")
