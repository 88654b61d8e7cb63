"""Chromium as people use it, and axe-core beside it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, async_playwright

from bot.settings import Settings
from sandbox.browser.journey import axe_file

PHONE, DESKTOP = 390, 1280
_AXE = """async () => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  const where = (one) => one.nodes.map((node) => node.target.join(" ")).join("; ");
  return found.violations.map((one) => [one.impact, one.id, where(one)]);
}"""
_WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True, slots=True)
class Looked:
    """What a page of some width has against it."""

    serious: tuple[str, ...]
    too_wide_px: int


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """A browser; the test is skipped where none is installed."""
    program = Settings().chromium
    if not Path(program).is_file():  # noqa: ASYNC240
        pytest.skip("no Chromium is installed: apt-get install chromium")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=program, chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        await browser.close()


async def look(page: Page, width: int, picture: Path | None = None) -> Looked:
    """Hold a page against axe-core's rules, and against sideways scrolling.

    axe-core runs in the driver's own world: the page's policy stays as it is.
    """
    await page.set_viewport_size({"width": width, "height": 900})
    axe = axe_file()
    assert axe, "axe-playwright-python is not installed"
    session = await page.context.new_cdp_session(page)
    frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame})
    where = {"contextId": world["executionContextId"], "returnByValue": True}
    await session.send("Runtime.evaluate", {"expression": axe.read_text(), **where})
    told = await session.send(
        "Runtime.evaluate", {"expression": f"({_AXE})()", "awaitPromise": True, **where}
    )
    assert "exceptionDetails" not in told, told
    bad = [
        f"{impact} {rule} at {at}"
        for impact, rule, at in told["result"]["value"]
        if impact in {"serious", "critical"}
    ]
    if picture:
        await page.screenshot(path=picture, full_page=True)
    return Looked(tuple(bad), await page.evaluate(_WIDER))
