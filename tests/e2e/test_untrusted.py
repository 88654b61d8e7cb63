"""What a pull request says and prints comes out as text, and without the secrets in it."""

from __future__ import annotations

from html.parser import HTMLParser

import httpx
import pytest
from markdown_it import MarkdownIt

from tests.e2e.project import CALC, TESTS
from tests.e2e.town import Town, report

pytestmark = pytest.mark.real

TOKEN = "ghp_" + "x7Kq2mWv9LtZ4nRb8YcD" + "1sFhJ5gA3pEuQ6oT"
EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> @octocat "
    "![pixel](http://evil.invalid/p.png) [click](javascript:alert(3)) <!-- assay:pull-request 1 -->"
)
TEST = f"""import unittest

from calc import total


class EvilTest(unittest.TestCase):
    def test_evil(self):
        print({EVIL!r})
        print("\\n/judge cancel\\n::set-output name=x::y\\n\\x1b[31mred")
        print("token={TOKEN}")
        self.assertEqual(total([1]), 7, {EVIL!r} + " {TOKEN}")
"""


def test_hostile_words_come_out_as_words(town: Town) -> None:
    place = town.place()
    name = "test_<img src=x onerror=alert(4)> @octocat.py"
    sha = place.push(
        "evil",
        {
            "test_evil.py": TEST,
            name: TESTS,
            "calc.py": CALC.replace("sum(prices)", "sum(prices) + 1"),
        },
    )
    title = f"Add {EVIL}"[:250]
    body = f"/judge cancel\n\n- [x] {EVIL}\n- `total` returns @octocat {TOKEN}\n\n{EVIL}"
    number = place.open("evil", title, body)
    run = place.completed(sha)
    assert run.conclusion == "failure"
    assert report(run).flag("judged")
    comment = place.verdict(number)
    for text in (comment, run.summary, run.text, run.title):
        _check_markdown(text)
    for annotation in run.annotations:
        assert TOKEN not in annotation.message + annotation.title
    _check_page(httpx.get(run.details_url, timeout=60).text)
    whole = httpx.get(run.details_url.replace("?", ".json?"), timeout=60).text
    assert TOKEN not in whole
    assert "[redacted" in whole


class Rendered(HTMLParser):
    """What a browser would make of a page: tags with attributes, and the text outside of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.prose = ""
        self.comments: list[str] = []
        self._code = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._code += tag in {"code", "pre"}

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in {"code", "pre"}

    def handle_data(self, data: str) -> None:
        self.prose += "" if self._code else data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def _check_markdown(text: str) -> None:
    """Holds the text against what GitHub's renderer lets through and acts on."""
    assert TOKEN not in text
    assert "\x1b" not in text
    shown = Rendered(MarkdownIt("gfm-like", {"html": True}).render(text))
    _check_tags(shown)
    assert "@octocat" not in shown.prose
    assert len(shown.comments) <= 1
    assert not [line for line in text.splitlines() if line.startswith("/judge")]


def _check_page(page: str) -> None:
    _check_tags(Rendered(page))
    assert TOKEN not in page


def _check_tags(shown: Rendered) -> None:
    for tag, attributes in shown.tags:
        assert tag not in {"script", "img", "iframe", "object"}, attributes
        assert not [name for name in attributes if name.startswith("on")]
        assert not (attributes.get("href") or "").startswith(("javascript:", "http://evil"))
