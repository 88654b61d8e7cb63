"""Looks things up on the web for judges: pages, a search provider's results, package registries.

A judge's request or a linked page goes in, untrusted text comes out: it may inform, and never by itself
satisfies. It runs outside the sandbox, so every connection goes through `guard.py`. Imported when it is
set.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from bot.errors import AssayError
from bot.settings import Settings
from sandbox.base import Sandbox


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

    async def page(self, url: str) -> PageText:
        """Read one page. Raises Refused if it may not be fetched, fails, or is not text."""


def open_lookup(settings: Settings, sandbox: Sandbox) -> Web | None:
    """What looks things up as the operator allows; None where `ASSAY_SEARCH` is not set."""
    if not settings.search:
        return None
    opened: Web = import_module("bot.judges.web_access.lookup").open_lookup(settings, sandbox)
    return opened
