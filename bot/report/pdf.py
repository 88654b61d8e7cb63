"""The HTML report on A4 paper, by Chromium without scripts and without network."""

from __future__ import annotations

import asyncio
import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import playwright
from playwright.async_api import Browser, Error, Route, async_playwright

TIMEOUT_S = 60.0

_FLAGS = (
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF, or None with a remark that says why there is none."""

    content: bytes | None
    remark: str = ""


async def pdf(html: str, chromium: str) -> Pdf:
    """Print a page of our own making. Never raises for a browser's sake: a report needs no PDF."""
    if not Path(chromium).is_file():  # noqa: ASYNC240 - one stat
        return Pdf(None, f"No PDF: there is no Chromium at {chromium} (set ASSAY_CHROMIUM).")
    if problem := await asyncio.to_thread(_driver_problem):
        return Pdf(None, f"No PDF: Playwright's driver does not run ({problem}).")
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return Pdf(await _printed(html, chromium))
    except TimeoutError:
        return Pdf(None, f"No PDF: Chromium took longer than {TIMEOUT_S:.0f} s.")
    except Error as error:
        first_line = error.message.partition("\n")[0]
        return Pdf(None, f"No PDF: Chromium failed ({first_line[:200]}).")


@functools.cache
def _driver_problem() -> str:
    """Say why the driver cannot run, empty when it can; Playwright itself raises a bare Exception then."""
    node = Path(playwright.__file__).parent / "driver" / "node"
    try:
        done = subprocess.run([node, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
    return said.rpartition("node: ")[2][:200] if done.returncode else ""


async def _printed(html: str, chromium: str) -> bytes:
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=chromium,
            args=list(_FLAGS),
            # Chromium refuses its own sandbox to root; a fresh profile folder comes with each launch.
            chromium_sandbox=os.geteuid() != 0,
        )
        try:
            return await _print_page(browser, html)
        finally:
            await browser.close()


async def _print_page(browser: Browser, html: str) -> bytes:
    context = await browser.new_context(java_script_enabled=False, offline=True)
    await context.route("**/*", _refuse)
    page = await context.new_page()
    # Folds are ours alone (untrusted text is escaped): on paper all of them stand open.
    await page.set_content(html.replace("<details>", "<details open>"), timeout=TIMEOUT_S * 1000)
    return await page.pdf(
        print_background=True, prefer_css_page_size=True, outline=True, tagged=True
    )


async def _refuse(route: Route) -> None:
    await route.abort()
