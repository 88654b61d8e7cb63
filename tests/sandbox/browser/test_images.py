"""Image files opened in the real browser: how they look, their size, what an SVG says."""

from __future__ import annotations

import asyncio

import pytest

from sandbox.values import Side
from tests.sandbox.browser.site import CHROMIUM, Seen, Trees, page

Image = pytest.importorskip("PIL.Image", reason="no Pillow: it comes with the extra `documents`")

pytestmark = [
    pytest.mark.slow,  # that part installs the extra
    pytest.mark.real,
    pytest.mark.skipif(not CHROMIUM.is_file(), reason="no Chromium: apt-get install chromium"),
]
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><title>Logo</title>'
    '<rect width="200" height="100" fill="red"/><text x="20" y="50">Assay</text>'
    "<script>for (;;);</script></svg>"
)
KINDS = ("png", "jpg", "gif", "webp")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    trees = Trees(tmp_path_factory.mktemp("images"))
    trees.write(Side.HEAD, {"logo.svg": LOGO, "cut.svg": LOGO[:60], "cut.png": "\x89PNG"})
    for kind in KINDS:
        Image.new("RGB", (320, 200), (10, 200, 30)).save(trees.folder / "head" / f"photo.{kind}")
    trees.write(Side.HEAD, {"page.html": page("<p>Wheels</p>")})
    photos = (f"photo.{kind}" for kind in KINDS)
    return asyncio.run(trees.visit_head("logo.svg", *photos, "cut.svg", "cut.png", "page.html"))


@pytest.mark.parametrize("kind", KINDS)
def test_an_image_is_shown_with_its_size_and_without_faults(seen: Seen, kind: str) -> None:
    assert f"photo.{kind}: loaded\naccessibility tree:\nimage, 320 x 200 pixels" in (
        seen.observed.head.output
    )
    assert seen.faults(Side.HEAD, f"photo.{kind}") == []
    assert any(
        picture.title.startswith(f"photo.{kind}: ") for picture in seen.observed.head.pictures
    )


def test_a_drawing_says_what_is_written_in_it_and_runs_nothing(seen: Seen) -> None:
    said = "image, 200 x 100 pixels\ntitle: Logo\ntext: Assay"
    assert said in seen.observed.head.output
    assert seen.faults(Side.HEAD, "logo.svg") == []


@pytest.mark.parametrize("path", ["cut.svg", "cut.png"])
def test_a_broken_image_is_told(seen: Seen, path: str) -> None:
    assert seen.faults(Side.HEAD, path) == ["not-loaded: It is no image that a browser can show."]


def test_a_page_beside_them_is_read_as_ever(seen: Seen) -> None:
    assert '- heading "Shop" [level=1]\n  - paragraph: Wheels' in seen.observed.head.output
