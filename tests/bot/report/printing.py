"""What every driver must do for a printed report: the classes that both drivers' tests share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.report.markdown import html
from bot.report.pdf import pdf
from bot.report.view import view
from bot.settings import Settings
from bot.values import Evaluation
from sandbox.base import Sandbox
from tests.bot.report.examples import hostile, one_missing, regression, success, weakened_tests

CHROMIUM = Settings().chromium
SECRET = "the-key-of-the-app"


@dataclass(frozen=True, slots=True)
class Process:
    """A process of this machine, as the host sees it."""

    uid: int
    environment: bytes


def browsers() -> dict[int, Process]:
    """The Chromium processes of this machine."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if b"chromium" in words[0] and any(word.startswith(b"--") for word in words):
                    uid = folder.stat().st_uid
                    found[int(folder.name)] = Process(uid, (folder / "environ").read_bytes())
    return found


def pages_of(content: bytes | None) -> int:
    assert content is not None
    assert content.startswith(b"%PDF-")
    return content.count(b"/Type /Page\n") + content.count(b"/Type /Page ")


class Printing:
    """Printing by a driver that the fixture `sandbox` gives."""

    async def test_a_report_becomes_a_pdf_of_several_pages(self, sandbox: Sandbox) -> None:
        printed = await pdf(sandbox, html(view(hostile())), CHROMIUM)

        assert printed.remark == ""
        assert pages_of(printed.content) > 1

    @pytest.mark.parametrize("example", [success, regression, weakened_tests, one_missing])
    async def test_an_ordinary_report_is_short_on_paper(
        self, sandbox: Sandbox, example: Callable[[], Evaluation]
    ) -> None:
        printed = await pdf(sandbox, html(view(example())), CHROMIUM)

        assert 1 <= pages_of(printed.content) <= 4

    async def test_the_browser_is_another_user_and_knows_no_secret(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PRIVATE_KEY", SECRET)
        there, seen = set(browsers()), {}
        printing = asyncio.create_task(pdf(sandbox, html(view(hostile())), CHROMIUM))
        while not printing.done():
            seen |= {pid: one for pid, one in browsers().items() if pid not in there}
            await asyncio.sleep(0.02)

        assert (await printing).content is not None
        assert seen
        assert not [one for one in seen.values() if SECRET.encode() in one.environment]
        if os.geteuid() == 0:
            assert not [one for one in seen.values() if one.uid == 0]

    async def test_a_missing_browser_is_a_remark_and_no_failure(self, sandbox: Sandbox) -> None:
        missing = await pdf(sandbox, "<p>x", "/usr/bin/no-such-chromium")
        broken = await pdf(sandbox, "<p>x", "/usr/bin/false")

        assert missing.content is None
        assert "there is no Chromium at /usr/bin/no-such-chromium in the sandbox" in missing.remark
        assert broken.content is None
        assert broken.remark.startswith("No PDF: Chromium failed")
