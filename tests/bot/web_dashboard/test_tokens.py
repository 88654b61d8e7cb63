"""Tokens on the dashboard: who may make them, that they open the API's door, and that no other site can."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace

import httpx
import pytest
from playwright.async_api import expect

from bot.demo.forge.rows import Collaborator, RepositoryRow
from tests.bot.web_dashboard.conftest import Site
from tests.bot.web_dashboard.test_in_a_browser import entered
from tests.browsing import DESKTOP, PHONE, chromium, look

pytestmark = pytest.mark.real
_SECRET = re.compile(r"assay_[0-9a-f]{12}_[A-Za-z0-9_-]{43}")


def form_of(browser: httpx.Client) -> str:
    found = re.search(r'name="form" value="([^"]+)"', browser.get("/tokens").text)
    assert found
    return found[1]


def wishes(site: Site, form: str, **more: str) -> dict[str, str]:
    return {"form": form, "repository": site.secret_repository, "days": "7", "name": "bot", **more}


def test_an_administrator_makes_lists_and_revokes_a_token_that_is_shown_once(site: Site) -> None:
    with site.signed_in("ada") as ada:
        form = form_of(ada)
        made = ada.post("/tokens", data=wishes(site, form))
        (secret,) = set(_SECRET.findall(made.text))
        assert made.headers["Cache-Control"] == "no-store"
        token = site.records.token_of(secret)
        assert token and token.covers(site.secret_repository) and not token.shows_report
        assert token.name == "bot"
        assert token.expires_s - token.created_s == pytest.approx(7 * 86_400)
        listed = ada.get("/tokens").text
        assert token.id in listed and secret not in listed
        kept = (site.folder / "records.db").read_bytes()
        assert secret.split("_", 2)[2].encode() not in kept
        answer = ada.post(f"/tokens/{token.id}/revoke", data={"form": form})
        assert (answer.status_code, answer.headers["location"]) == (303, "/tokens")
        assert "revoked" in ada.get("/tokens").text
    ended = site.records.token_of(secret)
    assert ended and ended.revoked_s is not None


def test_who_may_only_write_neither_sees_makes_nor_revokes_one(site: Site) -> None:
    state = site.world.forge.state
    row = state.get(RepositoryRow, site.shared_repository)
    assert row
    state.put(row.name.lower(), replace(row, collaborators=(Collaborator("bob", "maintain"),)))
    token = site.records.issue_token(site.shared_repository, 7).token
    with site.signed_in("bob") as bob, site.signed_in("ada") as ada:
        assert "/tokens" not in bob.get("/").text
        assert bob.get("/tokens").status_code == 404
        for form in ("", form_of(ada)):
            asked = wishes(site, form, repository=site.shared_repository)
            assert bob.post("/tokens", data=asked).status_code == 404
            revoked = bob.post(f"/tokens/{token.id}/revoke", data={"form": form})
            assert revoked.status_code == 404
    (kept,) = site.records.tokens()
    assert kept.revoked_s is None


def test_a_form_of_another_site_or_session_makes_nothing(site: Site) -> None:
    with site.signed_in("ada") as ada, site.signed_in("ada") as another:
        for form in ("", "x", "\u00e9\U0001f642", form_of(another)):
            assert ada.post("/tokens", data=wishes(site, form)).status_code == 404
        theirs = wishes(site, form_of(ada), repository="bob/other")
        assert ada.post("/tokens", data=theirs).status_code == 404
    assert httpx.post(f"{site.address}/tokens", data=theirs, timeout=60).status_code == 404
    assert site.records.tokens() == ()


@pytest.mark.parametrize("days", ("", "0", "-1", "367", "ten", "9" * 5000))
def test_days_that_cannot_be_are_told(site: Site, days: str) -> None:
    with site.signed_in("ada") as ada:
        answer = ada.post("/tokens", data=wishes(site, form_of(ada), days=days))
        assert answer.status_code == 400 and "A token lasts 1 to 366 days." in answer.text
    assert site.records.tokens() == ()


def test_the_operator_makes_one_for_any_repository_and_sees_all(site: Site) -> None:
    site.records.issue_token(site.secret_repository, 7, "older")
    with site.browser() as browser:
        browser.get("/operator", params={"s": site.links.signature("index")})
        form = form_of(browser)
        odd = browser.post("/tokens", data=wishes(site, form, repository="<b>no</b>"))
        assert odd.status_code == 400 and "&lt;b&gt;no" in odd.text
        made = browser.post("/tokens", data=wishes(site, form, repository="x/y", report="yes"))
        assert len(set(_SECRET.findall(made.text))) == 1
        assert "older" in made.text
    assert [(one.repository, one.shows_report) for one in site.records.tokens()] == [
        (site.secret_repository, False),
        ("x/y", True),
    ]


def test_rights_that_were_taken_away_end_the_page(site: Site) -> None:
    with site.signed_in("ada") as ada:
        form = form_of(ada)
        with sqlite3.connect(site.folder / "records.db") as database:
            database.execute("update assay_web_sessions set readable = '[]'")
        assert ada.post("/tokens", data=wishes(site, form)).status_code == 404


async def test_a_person_makes_and_revokes_one_by_keyboard_and_phone(site: Site) -> None:
    async with chromium() as browser:
        page = await entered(site, browser)
        await page.get_by_role("link", name="Tokens").click()
        await page.get_by_label("Repository").select_option(site.secret_repository)
        await page.get_by_label("Name").fill("nightly \u202eagent\U0001f642")
        await page.keyboard.press("Enter")
        await expect(page.locator("pre.token")).to_have_text(_SECRET)
        for width in (DESKTOP, PHONE):
            seen = await look(page, width)
            assert (seen.serious, seen.too_wide_px) == ((), 0), width
        await page.get_by_role("button", name="Revoke token").click()
        await expect(page.get_by_text("revoked", exact=True)).to_be_visible()
        await expect(page.locator("pre.token")).to_have_count(0)
