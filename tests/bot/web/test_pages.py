"""The pages as a browser gets them, on the real records and the real artifacts."""

from __future__ import annotations

import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient

from bot.errors import Transient
from bot.report.machine import machine
from bot.report.markdown import html, markdown
from bot.report.view import view
from bot.settings import Settings
from bot.store import (
    Ended,
    EvaluationRecord,
    EvaluationState,
    Store,
    open_artifacts,
    open_records,
)
from bot.values import Conclusion
from bot.web.api.standing import Streams
from bot.web.dashboard.pages import Dashboard, dashboard_pages
from bot.web.dashboard.sign_in import Doors
from bot.web.dashboard.tokens import TokenPages
from bot.web.dashboard.visits import Visits
from bot.web.links import SignedLinks
from bot.web.pages import report_pages
from tests.bot.report.examples import HOSTILE, REQUEST, regression

KEY = "r1"


class Site:
    """The pages over a folder of this test."""

    def __init__(self, records: Store, settings: Settings, private: bool = True) -> None:
        self.records = records
        self.artifacts = open_artifacts(settings)
        self.links = SignedLinks("https://assay.example", lambda: b"k" * 32, private)
        app = Flask(__name__)
        visits = Visits(records, None, is_secure=True)
        app.register_blueprint(report_pages(records, self.artifacts, self.links, visits))
        dashboard = Dashboard(records, None, visits, Doors(visits, self.links), Streams(0))
        app.register_blueprint(dashboard_pages(dashboard, TokenPages(records, visits, self.links)))
        self.browser: FlaskClient = app.test_client()

    def get(self, kind: str = "", evaluation_id: str = REQUEST.id) -> tuple[int, str]:
        link = urlsplit(self.links.sign(evaluation_id))
        answer = self.browser.get(f"{link.path}{kind}?{link.query}")
        return answer.status_code, answer.get_data(as_text=True)

    def finish(self) -> None:
        shown = view(regression())
        for name, text in (
            ("html", html(shown)),
            ("json", machine(shown)),
            ("md", markdown(shown, "")),
        ):
            self.artifacts.put(KEY, f"report.{name}", text.encode())
        self.records.ended(
            REQUEST.id, Ended(EvaluationState.DONE, Conclusion.FAILURE, shown.title, report_key=KEY)
        )


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path)


@pytest.fixture
def records(settings: Settings, empty_records: Path) -> Iterator[Store]:
    shutil.copy(empty_records, settings.home)
    opened = open_records(settings)
    yield opened
    opened.close()


@pytest.fixture
def site(records: Store, settings: Settings) -> Site:
    records.queued(REQUEST)
    return Site(records, settings)


def test_a_queued_evaluation_waits_and_looks_again(site: Site) -> None:
    status, page = site.get()

    assert status == 200
    assert "Waiting to be judged" in page
    assert '<meta http-equiv="refresh" content="4">' in page


def test_a_running_evaluation_shows_its_stage_and_why_it_waits(site: Site) -> None:
    site.records.started(REQUEST.id, "observe")
    site.records.waiting(REQUEST.id, "observe", "GitHub answers 503 <b>")
    status, page = site.get()

    assert status == 200
    assert page.count('class="done"') == 5
    assert 'class="now" aria-current="step"' in page
    assert "GitHub answers 503 &lt;b&gt;" in page


def test_a_machine_that_asks_too_early_is_told_to_come_back(site: Site) -> None:
    status, text = site.get(".json")

    assert status == 202
    assert '"state": "queued"' in text


def test_a_failed_evaluation_says_why_and_does_not_refresh(site: Site) -> None:
    site.records.ended(REQUEST.id, Ended(EvaluationState.FAILED, problem="GitHub stayed away."))
    _, page = site.get()

    assert "GitHub stayed away." in page
    assert "/judge" in page
    assert 'http-equiv="refresh"' not in page


def test_a_finished_report_is_served_in_each_format(site: Site) -> None:
    site.finish()

    status, page = site.get()
    assert status == 200
    assert "A test that passed on base fails on head" in page
    assert site.get(".json")[1] == machine(view(regression()))
    assert site.get(".md")[1].startswith("<!-- assay:pull-request 9 -->")


def test_the_page_links_to_its_other_formats(site: Site) -> None:
    site.finish()
    _, page = site.get()
    signature = site.links.signature(REQUEST.id)

    for kind in ("json", "md", "pdf", "sarif"):
        assert f'href="https://assay.example/evaluations/{REQUEST.id}.{kind}?s={signature}"' in page


def test_a_report_by_a_test_plan_links_to_its_rows(site: Site) -> None:
    site.finish()
    assert "Test plan</a>" not in site.get()[1]
    assert site.get(".plan")[0] == 404
    site.artifacts.put(KEY, "plan.json", b'[{"metric": "1.1"}]\n')
    link = urlsplit(site.links.sign(REQUEST.id))
    assert f'href="https://assay.example{link.path}.plan?{link.query}"' in site.get()[1]
    answer = site.browser.get(f"{link.path}.plan?{link.query}")

    assert answer.get_json() == [{"metric": "1.1"}]
    assert answer.headers["Content-Disposition"].endswith("assay-b81d0e44c9a7.plan.json")


def test_a_missing_pdf_is_explained(site: Site) -> None:
    site.finish()
    site.artifacts.put(KEY, "no-pdf.txt", b"No PDF: there is no Chromium.")
    status, page = site.get(".pdf")

    assert status == 404
    assert "no working Chromium" in page


def test_a_pdf_that_is_not_there_yet_is_being_printed_and_not_for_ever(
    site: Site, tmp_path: Path
) -> None:
    site.finish()
    status, page = site.get(".pdf")
    assert status == 202
    assert "being printed" in page and 'http-equiv="refresh"' in page

    long_ago = time.time() - 3_600
    with sqlite3.connect(tmp_path / "records.db") as database:
        database.execute("update assay_evaluations set updated_s = ?", (long_ago,))
    assert site.get(".pdf")[0] == 404


def test_a_pdf_is_shown_under_a_name(site: Site) -> None:
    site.finish()
    site.artifacts.put(KEY, "report.pdf", b"%PDF-1.4")
    link = urlsplit(site.links.sign(REQUEST.id))
    answer = site.browser.get(f"{link.path}.pdf?{link.query}")

    assert answer.content_type == "application/pdf"
    assert answer.headers["Content-Disposition"] == "inline; filename=assay-b81d0e44c9a7.pdf"


@pytest.mark.parametrize("query", ("", "?s=", "?s=wrong", "?s=%ff"))
@pytest.mark.parametrize("evaluation_id", (REQUEST.id, "unknown", "../../etc/passwd"))
def test_without_the_signature_there_is_nothing_to_tell(
    site: Site, evaluation_id: str, query: str
) -> None:
    answers = {
        site.browser.get(f"/evaluations/{name}{query}").get_data()
        for name in (evaluation_id, "another")
    }

    assert site.browser.get(f"/evaluations/{evaluation_id}{query}").status_code == 404
    assert len(answers) == 1, "a page must not tell what exists"


def test_a_report_that_was_deleted_says_so(site: Site) -> None:
    site.finish()
    site.artifacts.delete(KEY)
    assert site.get()[0] == 410

    assert site.get(evaluation_id="long-ago")[0] == 410


def test_an_id_with_slashes_is_found(site: Site) -> None:
    site.records.queued(replace(REQUEST, id="acme/slugify#9:b81d"))

    assert site.get(evaluation_id="acme/slugify#9:b81d")[0] == 200


def test_the_list_is_private_unless_signed(site: Site) -> None:
    closed = site.browser.get("/").get_data(as_text=True)
    opened = site.browser.get(site.links.index().removeprefix("https://assay.example"))

    assert REQUEST.repository not in closed
    assert site.links.sign(REQUEST.id) in opened.get_data(as_text=True)


def test_public_pages_are_open(records: Store, settings: Settings) -> None:
    records.queued(REQUEST)
    site = Site(records, settings, private=False)

    assert REQUEST.repository in site.browser.get("/").get_data(as_text=True)
    assert site.browser.get(f"/evaluations/{REQUEST.id}").status_code == 200
    assert site.browser.get("/evaluations/unknown").status_code == 404


def test_every_answer_has_strict_headers(site: Site) -> None:
    site.finish()
    for path in ("/", "/evaluations/unknown", site.links.sign(REQUEST.id)[21:]):
        headers = site.browser.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"


def test_hostile_words_are_only_words(site: Site) -> None:
    storable = HOSTILE.replace("\ud800", "")
    site.records.queued(replace(REQUEST, id="h", actor=storable, head_sha=storable))
    site.records.waiting("h", "observe", storable)
    _, page = site.get(evaluation_id="h")
    listed = site.browser.get(site.links.index()[21:]).get_data(as_text=True)

    for text in (page, listed):
        assert "<script" not in text
        assert "ghp_" not in text


class Away:
    """Records behind a database that does not answer."""

    def evaluation(self, evaluation_id: str) -> EvaluationRecord | None:
        raise Transient("the database is away", retry_after_s=7)

    def recent(self, limit: int = 50) -> tuple[EvaluationRecord, ...]:
        raise Transient("the database is away", retry_after_s=7)


def test_a_database_that_is_away_asks_for_patience(settings: Settings) -> None:
    app = Flask(__name__)
    links = SignedLinks("https://assay.example", lambda: b"", private=False)
    visits = Visits(Away(), None, is_secure=True)
    app.register_blueprint(report_pages(Away(), open_artifacts(settings), links, visits))
    answer = app.test_client().get("/evaluations/e1")

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "7"
    assert b"Nothing is lost" in answer.data


def test_pictures_are_shown_by_signed_links_as_nothing_but_png(site: Site) -> None:
    site.finish()
    page = '<img src="artifact:E3-1.head.png"><p>src=&#34;artifact:x.png&#34;</p>'
    site.artifacts.put(KEY, "report.html", page.encode())
    site.artifacts.put(KEY, "E3-1.head.png", b"<script>alert(1)</script>")
    _, shown = site.get()
    found = re.search(r'src="(/evaluations/[^"]+/artifacts/E3-1\.head\.png\?s=[^"]+)"', shown)
    assert found
    assert "src=&#34;artifact:x.png&#34;" in shown
    picture = site.browser.get(found[1])
    assert (picture.status_code, picture.mimetype) == (200, "image/png")
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert picture.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert site.browser.get(found[1].partition("?")[0]).status_code == 404
    assert site.browser.get(found[1][:-2]).status_code == 404


@pytest.mark.parametrize(
    "name", ["report.json", "report.html", "none.png", "..%2Freport.png", "x.svg"]
)
def test_only_pictures_are_among_the_pictures(site: Site, name: str) -> None:
    site.finish()
    path, _, query = (
        site.links.sign(REQUEST.id).removeprefix("https://assay.example").partition("?")
    )
    assert site.browser.get(f"{path}/artifacts/{name}?{query}").status_code == 404
