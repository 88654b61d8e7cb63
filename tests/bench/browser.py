"""Three pages on two sides: in one browser, as Assay does it, and in six."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median

from sandbox import open_sandbox
from sandbox.browser.journey import Journey, JourneySide, Visit, travel
from sandbox.values import Side

ROUNDS = 2
_PAGE = """<!doctype html>
<html lang="en"><meta name="viewport" content="width=device-width"><title>{0}</title>
<style>
body {{ font: 18px sans-serif }}
@media (prefers-color-scheme: dark) {{ body {{ background: #222 }} }}
</style>
<main><h1>{0}</h1><p>{1}</p></main>"""
_NAMES = ("one.html", "two.html", "three.html")


def main() -> None:
    """Print how much longer six starts take than one."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        one, six = asyncio.run(_measure(Path(folder)))
    print(
        f"browser, three pages on two sides: six starts over one: {median(six) / median(one):.2f}x"
    )
    print(
        f"  one {_listed(one)}, six {_listed(six)}; both with the same pictures, tree and axe-core"
    )


async def _measure(folder: Path) -> tuple[list[float], list[float]]:
    places = tuple(_place(folder, side) for side in Side)
    visits = tuple(Visit(name, name) for name in _NAMES)
    apart = [Journey((place,), (visit,)) for place in places for visit in visits]
    one: list[float] = []
    six: list[float] = []
    for _ in range(ROUNDS):
        one.append(await _seconds(folder, [Journey(places, visits)], starts=1))
        six.append(await _seconds(folder, apart, starts=6))
    return one, six


async def _seconds(folder: Path, journeys: list[Journey], starts: int) -> float:
    sandbox = open_sandbox("bubblewrap", folder / "state")
    started = time.monotonic()
    told = [(await travel(sandbox, journey)).told for journey in journeys]
    seconds = time.monotonic() - started
    assert sum(one.starts for one in told) == starts
    assert sum(visit.is_whole for one in told for visit in one.visits.values()) == 6
    return seconds


def _place(folder: Path, side: Side) -> JourneySide:
    tree = folder / side
    tree.mkdir()
    for name in _NAMES:
        (tree / name).write_text(_PAGE.format(name, side))
    return JourneySide(side, str(tree))


def _listed(seconds: list[float]) -> str:
    return " ".join(f"{one:.1f}" for one in seconds) + " s"
