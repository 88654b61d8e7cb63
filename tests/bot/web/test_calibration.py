"""The page about labels: who sees it, what it counts, and how it looks on a wide and a narrow screen."""

from __future__ import annotations

import itertools
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import sync_playwright
from werkzeug.serving import BaseWSGIServer, make_server

from bot.bench.measures import cohen_kappa, kappa_interval, wilson
from bot.github.sign_in import open_sign_in
from bot.settings import Settings
from bot.store import Store, WebSession, open_records
from bot.values import LabelKind, ReadableRepository, VerdictLabel
from bot.web.calibration import MOST_LABELS, MaySee, by_link_or_visit, calibration_page
from bot.web.dashboard.visits import Visits
from bot.web.links import SignedLinks
from sandbox.browser.journey import axe_file
from tests.sandbox.browser.site import CHROMIUM

NOVEMBER, OCTOBER = (datetime(2026, month, 3, tzinfo=UTC).timestamp() for month in (11, 10))
LABEL = VerdictLabel(
    kind=LabelKind.AGREED,
    repository="octo/hello",
    number=9,
    base_sha="b" * 40,
    head_sha="a" * 40,
    evaluation="hello-9",
    conclusion="success",
    subject="R1",
    text="Rounds",
    category="behaviour",
    verdict="satisfied",
    decided_by="oracle",
    model="",
    person="ben",
    reason="so it is",
    source="comment 1",
    given_s=NOVEMBER,
)
MET, UNMET = "satisfied", "unsatisfied"
LINKS = SignedLinks("https://assay.example", lambda: b"k" * 32)
_numbers = itertools.count(1)


@pytest.fixture
def records(tmp_path: Path, empty_records: Path) -> Iterator[Store]:
    shutil.copy(empty_records, tmp_path)
    opened = open_records(Settings(home=tmp_path))
    yield opened
    opened.close()


def keep(records: Store, times: int, kind: LabelKind, verdict: str, **more: object) -> None:
    """Keep labels of as many pull requests."""
    for number in itertools.islice(_numbers, times):
        label = replace(LABEL, kind=kind, verdict=verdict, number=number, **more)  # type: ignore[arg-type]
        records.keep_labels(label)


def plenty(records: Store) -> None:
    """36 pairs: 17 both met, 3 only Assay, 6 only people, 10 both unmet; 2 left open."""
    panel = {"decided_by": "panel", "model": "some-model"}
    keep(records, 15, LabelKind.AGREED, MET)
    keep(records, 2, LabelKind.AGREED, MET, given_s=OCTOBER, **panel)
    keep(records, 3, LabelKind.DISAGREED, MET, **panel)
    keep(records, 4, LabelKind.DISAGREED, UNMET, repository="octo/other")
    keep(records, 2, LabelKind.OVERRIDDEN, UNMET, category="baseline")
    keep(records, 10, LabelKind.AGREED, UNMET, category="baseline")
    keep(records, 2, LabelKind.ACCEPTED, "unverified", decided_by="nobody")


def page(records: Store, query: str = "", may_see: MaySee | None = lambda _: True) -> str:
    """The page's text for a reader who may see so much; tags are left out."""
    app = Flask(__name__)
    app.register_blueprint(calibration_page(records, lambda: may_see))
    answer = app.test_client().get(f"/calibration{query}")
    text = re.sub(r"<style>.*?</style>", "", answer.get_data(as_text=True), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_only_who_may_list_evaluations_sees_it(records: Store) -> None:
    app = Flask(__name__)
    app.register_blueprint(
        calibration_page(records, by_link_or_visit(LINKS, Visits(records, None, False)))
    )
    browser, link = app.test_client(), urlsplit(LINKS.calibration())
    assert browser.get("/calibration").status_code == 404
    assert browser.get("/calibration?s=wrong").status_code == 404
    answer = browser.get(f"{link.path}?{link.query}")
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "form-action 'self'" in policy
    assert f'value="{LINKS.signature("index")}"' in answer.get_data(as_text=True)
    assert "There are no labels yet." in answer.get_data(as_text=True)


def test_who_is_signed_in_sees_their_own_repositories_only(records: Store) -> None:
    plenty(records)
    sign_in, now = (
        open_sign_in(Settings(GITHUB_CLIENT_ID="Iv1.x", GITHUB_CLIENT_SECRET="y"), 1.0),
        time.time(),
    )
    readable = (ReadableRepository(1, "Octo/Other"),)
    records.keep_session("s3cret", WebSession("ada", now + 60, False, b"x", readable, now))
    app = Flask(__name__)
    visits = Visits(records, sign_in, False)
    app.register_blueprint(calibration_page(records, by_link_or_visit(LINKS, visits)))
    browser = app.test_client()
    browser.set_cookie("assay", "wrong")
    assert browser.get("/calibration").status_code == 404
    browser.set_cookie("assay", "s3cret")
    shown = browser.get("/calibration").get_data(as_text=True)
    assert "octo/other" in shown and "octo/hello" not in shown


def test_labels_of_other_repositories_are_neither_shown_nor_counted(records: Store) -> None:
    plenty(records)
    shown = page(records, may_see=lambda name: name == "octo/other")
    assert "4 labels by 1 person on 4 pull requests." in shown
    assert "octo/hello" not in shown
    assert "0 of 4: too few to say" in shown
    assert "With fewer than 10 verdicts to compare, there is nothing to conclude" in shown
    assert "4 labels" not in page(records, "?repository=octo/hello", lambda n: n == "octo/other")


@pytest.mark.thorough
def test_of_very_many_labels_the_newest_are_counted_and_it_says_so(records: Store) -> None:
    old = replace(LABEL, person="long-ago", verdict=UNMET)
    records.keep_labels(*(replace(old, number=next(_numbers)) for _ in range(30)))
    new = (replace(LABEL, number=next(_numbers)) for _ in range(MOST_LABELS))
    records.keep_labels(*new, replace(LABEL, repository="octo/other", number=1))
    shown = page(records, "?repository=Octo/Hello")
    assert f"Of the newest {MOST_LABELS} labels;" in shown
    assert f"{MOST_LABELS} labels by 1 person on {MOST_LABELS} pull requests." in shown
    few = page(records, "?repository=octo/other")
    assert "1 label by 1 person on 1 pull request." in few and "Of the newest" not in few


def test_counts_are_there_whatever_is_installed(records: Store) -> None:
    plenty(records)
    shown = page(records)
    assert "38 labels by 1 person on 38 pull requests." in shown
    assert "38 2 unverified" in shown
    for share in ("27 of 36", "17 of 20", "17 of 23"):
        assert share in shown
    assert "some-model 5 2 of 5: too few to say" in shown
    assert "2026-10 2 2 of 2: too few to say" in shown
    assert "People label what they look at" in shown


def test_intervals_are_those_of_the_libraries(records: Store) -> None:
    pytest.importorskip("sklearn", reason="the extra `bench` is not installed")
    plenty(records)
    shown = page(records)
    assert re.search(r"75 % \(59.86\) 27 of 36", shown)
    truth = [True] * 17 + [False] * 3 + [True] * 6 + [False] * 10
    said = [True] * 20 + [False] * 16
    kappa, interval = cohen_kappa(truth, said), kappa_interval(truth, said)
    assert kappa and interval
    assert f"{kappa:.2f} ({interval.low:.2f} to {interval.high:.2f})" in shown


def test_kappa_and_its_interval_are_the_published_ones() -> None:
    pytest.importorskip("sklearn", reason="the extra `bench` is not installed")
    counts = {(False, False): 30, (False, True): 6, (True, False): 9, (True, True): 35}
    pairs = [pair for pair, times in counts.items() for _ in range(times)]
    truth, said = zip(*pairs, strict=True)
    interval = kappa_interval(truth, said)
    assert cohen_kappa(truth, said) == pytest.approx(0.62406, abs=1e-5)
    assert interval  # as statsmodels' `cohens_kappa` gives it
    assert (interval.low, interval.high) == pytest.approx((0.45309, 0.79503), abs=1e-5)
    assert cohen_kappa([True] * 9, [True] * 9) is kappa_interval([True] * 9, [True] * 9) is None
    found = wilson(27, 36)
    assert (found.low, found.high) == pytest.approx((0.5893, 0.8625), abs=1e-4)


def test_repository_and_days_narrow_it(records: Store) -> None:
    plenty(records)
    assert "34 labels" in page(records, "?repository=OCTO/hello")
    assert "2 labels" in page(records, "?until=2026-10-31")
    assert "36 labels" in page(records, "?since=2026-11-03&until=2026-11-03")
    assert "verdict here in this time" in page(records, "?since=2026-12-01")
    shown = page(records, "?since=%3Cscript%3E&until=2026-11-31")
    assert "“&lt;script&gt;” is not a date." in shown
    assert "“2026-11-31” is not a date." in shown
    assert "38 labels" in shown


def test_the_newest_word_of_a_person_counts(records: Store) -> None:
    records.keep_labels(LABEL)
    later = replace(LABEL, kind=LabelKind.DISAGREED, source="comment 2", given_s=NOVEMBER + 5)
    records.keep_labels(later, replace(later, person="mara", source="comment 3"))
    shown = page(records)
    assert "2 labels by 2 people on 1 pull request." in shown
    assert "0 of 2: too few to say" in shown


def test_merges_reverts_and_rules_are_counted_only(records: Store) -> None:
    merged = replace(LABEL, subject="", category="", verdict="failure", kind=LabelKind.MERGED)
    records.keep_labels(replace(merged, source="merge"))
    records.keep_labels(
        replace(merged, number=3, verdict="success", kind=LabelKind.REVERTED, source="revert 4"),
        replace(LABEL, kind=LabelKind.OVERRIDDEN, subject="crash", category="rule",
                verdict="action_required"),
    )  # fmt: skip
    shown = page(records)
    assert "A pull request was merged anyway failure 1" in shown
    assert "A pull request was reverted after the merge success 1" in shown
    assert "A rule of the gate was overridden action required 1" in shown
    assert "Agreement" not in shown


def test_hostile_names_are_text(records: Store) -> None:
    records.keep_labels(
        replace(LABEL, repository="o/<script>alert(1)</script>", model="</td>\u202e" + "m" * 9_000)
    )
    app = Flask(__name__)
    app.register_blueprint(calibration_page(records, lambda: lambda _: True))
    text = app.test_client().get("/calibration").get_data(as_text=True)
    assert "<script" not in text and "\u202e" not in text
    assert "m" * 200 not in text


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM.is_file(), reason="no Chromium: apt-get install chromium")
def test_it_fits_both_screens_and_is_accessible(records: Store) -> None:
    plenty(records)
    keep(records, 12, LabelKind.AGREED, MET, decided_by="panel", model="a-long/model-name" * 6)
    app = Flask(__name__)
    app.register_blueprint(
        calibration_page(records, by_link_or_visit(LINKS, Visits(records, None, False)))
    )
    server = make_server("127.0.0.1", 0, app)
    link, axe = urlsplit(LINKS.calibration()), axe_file()
    with closing_server(server), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox"], env={"HOME": "/tmp"}
        )
        for width, scheme in ((1280, "light"), (390, "light"), (390, "dark")):
            page = browser.new_page(
                viewport={"width": width, "height": 844},
                color_scheme=scheme,  # type: ignore[arg-type]
            )
            page.goto(f"http://127.0.0.1:{server.server_port}{link.path}?{link.query}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if axe:
                page.evaluate(axe.read_text())
                found = page.evaluate("axe.run().then(done => done.violations.map(v => v.id))")
                assert found == []
        page.select_option("#repository", "octo/other")
        page.get_by_role("button", name="Show").click()
        assert "4 labels by 1 person" in page.inner_text("main")
        browser.close()


@contextmanager
def closing_server(server: BaseWSGIServer) -> Iterator[None]:
    """Serve while the block runs."""
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
