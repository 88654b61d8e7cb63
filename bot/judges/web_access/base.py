"""The interface to the web: a judge's request or a linked page goes in, untrusted text comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.errors import AssayError


class LookupRefused(AssayError):
    """A look-up that is not allowed or failed; `why` is one sentence for people and models."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page says, reduced to text: scrubbed and capped; `is_cut` says that it was longer."""

    url: str
    text: str
    is_cut: bool


class Web(Protocol):
    """What reaches the web. Its texts are not enclosed: whoever puts one into a prompt encloses it."""

    async def __call__(self, request: str) -> str:
        """Answer a judge's request (an address, search words, `pip:name`, `npm:name`); raises nothing."""
        ...

    async def page(self, url: str) -> PageText:
        """Read one page. Raises Refused if it may not be fetched, fails, or is not text."""
        ...
