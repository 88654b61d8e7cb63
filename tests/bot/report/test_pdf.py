"""The PDF, by the real Chromium in bubblewrap."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from bot.report.pdf import pdf
from sandbox import open_sandbox
from sandbox.base import Sandbox
from tests.bot.report.printing import CHROMIUM, Printing

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not Path(CHROMIUM).is_file(), reason=f"no Chromium at {CHROMIUM}: apt-get install chromium"
    ),
]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path_factory.mktemp("state"))


class TestPrinting(Printing): ...


async def test_no_script_runs_and_nothing_is_fetched(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        page = (
            f"<title>x</title><img src='http://127.0.0.1:{port}/a.png'><link rel=stylesheet "
            f"href='http://127.0.0.1:{port}/a.css'><script>fetch('http://127.0.0.1:{port}/')</script>"
        )
        printed = await pdf(sandbox, page, CHROMIUM)
        with pytest.raises(TimeoutError):
            server.accept()

    assert printed.content is not None


async def test_a_file_of_the_host_is_not_on_the_page(sandbox: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("x" * 5000)
    bare = await pdf(sandbox, "<p>a", CHROMIUM)
    framed = await pdf(sandbox, f"<p>a<iframe src='file://{secret}'></iframe>", CHROMIUM)

    assert bare.content is not None
    assert framed.content is not None
    assert len(framed.content) < len(bare.content) + 5000
