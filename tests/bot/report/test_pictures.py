"""Pictures stand side by side, and in a page only where the page itself put them."""

from __future__ import annotations

import base64

import pytest

from bot.report.markdown import html, markdown
from bot.report.pictures import (
    PictureRow,
    embedded,
    is_picture,
    is_reachable,
    linked,
    picture_address,
    picture_rows,
)
from bot.report.view import view
from sandbox.values import Observation, Picture, Side
from tests.bot.report.examples import regression_with_pictures

PNG = b"\x89PNG\r\n\x1a\n..."
TAG = '<a href="artifact:E1-1.head.png"><img src="artifact:E1-1.head.png" alt="x"></a>'


def seen(side: Side, *pictures: Picture) -> Observation:
    return Observation(side, "", 0, "", 0.0, pictures=pictures)


def test_both_sides_are_paired_by_title() -> None:
    base = seen(Side.BASE, Picture("a", "1.base.png"), Picture("gone", "2.base.png"))
    head = seen(
        Side.HEAD,
        Picture("a", "1.head.png", "1.difference.png", 5, 200),
        Picture("new", "3.head.png"),
    )
    assert picture_rows(base, head) == (
        PictureRow("a", "1.base.png", "1.head.png", "1.difference.png", 2.5),
        PictureRow("gone", "2.base.png", "", "", None),
        PictureRow("new", "", "3.head.png", "", None),
    )
    assert picture_rows(None, None) == ()


def test_a_page_without_a_server_carries_its_pictures() -> None:
    page = embedded(TAG, {"E1-1.head.png": PNG}.get)
    data = base64.b64encode(PNG).decode()
    assert page == f'<a href="E1-1.head.png"><img src="data:image/png;base64,{data}" alt="x"></a>'
    assert embedded(TAG, lambda _: None).count('"E1-1.head.png"') == 2


def test_a_served_page_links_to_them() -> None:
    assert linked(TAG, lambda name: f"/p/{name}").count('"/p/E1-1.head.png"') == 2
    assert picture_address("https://a/e/1?s=k", "x.png") == "https://a/e/1/artifacts/x.png?s=k"
    assert picture_address("", "x.png") == "x.png"


def test_no_text_of_others_becomes_a_picture() -> None:
    evil = 'src="artifact:E1-1.head.png"'
    page = html(view(regression_with_pictures(f"<img {evil}>", "E1-1.head.png")))
    assert page.count(evil) == 1  # the template's own
    assert not is_picture("../x.png") and not is_picture("x.png\n") and not is_picture("x.svg")


def test_a_comment_links_to_each_picture() -> None:
    shown = view(regression_with_pictures("a [b](c)", "E1-1.head.png"))
    text = markdown(shown, "https://assay.example/evaluations/1?s=k")
    assert "[head](https://assay.example/evaluations/1/artifacts/E1-1.head.png?s=k)" in text
    assert "a [b](c)" not in text  # escaped


@pytest.mark.parametrize(
    ("link", "reachable"),
    [
        ("https://assay.example/evaluations/1?s=k", True),
        ("https://93.184.216.34/evaluations/1", True),
        ("http://127.0.0.1:8000/evaluations/1", False),
        ("http://localhost:8000/evaluations/1", False),
        ("https://assay.localhost/evaluations/1", False),
        ("https://[::1]/evaluations/1", False),
        ("https://10.1.2.3/evaluations/1", False),
        ("https://assay/evaluations/1", False),
        ("https://assay.internal./evaluations/1", False),
        ("", False),
    ],
)
def test_screenshots_stand_in_the_comment_only_where_the_forge_can_load_them(
    link: str, reachable: bool
) -> None:
    assert is_reachable(link) is reachable
    shown = view(regression_with_pictures("the start page", "E1-1.head.png"))
    text = markdown(shown, link)
    picture = f"![head]({picture_address(link, 'E1-1.head.png')})"
    assert (picture in text) is reachable
    assert ("Screenshots of what changed (1 of 1)" in text) is reachable
