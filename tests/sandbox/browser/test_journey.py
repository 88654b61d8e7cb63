"""Pages and scripts in the real Chromium in the real sandbox, on two sides."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import pytest

from sandbox.browser.journey import Served
from sandbox.values import Side
from tests.sandbox.browser.site import CHROMIUM, Seen, Trees, page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(not CHROMIUM.is_file(), reason="no Chromium: apt-get install chromium"),
]
BASE_SHOP = page(
    "<style>@media (prefers-color-scheme: dark) {html {background: #111; color: #eee}}</style>"
    "<button onclick=\"this.textContent='Bought'\">Buy</button>"
    "<label>Plan <select id=\"plan\" onchange=\"price.textContent = this.value === 'pro' ? '9 €' : ''\">"
    '<option value="">none</option><option value="pro">Pro</option></select></label> <output id="price">'
    "</output><button onclick=\"console.error('at ' + Date.now())\">Log</button>"
)
HEAD_SHOP = BASE_SHOP.replace('value="pro"', 'value="Pro plan"').replace(
    "</main>",
    '<img src="gone.png"><script>undefinedName()</script>'
    '<div style="position:fixed;inset:0 0 auto 0;height:200px">Sale!</div></main>',
)
OUTSIDE = "../../etc/passwd"
CDN = page('<script src="https://cdn.invalid/jquery.js"></script><script>$("h1").hide()</script>')


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    trees = Trees(tmp_path_factory.mktemp("shop"))
    trees.write(Side.BASE, {"index.html": BASE_SHOP, "cdn.html": page("")})
    trees.write(Side.HEAD, {"index.html": HEAD_SHOP, "cdn.html": CDN, "new.html": page("")})
    return asyncio.run(trees.visit("index.html", "cdn.html", "new.html", OUTSIDE))


def test_one_browser_visits_all_pages_on_both_sides(shop: Seen) -> None:
    assert shop.travelled.told.starts == 1
    assert shop.travelled.told.ended
    assert {key: seen.is_whole for key, seen in shop.travelled.told.visits.items()} == {
        (side, path): True
        for side in Side
        for path in ("index.html", "cdn.html", "new.html", OUTSIDE)
    }


def test_what_nobody_sees_is_told(shop: Seen) -> None:
    before, after = (shop.faults(side, "index.html") for side in Side)
    assert "console-error: at 0" in [fault.rstrip("0123456789") + "0" for fault in before]
    assert not [fault for fault in before if fault.startswith(("axe", "covered", "failed"))]
    assert "console-error: ReferenceError: undefinedName is not defined" in after
    assert "failed-request: image /gone.png: status 404" in after
    assert "axe: image-alt (Images must have alternative text) at img" in after


def test_controls_are_tried_unless_something_covers_them(shop: Seen) -> None:
    before, after = (shop.faults(side, "index.html") for side in Side)
    assert "has-effect: button “Buy”" in before
    assert "has-effect: select “Plan”, option “Pro”" in before
    assert "covered-control: button “Buy” is covered by div “Sale!”" in after
    assert not [fault for fault in after if fault.startswith(("has-effect", "no-effect"))]


def test_what_only_the_network_has_is_no_fault_of_the_page(shop: Seen) -> None:
    after = shop.faults(Side.HEAD, "cdn.html")
    assert any(fault.startswith("needs-network: script https://cdn.invalid/") for fault in after)
    assert not [fault for fault in after if fault.startswith("failed-request")]


def test_a_new_page_is_not_there_on_base(shop: Seen) -> None:
    assert "not-loaded: It answers with status 404." in shop.faults(Side.BASE, "new.html")
    assert not shop.faults(Side.HEAD, "new.html")


def test_files_outside_the_tree_are_not_served(shop: Seen) -> None:
    assert shop.faults(Side.HEAD, OUTSIDE) == ["not-loaded: It answers with status 404."]


def test_pictures_show_both_sides_and_what_differs(shop: Seen) -> None:
    rows = {row.title: row for row in shop.observed.head.pictures}
    assert {title for title in rows if title.startswith("index")} == {
        f"index.html: {device}, {colour}"
        for device in ("desktop", "mobile")
        for colour in ("light", "dark")
    }
    wide, narrow = rows["index.html: desktop, light"], rows["index.html: mobile, light"]
    assert wide.difference and 0 < wide.changed < wide.pixels
    size = {name: struct.unpack(">II", png[16:24]) for name, png in shop.pictures.items()}
    assert size[wide.artifact] == size[wide.difference] == (1280, 800)
    assert size[narrow.artifact] == (390, 844)
    assert "cdn.html: desktop, dark" not in rows  # the same as in light


def test_the_accessibility_tree_is_told(shop: Seen) -> None:
    assert '- heading "Shop" [level=1]' in shop.observed.base.output
    assert '- button "Buy"' in shop.observed.base.output


async def test_a_script_ends_at_the_first_act_that_fails(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    for side, value in ((Side.BASE, "pro"), (Side.HEAD, "Pro plan")):
        body = BASE_SHOP.replace('value="pro"', f'value="{value}"') + (
            '<input id="name" aria-label="Name" onkeydown="if (event.key === \'Enter\') out.textContent = '
            "'Hello ' + this.value\"><p id='out' onmouseover=\"this.className='hot'\"></p>"
            '<div style="height: 3000px"></div><i id="end" hidden>end</i>'
            "<script>onscroll = () => { end.hidden = false }</script>"
        )
        trees.write(side, {"site/index.html": body})
    seen = await trees.follow(
        "goto site/index.html", "fill #name 'Ada Lovelace'", "press Enter #name",
        "expect text #out 'Hello Ada'", "hover #out", "expect count .hot 1", "expect hidden #end",
        "scroll bottom", "wait 0.1",
        "expect visible #end", "click text=Buy", "expect url index.html",
        "select #plan Pro", "expect text #price '9 €'", "expect visible h1",
    )  # fmt: skip
    base, head = seen.observed.base, seen.observed.head
    assert (base.exit_code, head.exit_code, base.problem, head.problem) == (0, 1, "", "")
    assert [f.message for f in head.findings if f.rule == "failed-act"] == [
        "expect text #price '9 €': #price shows “”, not “9 €”."
    ]
    assert "not reached: expect visible h1" in head.output
    assert "done: expect visible h1" in base.output
    assert [len(side.pictures) for side in (base, head)] == [15, 14]


SERVER = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Type", "text/html"); self.end_headers()
        self.wfile.write(b'<!doctype html><html lang=en><title>x</title><main><h1>@</h1></main>')
HTTPServer(("localhost", 4000), Shop).serve_forever()
"""


async def test_a_project_is_served_by_its_own_command(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    trees.write(Side.BASE, {"serve.py": SERVER.replace("@", "One apple")})
    trees.write(Side.HEAD, {"serve.py": SERVER.replace("@", "No apple")})
    served = Served("cd . && exec python3 serve.py", "http://localhost:4000/shop")
    seen = await trees.follow("goto /", "expect text h1 'One apple'", served=served)
    assert (seen.observed.base.exit_code, seen.observed.head.exit_code) == (0, 1)
    assert seen.travelled.told.starts == 2  # each side has a sandbox of its own
    last = seen.observed.head.pictures[-1]
    assert last.difference in seen.pictures  # base's picture came from the other sandbox


SPY = """
import os, signal
me = os.getpid()
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        told = open(f"/proc/{pid}/environ").read()
        for fd in os.listdir(f"/proc/{pid}/fd"):
            os.readlink(f"/proc/{pid}/fd/{fd}")
        if "ASSAY_CHANNEL_FD" in told:
            print("saw", pid)
        os.kill(int(pid), 0) if int(pid) != me else None
    except OSError as error:
        print("closed", type(error).__name__)
os.rename("a/file", "b/file")
raise SystemExit(9)
"""


async def test_what_is_served_sees_nothing_of_the_browser(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    for side in Side:
        trees.write(side, {"spy.py": SPY, "a/file": "", "b/other": ""})
    seen = await trees.visit("/", served=Served("python3 spy.py", "http://localhost:4000/"))
    assert "ended with code 9" in seen.observed.head.output
    assert "saw" not in seen.observed.head.output
    assert "closed PermissionError" in seen.observed.head.output


async def test_a_server_that_ends_is_a_failure_of_its_side(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    trees.write(Side.BASE, {"serve.py": SERVER})
    trees.write(Side.HEAD, {"serve.py": "raise SystemExit('no more shop')"})
    seen = await trees.visit("/", served=Served("python3 serve.py", "http://localhost:4000/"))
    assert (seen.observed.base.exit_code, seen.observed.head.exit_code) == (0, 1)
    assert seen.faults(Side.HEAD, "/") == ["not-loaded: The server ended with code 1."]
    assert "no more shop" in seen.observed.head.output


async def test_a_project_that_is_served_on_neither_side_proves_nothing(tmp_path: Path) -> None:
    seen = await Trees(tmp_path).visit("/", served=Served("exit 3", "http://localhost:4000/"))
    assert seen.observed.head.exit_code is None
    assert seen.observed.head.problem == "The project is served on neither side: see the output."


async def test_a_script_on_a_page_that_lacks_the_network_proves_nothing(tmp_path: Path) -> None:
    trees = Trees(tmp_path)
    trees.write(Side.BASE, {"index.html": page("<style>h1 {display: none}</style>")})
    trees.write(Side.HEAD, {"index.html": CDN})
    seen = await trees.follow("goto index.html", "expect hidden h1")
    assert seen.observed.head.exit_code is None
    assert seen.observed.head.problem.startswith(
        "It failed on a page that needs the network: script https"
    )
