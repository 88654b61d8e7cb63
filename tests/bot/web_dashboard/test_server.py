"""The shipped web server without the settings of sign-in: signed links, and the operator's own."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import httpx
import pytest

from bot.settings import Settings
from bot.store import open_records
from bot.values import EvaluationRequest, Trigger
from bot.web.links import open_links
from tests.gunicorn import running_gunicorn

pytestmark = pytest.mark.real
REQUEST = EvaluationRequest(
    "e1", "octo/hello", "b" * 40, "a" * 40, "main", Trigger.OPENED, 9, installation=1
)


@pytest.mark.slow
def test_without_sign_in_links_open_the_pages_and_the_front_says_how_to_turn_it_on(
    tmp_path: Path,
) -> None:
    settings = Settings(home=tmp_path)
    environment = {
        "ASSAY_WEB_WORKERS": "2",
        "GITHUB_CLIENT_ID": "Iv1.1",
        "GITHUB_CLIENT_SECRET": "",
    }
    with (
        closing(open_records(settings)) as records,
        running_gunicorn(tmp_path, "bot.wsgi:application()", environment) as address,
        httpx.Client(base_url=address, timeout=60) as browser,
    ):
        records.queued(REQUEST)
        links = open_links(settings, records)
        front = browser.get("/").text
        assert "GITHUB_CLIENT_SECRET" in front and "octo/hello" not in front
        for path in ("/login", "/login/callback?code=x", "/operator", "/repositories/octo/hello"):
            assert browser.get(path).status_code == 404
        signed = {"s": links.signature("index")}
        assert "octo/hello" in browser.get("/", params=signed).text
        page = links.sign("e1").removeprefix(settings.public_url)
        assert browser.get(page).status_code == 200
        assert browser.get("/operator", params=signed).status_code == 303
        for _ in range(6):  # whichever of the two processes answers
            assert "Waiting and running" in browser.get("/operator").text
        assert browser.get("/evaluations/e1").status_code == 200
        with browser.stream("GET", "/events") as events:
            assert next(line for line in events.iter_lines() if "event" in line) == "event: changed"
