"""Searches without a provider's account: the library `ddgs` asks public search engines, past the guard."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.util import find_spec

from pydantic import TypeAdapter

from bot.errors import UserError
from bot.lookup.apart import run_apart
from bot.lookup.base import Refused
from bot.lookup.search import MOST_RESULTS, WORDS_CHARS, Result, shown
from bot.lookup.tunnel import Tunnel

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
                said = await run_apart("meta_search.py", json.dumps(asked).encode(), _TIMEOUT_S)
            except Refused as error:
                raise Refused("No search engine responded.") from error
        return shown(_RESULTS.validate_json(said))


def require_ddgs() -> None:
    """Raise UserError where the library is not installed."""
    if find_spec("ddgs") is None:
        raise UserError(
            "`ASSAY_SEARCH=ddgs` needs the package ddgs, which is not installed.",
            "Install the extra `search`: .venv/bin/pip install --no-deps -r deploy/search.lock",
        )
