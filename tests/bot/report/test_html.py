"""The page: self-contained, whole, and everything a doubting maintainer looks for."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from bot.report.markdown import html
from bot.report.view import view
from tests.bot.report.examples import EXAMPLES, FAILURE_MESSAGE, hostile, regression, weakened_tests

VOID = {"meta", "br"}
ALLOWED = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "span", "main", "section", "p", "h1",
    "h2", "h3", "h4", "div", "ol", "ul", "li", "dl", "dt", "dd", "code", "article", "strong", "pre", "table",
    "thead", "tbody", "tr", "th", "td", "br", "details", "summary", "footer",
    "figure", "figcaption", "svg", "g", "path", "rect", "text",
}  # fmt: skip


class Page(HTMLParser):
    """Collects what a browser would see; fails on a tag that does not close where it should."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_is_well_formed_and_has_nothing_remote_or_active(name: str) -> None:
    page = Page(html(view(EXAMPLES[name]())))
    names = {name for name, _ in page.attributes}
    targets = [value for name, value in page.attributes if name in {"href", "src"}]

    assert set(page.tags) <= ALLOWED
    assert not {name for name in names if name.startswith("on")} | (names & {"style", "src"})
    assert all(re.fullmatch(r"#[A-Za-z0-9-]+", target) for target in targets)


@pytest.mark.parametrize("name", EXAMPLES)
def test_inner_links_lead_somewhere(name: str) -> None:
    page = Page(html(view(EXAMPLES[name]())))
    ids = [value for name, value in page.attributes if name == "id"]

    assert {v[1:] for n, v in page.attributes if n == "href"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_the_policy_admits_exactly_the_inline_style() -> None:
    text = html(view(regression()))
    style = text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()

    assert f"default-src 'none'; style-src 'sha256-{digest}'" in text
    assert "@import" not in style
    assert "url(" not in style


def test_a_doubting_maintainer_finds_everything() -> None:
    text = Page(html(view(regression()))).text

    for needed in (
        "1 test that passes on base fails on head, in 3 of 3 repeats.",  # the reason
        "python -m pytest -q tests",  # the command
        "14 passed, 1 failed",  # both sides' outcomes
        "..............  [100%]",  # the output
        FAILURE_MESSAGE,  # the failing message
        "Passed on base, fails on head",  # the transition
        "python -m pytest tests/test_slugify.py::test_truncates_at_word_boundary",  # one test again
        "assay judge . --base",  # everything again
        "0 of 3 repeats on head passed",
    ):
        assert needed in text


def test_the_hunk_of_an_integrity_finding_is_shown() -> None:
    text = Page(html(view(weakened_tests()))).text

    assert '-    assert slugify("one two three", max_length=8) == "one-two"' in text


def test_no_template_is_rendered_from_input_and_no_secret_is_shown() -> None:
    text = Page(html(view(hostile()))).text

    assert "{{ 7 * 7 }}" in text
    assert "ghp_" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tests_are_listed_or_counted_on_paper_too(name: str) -> None:
    page = html(view(EXAMPLES[name]()))
    tests = re.search(r'<h2 id="tests">.*?(?=<h2|</main>)', page, re.DOTALL)
    if tests is None or "<table" not in tests[0]:
        return
    shown = re.findall(r'<(?:table class="short|section)(?![^>]*screen)[^>]*>', tests[0])
    assert len(shown) >= 1
    assert ('<table class="short">' in shown) == ("<section>" not in shown)
