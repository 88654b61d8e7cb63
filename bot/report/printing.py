"""Prints a page by Chromium: the one module that imports Playwright."""

from __future__ import annotations

import os

from playwright.async_api import Browser, Error, Route, async_playwright

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


async def printed(html: str, chromium: str, timeout_s: float) -> tuple[bytes | None, str]:
    """Return the PDF, or None and what Chromium says of its failure."""
    try:
        return await _printed(html, chromium, timeout_s), ""
    except Error as error:
        return None, error.message.partition("\n")[0][:200]


async def _printed(html: str, chromium: str, timeout_s: float) -> bytes:
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=chromium,
            args=list(_FLAGS),
            # Chromium refuses its own sandbox to root; a fresh profile folder comes with each launch.
            chromium_sandbox=os.geteuid() != 0,
        )
        try:
            return await _print_page(browser, html, timeout_s)
        finally:
            await browser.close()


async def _print_page(browser: Browser, html: str, timeout_s: float) -> bytes:
    context = await browser.new_context(java_script_enabled=False, offline=True)
    await context.route("**/*", _refuse)
    page = await context.new_page()
    # Folds are ours alone (untrusted text is escaped): on paper those that say so stand open, and what
    # nobody reads on paper stays in the page.
    await page.set_content(
        html.replace('<details class="paper">', '<details class="paper" open>'),
        timeout=timeout_s * 1000,
    )
    return await page.pdf(
        print_background=True, prefer_css_page_size=True, outline=True, tagged=True
    )


async def _refuse(route: Route) -> None:
    await route.abort()
