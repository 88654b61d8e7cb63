"""Reduces a page to text, in a process of its own: hostile markup costs it time without end."""

from __future__ import annotations

from bot.lookup.apart import run_apart
from bot.lookup.base import Refused
from bot.lookup.fetch import Fetched

_TIMEOUT_S = 15.0
_HTML = ("text/html", "application/xhtml+xml")


async def text_of(page: Fetched) -> str:
    """The page's text, with addresses of links. Raises Refused when it cannot be made in time."""
    if not page.kind.startswith(_HTML):
        return page.text
    try:
        said = await run_apart("reduce.py", page.text.encode("utf-8", "replace"), _TIMEOUT_S)
    except Refused as error:
        raise Refused("The page took too long to read.") from error
    return said.decode("utf-8", "replace")
