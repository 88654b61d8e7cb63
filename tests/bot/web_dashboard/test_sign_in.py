"""Sessions: how they begin, what they let see, and how they end."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from bot.demo.forge.rows import Collaborator, InstallationRow, RepositoryRow, TokenRow
from bot.store import EvaluationFacts
from bot.web.dashboard.sign_in import is_loopback
from tests.bot.web_dashboard.conftest import Site

pytestmark = pytest.mark.real


def test_without_a_session_there_is_nothing_to_see_but_the_way_in(site: Site) -> None:
    name = site.judged("e1")
    with site.browser() as browser:
        front = browser.get("/")
        assert "Sign in with GitHub" in front.text
        assert site.secret_repository not in front.text
        for path in (f"/evaluations/{name}", "/operator", "/events"):
            assert browser.get(path).status_code == 404
        there, elsewhere = (
            browser.get(f"/repositories/{name}")
            for name in (site.secret_repository, "ada/no-such-thing")
        )
        assert there.status_code == elsewhere.status_code == 303
        assert there.headers["location"].startswith("/login?next=%2Frepositories")


def test_a_session_is_a_cookie_that_no_script_and_no_other_site_gets(site: Site) -> None:
    with site.browser() as browser:
        answer = browser.get(site.begun(browser, "ada"))
        cookie = next(
            one for one in answer.headers.get_list("set-cookie") if one.startswith("assay=")
        )
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "Path=/" in cookie
        assert "Secure" not in cookie  # on the loopback, without TLS
        kept = (site.folder / "records.db").read_bytes()
        kept += (site.folder / "records.db-wal").read_bytes()
        assert b"ghu_" not in kept and browser.cookies["assay"].encode() not in kept


def test_off_the_loopback_the_cookie_needs_tls(site: Site) -> None:
    assert replace(site.visits, is_secure=True).cookie == "__Host-assay"
    assert is_loopback("http://127.0.0.1:8080") and is_loopback("http://localhost")
    assert not is_loopback("https://assay.example") and not is_loopback("http://10.0.0.1")


def test_the_way_to_github_has_a_state_and_a_challenge(site: Site) -> None:
    with site.browser() as browser:
        one, other = (
            parse_qs(urlsplit(browser.get("/login").headers["location"]).query) for _ in range(2)
        )
    assert one["code_challenge_method"] == ["S256"]
    assert one["redirect_uri"] == [f"{site.address}/login/callback"]
    assert one["state"] != other["state"] and one["code_challenge"] != other["code_challenge"]


def test_a_code_counts_only_in_the_browser_that_asked_and_once(site: Site) -> None:
    with site.browser() as hers, site.browser() as another:
        back = site.begun(hers, "ada")
        refused = another.get(back, headers={"Accept": "text/html"})
        assert refused.status_code == 400 and "not begun in this browser" in refused.text
        site.begun(another, "bob")  # that one has begun, too: with another state
        assert another.get(back).status_code == 400
        assert hers.get(back).status_code == 303
        again = hers.get(back, headers={"Accept": "text/html"})
        assert again.status_code == 400


def test_a_code_needs_the_verifier_that_only_its_browser_has(site: Site) -> None:
    with site.browser() as hers, site.browser() as his:
        stolen = parse_qs(urlsplit(site.begun(hers, "ada")).query)["code"][0]
        state = parse_qs(urlsplit(site.begun(his, "bob")).query)["state"][0]
        query = {"code": stolen, "state": state}
        refused = his.get("/login/callback", params=query, headers={"Accept": "text/html"})
        assert refused.status_code == 400 and "did not accept the sign-in" in refused.text
        assert "assay" not in his.cookies


def test_who_says_no_at_github_is_not_signed_in(site: Site) -> None:
    with site.browser() as browser:
        location = browser.get("/login").headers["location"]
        state = parse_qs(urlsplit(location).query)["state"][0]
        query = {"error": "access_denied", "state": state}
        answer = browser.get("/login/callback", params=query, headers={"Accept": "text/html"})
        assert answer.status_code == 400 and "You did not sign in" in answer.text


@pytest.mark.parametrize(
    ("following", "led"),
    [
        ("/repositories/ada/x?page=2", "/repositories/ada/x?page=2"),
        ("//evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/x\r\nSet-Cookie: a=b", "/"),
        ("javascript:alert(1)", "/"),
        ("//[", "/"),
        ("https://[", "/"),
        ("//\N{ACCOUNT OF}.example", "/"),
    ],
)
def test_one_goes_on_to_a_page_of_this_host_only(site: Site, following: str, led: str) -> None:
    with site.browser() as browser:
        assert site.sign_in(browser, "ada", following) == f"{site.address}{led}"


def test_one_sees_what_github_lets_one_read_and_nothing_counts_the_rest(site: Site) -> None:
    site.judged("secret-1", facts=EvaluationFacts("secret-agent"), number=41)
    site.judged("shared-1", repository=site.shared_repository, number=42)
    with site.signed_in("bob") as bob, site.signed_in("ada") as ada:
        his, hers = bob.get("/").text, ada.get("/").text
        assert site.shared_repository in his and site.shared_repository in hers
        assert site.secret_repository in hers and "secret-agent" in hers
        for word in (site.secret_repository, "secret-agent", "#41", "secret-1"):
            assert word not in his
        paths = (
            "/evaluations/secret-1",
            "/evaluations/secret-1.json",
            "/evaluations/secret-1/artifacts/a.png",
            f"/repositories/{site.secret_repository}",
        )
        for path in paths:
            assert bob.get(path).status_code == 404
            assert bob.get(path).text == bob.get(path.replace("secret", "nothing")).text
        filtered = bob.get("/", params={"repository": site.secret_repository}).text
        assert "No evaluation matches" in filtered and "secret-1" not in filtered
        assert ada.get("/evaluations/secret-1").status_code == 200


def test_a_public_repository_is_for_those_who_have_a_role_in_it(site: Site) -> None:
    """GitHub lists a public repository only to those who have been given something there."""
    state = site.world.forge.state
    row = state.repository(site.secret_repository)
    assert row
    state.put(row.name.lower(), replace(row, private=False))
    site.judged("e1")
    with site.signed_in("bob") as bob:
        assert site.secret_repository not in bob.get("/").text


def test_an_older_repository_of_the_same_name_is_another_one(site: Site) -> None:
    site.judged("theirs", installation=site.installation + 1000)
    with site.signed_in("ada") as ada:
        assert "theirs" not in ada.get("/").text
        assert ada.get("/evaluations/theirs").status_code == 404


def test_github_is_asked_again_after_minutes_and_what_was_taken_away_is_gone(site: Site) -> None:
    site.judged("e1", repository=site.shared_repository)
    operation = "apps/list-installations-for-authenticated-user"
    with site.signed_in("bob") as bob:
        before = site.calls(operation)
        for _ in range(3):
            assert site.shared_repository in bob.get("/").text
        assert site.calls(operation) == before
        _collaborators(site)
        site.forget_rights()
        assert site.shared_repository not in bob.get("/").text
        assert bob.get("/evaluations/e1").status_code == 404
        assert site.calls(operation) == before + 1


def test_a_suspended_installation_shows_nothing(site: Site) -> None:
    site.judged("e1")
    with site.signed_in("ada") as ada:
        state = site.world.forge.state
        row = state.get(InstallationRow, site.installation)
        assert row
        state.put(row.id, replace(row, suspended=True))
        site.forget_rights()
        assert site.secret_repository not in ada.get("/").text


def test_while_github_is_away_nobody_goes_on_with_old_rights(site: Site) -> None:
    site.judged("e1")
    with site.signed_in("ada") as ada:
        site.forget_rights()
        operation = "apps/list-installations-for-authenticated-user"
        site.world.operator.fault(operation, "status", calls=3, status=502)
        away = ada.get("/")
        assert away.status_code == 503 and site.secret_repository not in away.text
        assert ada.get(site.links.sign("e1").removeprefix(site.address)).status_code == 200
        assert site.secret_repository in ada.get("/").text


def test_a_token_that_github_ended_ends_the_session(site: Site) -> None:
    site.judged("e1")
    with site.signed_in("ada") as ada:
        for row in _tokens(site):
            site.world.forge.state.put(row.digest, replace(row, revoked=True))
        site.forget_rights()
        assert "Sign in with GitHub" in ada.get("/").text
        assert "Sign in with GitHub" in ada.get("/").text


def test_signing_out_ends_the_session_here_and_the_token_at_github(site: Site) -> None:
    site.judged("e1")
    with site.signed_in("ada") as ada:
        stolen = ada.cookies["assay"]
        assert ada.get("/logout").status_code == 405
        assert ada.post("/logout").status_code == 303
        assert "assay" not in ada.cookies
        again = httpx.get(f"{site.address}/", cookies={"assay": stolen}, timeout=60)
        assert site.secret_repository not in again.text
        assert [row.revoked for row in _tokens(site)] == [True]


def test_a_session_ends_by_itself(site: Site) -> None:
    site.judged("e1")
    with site.signed_in("ada") as ada, sqlite3.connect(site.folder / "records.db") as database:
        lasts = database.execute("select expires_s - asked_s from assay_web_sessions").fetchone()
        assert 0 < lasts[0] <= 8 * 3600
        database.execute("update assay_web_sessions set expires_s = 1")
        database.commit()
        assert site.secret_repository not in ada.get("/").text


def test_the_operator_comes_in_by_the_link_and_sees_all(site: Site) -> None:
    site.judged("e1")
    signature = site.links.signature("index")
    with site.browser() as browser:
        listed = browser.get("/", params={"s": signature})
        assert site.secret_repository in listed.text and "/operator?s=" in listed.text
        assert browser.get("/operator", params={"s": "wrong"}).status_code == 404
        answer = browser.get("/operator", params={"s": signature})
        assert (answer.status_code, answer.headers["location"]) == (303, "/operator")
        page = browser.get("/operator")
        assert page.status_code == 200 and "No worker was seen" in page.text
        assert site.secret_repository in browser.get("/").text
        assert browser.get(f"/repositories/{site.secret_repository}").status_code == 200
    with site.signed_in("ada") as ada:
        assert ada.get("/operator").status_code == 404


@pytest.mark.parametrize("cookie", ("", "x", "%00", "é".encode().decode("latin-1"), "a" * 4000))
def test_a_made_up_cookie_is_nobody(site: Site, cookie: str) -> None:
    headers = {"Cookie": f"assay={cookie}".encode("latin-1")}
    answer = httpx.get(f"{site.address}/", headers=headers, timeout=60)
    assert answer.status_code == 200 and "Sign in with GitHub" in answer.text


def test_every_page_is_strict(site: Site) -> None:
    site.evaluation("e1")
    with site.signed_in("ada") as ada:
        for path in ("/", f"/repositories/{site.secret_repository}", "/evaluations/e1", "/nothing"):
            headers = ada.get(path).headers
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Cache-Control"] == "no-store"
            if path != "/nothing":
                policy = headers["Content-Security-Policy"]
                assert policy.startswith("default-src 'none'")
                assert "script-src 'sha256-" in policy and "frame-ancestors 'none'" in policy


def _collaborators(site: Site, *who: Collaborator) -> None:
    state = site.world.forge.state
    row = state.get(RepositoryRow, site.shared_repository)
    assert row
    state.put(row.name.lower(), replace(row, collaborators=who))


def _tokens(site: Site) -> list[TokenRow]:
    rows = site.world.forge.state.all(TokenRow)
    return [row for row in rows if row.app_id == site.app.id]
