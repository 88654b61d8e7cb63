"""Reduces a page to text, in a process of its own: hostile markup costs it time without end."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.lookup.base import Refused
from bot.lookup.fetch import Fetched

_REDUCER = Path(__file__).parent / "inside" / "reduce.py"
_TIMEOUT_S = 15.0
_HTML = ("text/html", "application/xhtml+xml")


async def text_of(page: Fetched) -> str:
    """The page's text, with addresses of links. Raises Refused when it cannot be made in time."""
    if not page.kind.startswith(_HTML):
        return page.text
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(_REDUCER),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            said, _ = await process.communicate(page.text.encode("utf-8", "replace"))
    except TimeoutError as error:
        raise Refused("The page cannot be read in a bounded time.") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise Refused("The page cannot be read.")
    return said.decode("utf-8", "replace")
