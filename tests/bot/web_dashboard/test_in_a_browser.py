"""The dashboard in Chromium: live, by keyboard, on a phone, and held against axe-core's rules."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from bot.report.machine import machine
from bot.report.markdown import html
from bot.report.view import view
from bot.store import Ended, EvaluationFacts, EvaluationState, HostDisk
from bot.values import Conclusion, Role, RoleUsage
from tests.bot.report.examples import deliberated
from tests.bot.web_dashboard.conftest import Site
from tests.browsing import DESKTOP, PHONE, chromium, look

pytestmark = [pytest.mark.real, pytest.mark.slow]
STRANGE = "👩‍👩‍👧‍👦 \u202eesrever\u202c <script>alert(1)</script> " + "long" * 15_000


def filled(site: Site) -> None:
    """Evaluations of every state, of two repositories, with words that nobody should trust."""
    for number in range(1, 31):
        conclusion = (Conclusion.SUCCESS, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED)[
            number % 3
        ]
        facts = EvaluationFacts(
            ("", "devin", "copilot")[number % 3],
            2 + number % 2,
            4,
            0.02 * number,
            ("tests/test_clock.py::test_midnight",) if number % 4 == 0 else (),
        )
        place = (site.secret_repository, site.shared_repository)[number % 2]
        site.judged(f"e{number}", conclusion, facts, number=number, repository=place)
    strange = EvaluationFacts(STRANGE, 1, 2, None, (STRANGE,))
    site.judged("strange", Conclusion.FAILURE, strange, number=77, title=STRANGE, actor=STRANGE)
    site.evaluation("waits", number=78)
    site.evaluation("runs", number=79)
    site.records.started("runs", "observe")
    site.evaluation("failed", number=80)
    site.records.ended("failed", Ended(EvaluationState.FAILED, problem=STRANGE))
    for name in ("nightly agent", STRANGE):
        site.records.issue_token(site.secret_repository, 30, name)
    site.records.host_seen(HostDisk("worker-1:/srv/assay", 5 * 10**9, 10**9, time.time()))
    site.records.host_seen(HostDisk("worker-2:/srv/assay", 10**8, 10**9, time.time()))
    site.records.finished("observe", "observe", 12.5)
    site.records.used(
        "u1", (RoleUsage(Role.PANEL, "some-model", 9, 1, 120_000, 9_000, 1.25, 60.0),)
    )
    shown = view(deliberated())
    for name, text in (("html", html(shown)), ("json", machine(shown))):
        site.artifacts.put("r1", f"report.{name}", text.encode())
    site.evaluation("report", number=81)
    done = Ended(EvaluationState.DONE, Conclusion.ACTION_REQUIRED, shown.title, report_key="r1")
    site.records.ended("report", done)


async def entered(site: Site, browser: Browser, *, script: bool = True) -> Page:
    """A page of ada's browser, signed in by clicking."""
    context = await browser.new_context(java_script_enabled=script)
    page = await context.new_page()
    await page.goto(site.address)
    await page.get_by_role("link", name="Sign in with GitHub").click()
    await page.get_by_role("link", name="Continue as ada", exact=True).click()
    await expect(page.get_by_role("heading", name="Evaluations", exact=True)).to_be_visible()
    return page


async def test_every_page_is_sound_on_a_desktop_and_on_a_phone(site: Site) -> None:
    filled(site)
    pictures = Path(os.environ.get("ASSAY_TEST_PICTURES", ""))
    async with chromium() as browser:
        page = await entered(site, browser)
        problems: list[str] = []
        page.on("console", lambda said: problems.append(f"{said.text} {said.location}"))
        page.on("pageerror", lambda error: problems.append(str(error)))
        operator = await (await browser.new_context()).new_page()
        await operator.goto(f"{site.address}/operator?s={site.links.signature('index')}")
        looks = {
            "front": (await (await browser.new_context()).new_page(), "/"),
            "list": (page, "/"),
            "filtered": (page, "/?conclusion=failure&agent=devin"),
            "repository": (page, f"/repositories/{site.secret_repository}"),
            "tokens": (page, "/tokens"),
            "running": (page, "/evaluations/runs"),
            "report": (page, "/evaluations/report"),
            "operator": (operator, "/operator"),
        }
        for name, (where, path) in looks.items():
            await where.goto(f"{site.address}{path}")
            for width in (DESKTOP, PHONE):
                picture = pictures / f"{name}-{width}.png" if pictures.name else None
                seen = await look(where, width, picture)
                assert (seen.serious, seen.too_wide_px) == ((), 0), (name, width)
        assert [one for one in problems if "/favicon.ico" not in one] == []


async def test_the_list_follows_what_happens_without_a_reload(site: Site) -> None:
    site.evaluation("e1", number=5)
    async with chromium() as browser:
        page = await entered(site, browser)
        await page.evaluate("window.same = true")
        row = page.get_by_role("row").filter(has_text="#5")
        await expect(row).to_contain_text("Queued")
        await row.get_by_role("link").focus()
        site.records.started("e1", "observe")
        await expect(row).to_contain_text("Run tests and checks", timeout=60_000)
        assert await page.evaluate("document.activeElement.getAttribute('href')") == (
            "/evaluations/e1"
        )
        site.records.ended(
            "e1", Ended(EvaluationState.DONE, Conclusion.FAILURE, "1 of 2 requirements met")
        )
        await expect(row).to_contain_text("1 of 2 requirements met", timeout=60_000)
        assert await page.evaluate("window.same") is True


async def test_a_running_evaluation_s_page_ends_as_its_report(site: Site) -> None:
    filled(site)
    async with chromium() as browser:
        page = await entered(site, browser)
        await page.goto(f"{site.address}/evaluations/runs")
        await expect(page.locator("[aria-current=step]")).to_contain_text("Run tests")
        site.records.started("runs", "judge")
        current = page.locator("[aria-current=step]")
        await expect(current).to_contain_text("Judge each requirement", timeout=60_000)
        done = Ended(EvaluationState.DONE, Conclusion.FAILURE, "Done", report_key="r1")
        site.records.ended("runs", done)
        heading = page.get_by_role("heading", name="Requirements", exact=True)
        await expect(heading).to_be_visible(timeout=60_000)


async def test_without_javascript_everything_is_there(site: Site) -> None:
    filled(site)
    async with chromium() as browser:
        page = await entered(site, browser, script=False)
        await page.get_by_label("Verdict").select_option("failure")
        await page.get_by_label("Repository").select_option(site.secret_repository)
        await page.get_by_role("button", name="Filter").click()
        pills = await page.locator("td .pill").all_inner_texts()
        assert pills and set(pills) == {"Failure"}
        await page.get_by_role("link", name="Clear").click()
        await page.get_by_role("link", name="Older").click()
        await expect(page.get_by_text("Page 2")).to_be_visible()
        await page.get_by_role("link", name="Newer").click()
        await page.get_by_role("link", name=f"{site.secret_repository} #79").click()
        await expect(page.locator("[aria-current=step]")).to_contain_text("Run tests")


async def test_the_keyboard_reaches_everything(site: Site) -> None:
    filled(site)
    async with chromium() as browser:
        page = await entered(site, browser)
        reached = set()
        for _ in range(60):
            await page.keyboard.press("Tab")
            reached.add(await page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
        for what in (
            "Skip to",
            'name="repository"',
            'name="agent"',
            "Sign out",
            "/evaluations/runs",
        ):
            assert any(what in one for one in reached), what
