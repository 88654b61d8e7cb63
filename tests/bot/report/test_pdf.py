"""The PDF, by the real Chromium."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.models import Evaluation
from bot.report.html import html
from bot.report.pdf import pdf
from bot.report.view import view
from bot.settings import Settings
from tests.bot.report.examples import (
    hostile,
    one_missing,
    regression,
    success,
    weakened_tests,
)

CHROMIUM = Settings().chromium

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not Path(CHROMIUM).is_file(), reason=f"no Chromium at {CHROMIUM}: apt-get install chromium"
    ),
]


async def test_a_report_becomes_a_pdf_of_several_pages() -> None:
    printed = await pdf(html(view(hostile())), CHROMIUM)

    assert printed.remark == ""
    assert printed.content is not None
    assert printed.content.startswith(b"%PDF-")
    assert printed.content.count(b"/Type /Page\n") + printed.content.count(b"/Type /Page ") > 1


@pytest.mark.parametrize("example", [success, regression, weakened_tests, one_missing])
async def test_an_ordinary_report_is_short_on_paper(example: Callable[[], Evaluation]) -> None:
    printed = await pdf(html(view(example())), CHROMIUM)

    assert printed.content is not None
    pages = printed.content.count(b"/Type /Page\n") + printed.content.count(b"/Type /Page ")
    assert 1 <= pages <= 4


async def test_no_script_runs_and_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        called = threading.Event()
        page = (
            f"<title>x</title><img src='http://127.0.0.1:{port}/a.png'><link rel=stylesheet "
            f"href='http://127.0.0.1:{port}/a.css'><script>fetch('http://127.0.0.1:{port}/')</script>"
        )
        printed = await pdf(page, CHROMIUM)
        try:
            server.accept()[0].close()
            called.set()
        except TimeoutError:
            pass

    assert printed.content is not None
    assert not called.is_set()


async def test_without_chromium_there_is_a_remark_and_no_failure(tmp_path: Path) -> None:
    missing = await pdf("<p>x", str(tmp_path / "chromium"))
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)

    assert missing.content is None
    assert "there is no Chromium at" in missing.remark
    failed = await pdf("<p>x", str(broken))
    assert failed.content is None
    assert failed.remark.startswith("No PDF: Chromium failed")
