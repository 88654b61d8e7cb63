"""Searches the web: by a provider that the operator chose, or by the library `ddgs` without an account.

A provider's address is the operator's own, and may be private; `ddgs` asks public engines, past the guard.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlencode

from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from bot.apart import run_child
from bot.errors import UserError
from bot.judges.web_access.base import Refused
from bot.judges.web_access.fetch import Call, Fetcher
from bot.judges.web_access.tunnel import Tunnel
from bot.settings import Settings

Provider = Literal["searxng", "brave", "tavily"]
MOST_RESULTS = 8
_TEXT_CHARS = 500
WORDS_CHARS = 400
_OWN = {
    "brave": "https://api.search.brave.com/res/v1/web/search",
    "tavily": "https://api.tavily.com/search",
}


class Result(BaseModel):
    """One result, as the providers spell it."""

    title: str = ""
    url: str = ""
    text: str = Field(default="", validation_alias=AliasChoices("content", "description", "text"))


class _Results(BaseModel):
    results: list[Result]


class _BraveReply(BaseModel):
    web: _Results = _Results(results=[])


class Search(Protocol):
    """A search engine."""

    async def search(self, words: str) -> str:
        """Return the first results as text. Raises Refused if no search engine responds."""
        ...


@dataclass(frozen=True, slots=True)
class ProviderSearch:
    """One provider; `fetcher` reaches it without redirects."""

    provider: Provider
    url: str
    key: str
    fetcher: Fetcher

    async def search(self, words: str) -> str:
        """The first results as text. Raises Refused when the provider does not answer."""
        fetched = await self.fetcher.fetch(self._call(words[:WORDS_CHARS]))
        if fetched.status != 200:
            raise Refused(f"The search provider responded with status {fetched.status}.")
        try:
            if self.provider == "brave":
                found = _BraveReply.model_validate_json(fetched.body).web.results
            else:
                found = _Results.model_validate_json(fetched.body).results
        except ValidationError as error:
            raise Refused("The search provider's response cannot be read.") from error
        return shown(found)

    def _call(self, words: str) -> Call:
        url = self.url or _OWN[self.provider]
        if self.provider == "tavily":
            body = {"query": words, "max_results": MOST_RESULTS}
            authorization = (("Authorization", f"Bearer {self.key}"),)
            return Call(url, authorization, json.dumps(body).encode())
        if self.provider == "brave":
            asked = urlencode({"q": words, "count": MOST_RESULTS})
            return Call(f"{url}?{asked}", (("X-Subscription-Token", self.key),))
        asked = urlencode({"q": words, "format": "json"})
        own = (("Authorization", f"Bearer {self.key}"),) if self.key else ()
        return Call(f"{url.rstrip('/')}/search?{asked}", own)


def shown(results: list[Result]) -> str:
    """The results as a judge reads them."""
    texts = [_shown(one) for one in results[:MOST_RESULTS] if one.url]
    return "\n\n".join(texts) or "Nothing was found."


def _shown(result: Result) -> str:
    text = " ".join(result.text.split())[:_TEXT_CHARS]
    return f"{' '.join(result.title.split())[:200]}\n{result.url[:500]}\n{text}"


def provider_search(settings: Settings, fetcher: Fetcher) -> ProviderSearch | None:
    """The provider that the settings name; None where they name none."""
    if settings.search not in ("searxng", "brave", "tavily"):
        return None
    key = settings.search_key.get_secret_value()
    return ProviderSearch(settings.search, settings.search_url, key, fetcher)


_ASK = (sys.executable, "-I", str(Path(__file__).parent / "inside/meta_search.py"))
_TIMEOUT_S = 30.0
_RESULTS = TypeAdapter(list[Result])


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
                said = await run_child(_ASK, json.dumps(asked).encode(), _TIMEOUT_S, is_silent=True)
            except (TimeoutError, ChildProcessError) as error:
                raise Refused("No search engine responded.") from error
        return shown(_RESULTS.validate_json(said))


def require_ddgs() -> None:
    """Raise UserError where the library is not installed."""
    if find_spec("ddgs") is None:
        raise UserError(
            "`ASSAY_SEARCH=ddgs` needs the package ddgs, which is not installed.",
            "Install the extra `search`: .venv/bin/pip install --no-deps -r deploy/search.lock",
        )
