"""Looks things up on the web for judges: pages, a search provider's results, package registries.

It runs outside the sandbox, so every connection goes through `guard.py`. What it brings back is text of
strangers: it may inform, and never by itself satisfies. Imported when it is set.
"""

from __future__ import annotations

from importlib import import_module

from bot.judges.web_access.base import LookupRefused, PageText, Web
from bot.settings import Settings
from sandbox.base import Sandbox

__all__ = ["LookupRefused", "PageText", "Web", "open_lookup"]


def open_lookup(settings: Settings, sandbox: Sandbox) -> Web | None:
    """What looks things up as the operator allows; None where `ASSAY_SEARCH` is not set."""
    if not settings.search:
        return None
    opened: Web = import_module("bot.judges.web_access.lookup").open_lookup(settings, sandbox)
    return opened
