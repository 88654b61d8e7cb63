"""Answers one request of a judge: an address, search words, or a package."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit

from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from bot.apart import run_child
from bot.errors import UserError
from bot.judges.web_access import LookupRefused, PageText
from bot.judges.web_access.fetch import Fetched, Fetcher, FetchLimits, HttpRequest
from bot.judges.web_access.guard import DEFAULT_PORTS, Guard, Tunnel, resolve
from bot.settings import Settings
from bot.text import scrub
from sandbox.base import Sandbox
from sandbox.registry import Client, RegistryAnswer, WantedPackage, look_up, newest_version

TEXT_CHARS = 12_000


Search = Callable[[str], Awaitable[str]]
"""Returns the first results for words as text. Raises Refused if no search engine responds."""


@dataclass(frozen=True, slots=True)
class WebLookup:
    """The parts that answer; `search` is None where no provider is set."""

    fetcher: Fetcher
    search: Search | None
    packages: Packages

    async def __call__(self, request: str) -> str:
        """Answer as text: scrubbed, at most TEXT_CHARS long, and a sentence where there is nothing."""
        request = request.strip()
        try:
            if (wanted := wanted_package(request)) is not None:
                found = await self.packages(wanted)
            elif not request:
                raise LookupRefused("The request is empty.")
            elif "://" in request.split(maxsplit=1)[0]:
                fetched = await self.fetcher.fetch(HttpRequest(request))
                page = await _read(fetched)
                cut = "\n[the rest was left out]" if page.is_cut else ""
                found = (
                    f"{page.url} answers {fetched.status}.\n{page.text[: TEXT_CHARS - 300]}{cut}"
                )
            elif self.search is None:
                raise LookupRefused("No search provider is set; only addresses can be looked up.")
            else:
                found = await self.search(request)
        except LookupRefused as refused:
            return f"Not looked up: {refused.why}"
        return scrub(found)[:TEXT_CHARS]

    async def page(self, url: str) -> PageText:
        """Read the text of one page. Raises Refused, also if there is none."""
        fetched = await self.fetcher.fetch(HttpRequest(url))
        if fetched.status != HTTPStatus.OK:
            raise LookupRefused(f"The host responded with status {fetched.status}.")
        return await _read(fetched)


async def _read(fetched: Fetched) -> PageText:
    text = scrub(await text_of(fetched))
    return PageText(fetched.url, text[:TEXT_CHARS], fetched.is_cut or len(text) > TEXT_CHARS)


def open_lookup(settings: Settings, sandbox: Sandbox) -> WebLookup:
    """Set up the parts that the operator chose. Raises UserError if one is not installed."""
    fetcher = Fetcher(Guard(DEFAULT_PORTS | frozenset(settings.search_ports)))
    search: Search | None = None
    if settings.search == "ddgs":
        if find_spec("ddgs") is None:
            raise UserError(
                "`ASSAY_SEARCH=ddgs` needs the package ddgs, which is not installed.",
                "Install the extra `search`: .venv/bin/pip install --no-deps -r deploy/search.lock",
            )
        search = MetaSearch(Tunnel(Guard())).search
    elif settings.search in ("searxng", "brave", "tavily"):
        # The provider's address is set by the operator: it may be in a private network.
        port = urlsplit(settings.search_url).port
        ports = DEFAULT_PORTS | ({port} if port else frozenset())
        reached = Fetcher(Guard(ports, resolve, lambda _address: True), FetchLimits(redirects=0))
        key = settings.search_key.get_secret_value()
        search = ProviderSearch(settings.search, settings.search_url, key, reached).search
    return WebLookup(fetcher, search, packages_by(sandbox))


_REDUCE = (sys.executable, "-I", str(Path(__file__).parent / "inside/reduce.py"))
_TIMEOUT_S = 15.0
_HTML = ("text/html", "application/xhtml+xml")


async def text_of(page: Fetched) -> str:
    """The page's text, with addresses of links. Raises Refused when it cannot be made in time."""
    if not page.kind.startswith(_HTML):
        return page.text
    try:
        said = await run_child(
            _REDUCE, page.text.encode("utf-8", "replace"), _TIMEOUT_S, is_silent=True
        )
    except (TimeoutError, ChildProcessError) as error:
        raise LookupRefused("The page took too long to read.") from error
    return said.decode("utf-8", "replace")


Packages = Callable[[WantedPackage], Awaitable[str]]
"""Answers in words what is known of one package."""

_REQUEST = re.compile(r"(pip|npm):(@?[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?)", re.ASCII)
_MOST_NAME_CHARS = 214
_WORDS = {
    RegistryAnswer.EXISTS: "exists",
    RegistryAnswer.ABSENT: "does not exist",
    RegistryAnswer.YOUNG: "exists, and was first published within the last two weeks",
    RegistryAnswer.UNKNOWN: "could not be looked up: its registry does not answer",
}


def wanted_package(request: str) -> WantedPackage | None:
    """The package that a request of the form `pip:name` or `npm:name` asks for."""
    found = _REQUEST.fullmatch(request.strip())
    if found is None or len(found[2]) > _MOST_NAME_CHARS:
        return None
    return WantedPackage(Client(found[1]), found[2])


def packages_by(sandbox: Sandbox) -> Packages:
    """Ask registries by their clients in this sandbox."""

    async def ask(wanted: WantedPackage) -> str:
        answer = (await look_up(sandbox, [wanted]))[wanted]
        said = f"The {wanted.client.value} package {wanted.name} {_WORDS[answer]}."
        if answer not in {RegistryAnswer.EXISTS, RegistryAnswer.YOUNG}:
            return said
        version = await newest_version(sandbox, wanted)
        return f"{said} Its newest version is {version}." if version else said

    return ask


# --- searches the web: by a provider that the operator chose, or by the library `ddgs` without an account


Provider = Literal["searxng", "brave", "tavily"]
MOST_RESULTS = 8
_TEXT_CHARS = 500
WORDS_CHARS = 400
_OWN = {
    "brave": "https://api.search.brave.com/res/v1/web/search",
    "tavily": "https://api.tavily.com/search",
}


class SearchResult(BaseModel):
    """One result, as the providers spell it."""

    title: str = ""
    url: str = ""
    text: str = Field(default="", validation_alias=AliasChoices("content", "description", "text"))


class _Results(BaseModel):
    results: list[SearchResult]


class _BraveReply(BaseModel):
    web: _Results = _Results(results=[])


@dataclass(frozen=True, slots=True)
class ProviderSearch:
    """One provider; `fetcher` reaches it without redirects."""

    provider: Provider
    url: str
    key: str
    fetcher: Fetcher

    async def search(self, words: str) -> str:
        """The first results as text. Raises Refused when the provider does not answer."""
        url, words = self.url or _OWN[self.provider], words[:WORDS_CHARS]
        if self.provider == "tavily":
            body = json.dumps({"query": words, "max_results": MOST_RESULTS}).encode()
            call = HttpRequest(url, (("Authorization", f"Bearer {self.key}"),), body)
        elif self.provider == "brave":
            asked = urlencode({"q": words, "count": MOST_RESULTS})
            call = HttpRequest(f"{url}?{asked}", (("X-Subscription-Token", self.key),))
        else:
            asked = urlencode({"q": words, "format": "json"})
            own = (("Authorization", f"Bearer {self.key}"),) if self.key else ()
            call = HttpRequest(f"{url.rstrip('/')}/search?{asked}", own)
        fetched = await self.fetcher.fetch(call)
        if fetched.status != 200:
            raise LookupRefused(f"The search provider responded with status {fetched.status}.")
        try:
            if self.provider == "brave":
                found = _BraveReply.model_validate_json(fetched.body).web.results
            else:
                found = _Results.model_validate_json(fetched.body).results
        except ValidationError as error:
            raise LookupRefused("The search provider's response cannot be read.") from error
        return shown(found)


def shown(results: list[SearchResult]) -> str:
    """The results as a judge reads them."""
    texts = []
    for one in results[:MOST_RESULTS]:
        title, text = " ".join(one.title.split())[:200], " ".join(one.text.split())[:_TEXT_CHARS]
        if one.url:
            texts.append(f"{title}\n{one.url[:500]}\n{text}")
    return "\n\n".join(texts) or "Nothing was found."


_ASK = (sys.executable, "-I", str(Path(__file__).parent / "inside/meta_search.py"))
_SEARCH_TIMEOUT_S = 30.0
_RESULTS = TypeAdapter(list[SearchResult])


@dataclass(frozen=True, slots=True)
class MetaSearch:
    """One search a process; `authority` is a file of certificates to trust instead of the usual ones."""

    tunnel: Tunnel
    authority: str = ""

    async def search(self, words: str) -> str:
        """The first results as text. Raises Refused when no search engine answers in time."""
        async with self.tunnel.opened() as proxy:
            asked = {
                "words": words[:WORDS_CHARS],
                "proxy": proxy,
                "most": MOST_RESULTS,
                "authority": self.authority,
            }
            try:
                said = await run_child(
                    _ASK, json.dumps(asked).encode(), _SEARCH_TIMEOUT_S, is_silent=True
                )
            except (TimeoutError, ChildProcessError) as error:
                raise LookupRefused("No search engine responded.") from error
        return shown(_RESULTS.validate_json(said))
