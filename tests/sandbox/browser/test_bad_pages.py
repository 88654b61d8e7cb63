"""Pages that mean harm: each gets a clear observation within its limits, and the rest goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sandbox.browser.journey import Served
from sandbox.values import Side
from tests.sandbox.browser.site import CHROMIUM, Seen, Trees, page

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM.is_file(), reason="no Chromium: apt-get install chromium"),
]
PAGES = {
    "settles-never.html": "setInterval(() => fetch('/' + Math.random()), 40)",
    "spins.html": "for (;;);",
    "spins-later.html": "onload = () => setTimeout(() => { for (;;); }, 200)",
    "alerts.html": "for (;;) alert(1)",
    "stays.html": "onbeforeunload = (event) => event.preventDefault()",
    "downloads.html": "location = 'data.bin'",
    "opens.html": "setInterval(() => open('about:blank'), 10)",
    "leaves.html": "location = 'http://example.com/'",
    "floods.html": "for (let i = 0; i < 20000; i += 1) console.error('e' + i)",
    "is-huge.html": "document.body.innerHTML = '<p>x</p>'.repeat(100000)",
}
TALL = page('<div style="height: 10000px; background: linear-gradient(red, blue)"></div>')
GOOD = page('<button onclick="this.remove()">Buy</button>')
HOG = page(
    "<script>const a = []; setInterval(() => a.push(new Uint8Array(2e8).fill(1)), 5)</script>"
)


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    trees = Trees(tmp_path_factory.mktemp("bad"))
    pages = {name: page(f"<script>{script}</script>") for name, script in PAGES.items()}
    files = {**pages, "tall.html": TALL, "good.html": GOOD, "data.bin": "x" * 1000}
    trees.write(Side.HEAD, files)
    return asyncio.run(trees.visit_head(*PAGES, "tall.html", "good.html"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("settles-never.html", "failed-request: fetch /0."),
        ("spins.html", "not-responding: "),
        ("spins-later.html", "not-responding: "),
        ("alerts.html", "not-loaded: It opens dialogs without end; after 10 the page was closed."),
        ("downloads.html", "not-loaded: It starts a download (data.bin), which was refused."),
        ("leaves.html", "not-loaded: It goes away to http://example.com/."),
        ("floods.html", "console-error: … and more"),
        ("good.html", "has-effect: button “Buy”"),
    ],
)
def test_a_bad_page_is_told_clearly(bad: Seen, name: str, told: str) -> None:
    assert any(fault.startswith(told) for fault in bad.faults(Side.HEAD, name)), bad.faults(
        Side.HEAD, name
    )


def test_every_page_has_its_observation(bad: Seen) -> None:
    assert bad.travelled.told.ended
    whole = {name for (_, name), seen in bad.travelled.told.visits.items() if seen.is_whole}
    assert whole == {*PAGES, "tall.html", "good.html"}
    assert len(bad.observed.head.output) <= 40_000
    assert all(len(bad.faults(Side.HEAD, name)) < 200 for name in whole)


def test_notes_say_what_was_refused(bad: Seen) -> None:
    assert "It opens windows without end; after 5 the page was closed." in bad.observed.head.output
    assert "the picture ends at 5000" in bad.observed.head.output
    assert all(len(png) <= 4_000_000 for png in bad.pictures.values())


async def test_a_page_that_takes_all_memory_costs_only_itself(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    for side in Side:
        trees.write(
            side, {"a.html": GOOD, "hog.html": HOG if side is Side.HEAD else GOOD, "z.html": GOOD}
        )
    seen = await trees.visit("a.html", "hog.html", "z.html")
    assert [f.rule for f in seen.findings(Side.HEAD) if f.path == "hog.html"] == ["not-examined"]
    for path in ("a.html", "z.html"):
        assert seen.faults(Side.HEAD, path) == ["has-effect: button “Buy”"]
    assert seen.observed.head.exit_code == 1


async def test_a_server_that_never_listens_shows_nothing(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    trees.write(Side.BASE, {"serve.sh": "exec python3 -m http.server 4000"})
    trees.write(Side.HEAD, {"serve.sh": "echo waiting; sleep 600"})
    seen = await trees.visit("/", served=Served("sh serve.sh", "http://localhost:4000/"))
    assert seen.observed.base.exit_code == 0
    assert seen.observed.head.problem == "Nothing answered at http://localhost:4000/ within 45 s."
    assert "waiting" in seen.observed.head.output
