"""People sign in with GitHub and see what is judged in the repositories that they can read, and no other."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from tests.browsing import DESKTOP, PHONE, chromium, look
from tests.e2e.project import FIX
from tests.e2e.town import Place, Town

pytestmark = pytest.mark.real
ISSUE = "Round half up\n\n- [ ] `round_half_up(0.5)` is 1\n"


async def signed_in(town: Town, browser: Browser, login: str) -> tuple[BrowserContext, Page]:
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(town.public_url)
    await page.get_by_role("link", name="Sign in with GitHub").click()
    await page.get_by_role("link", name=f"Continue as {login}", exact=True).click()
    await expect(page.get_by_role("heading", name="Evaluations")).to_be_visible()
    return context, page


def judged(town: Town) -> tuple[Place, int]:
    place = town.place(private=True)
    sha = place.push("fix", FIX)
    number = place.open("fix", "Fix it")
    place.completed(sha)
    return place, number


async def test_a_person_signs_in_and_reads_a_report_that_a_stranger_does_not_see(
    town: Town,
) -> None:
    place, number = judged(town)
    async with chromium() as browser:
        context, page = await signed_in(town, browser, "ben")
        (cookie,) = [one for one in await context.cookies() if one["name"] == "assay"]
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")

        await page.get_by_role("link", name=f"{place.name} #{number}").click()
        assert "s=" not in page.url
        await expect(page.get_by_role("heading", name="Requirements", exact=True)).to_be_visible()
        graph = page.get_by_role("img", name=re.compile("Requirements and what they build on"))
        await expect(graph).to_be_visible()
        for width in (DESKTOP, PHONE):
            seen = await look(page, width)
            assert (seen.serious, seen.too_wide_px) == ((), 0)
        report = page.url
        for kind in ("json", "md", "pdf"):
            link = page.get_by_role(
                "link", name={"json": "JSON", "md": "Markdown"}.get(kind, "PDF")
            )
            assert (await link.get_attribute("href") or "").endswith(f".{kind}")
        await page.get_by_role("link", name="All evaluations").click()
        await page.get_by_role("button", name="Sign out").click()
        await expect(page.get_by_role("link", name="Sign in with GitHub")).to_be_visible()
        assert (await context.request.get(report)).status == 404

        strange, other = await signed_in(town, browser, "zoe")
        assert place.name not in await other.content()
        for path in (report, f"{town.public_url}/repositories/{place.name}"):
            assert (await strange.request.get(path)).status == 404
