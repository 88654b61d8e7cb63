"""The browser works in docker as it does in bubblewrap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.browser.journey import Served
from sandbox.values import Side
from tests.docker_engine import IMAGE
from tests.sandbox.browser.site import Trees, page

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


async def test_pages_are_looked_at_in_docker(tmp_path: Path) -> None:
    trees = Trees(tmp_path, "docker")
    trees.write(Side.BASE, {"index.html": page("<button onclick='this.remove()'>Buy</button>")})
    trees.write(Side.HEAD, {"index.html": page("<script>gone()</script>")})
    seen = await trees.visit("index.html")
    assert (seen.observed.base.problem, seen.observed.head.problem) == ("", "")
    assert "has-effect: button “Buy”" in seen.faults(Side.BASE, "index.html")
    assert seen.faults(Side.HEAD, "index.html") == [
        "console-error: ReferenceError: gone is not defined"
    ]
    assert [len(side.pictures) for side in (seen.observed.base, seen.observed.head)] == [2, 2]


async def test_a_project_is_served_in_docker(tmp_path: Path) -> None:
    trees = Trees(tmp_path, "docker")
    for side in Side:
        trees.write(side, {"index.html": page(f"<p>{side}</p>")})
    served = Served("exec python3 -m http.server 4000", "http://localhost:4000/")
    seen = await trees.follow("goto /index.html", "expect text p base", served=served)
    assert (seen.observed.base.exit_code, seen.observed.head.exit_code) == (0, 1)
