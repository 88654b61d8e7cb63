"""`assay demo` as a newcomer types it, and what it says when a conclusion is not the expected one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from bot.commands.demo import ProgressRow
from bot.demo.town import SCENES, OpenedScene
from tests.bot.report.printing import pages_of

pytestmark = [pytest.mark.real, pytest.mark.slow]


def demo(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bot.cli", "demo", "--folder", str(folder)],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={**os.environ, "COLUMNS": "200", **environment},
    )


def test_the_demo_comes_out_as_expected_and_its_links_open(tmp_path: Path) -> None:
    argv = [
        sys.executable,
        "-u",
        "-m",
        "bot.cli",
        "demo",
        "--serve",
        "--folder",
        str(tmp_path / "d"),
    ]
    environment = {**os.environ, "COLUMNS": "200"}
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            said = _said_until(process, "Everything stays up")
            for line in (
                "#4 success (as expected)",
                "#5 action_required (as expected)",
                "#6 failure (as expected)",
                "#7 failure (as expected)",
            ):
                assert line in said
            links = re.findall(r"  (?:pull request|report.*?) +(http\S+)", said)
            assert len(links) == 16, "page of the pull request; report as page, JSON and PDF"
            for link in links:
                page = _settled(link)
                assert page.status_code == 200, link
                if ".pdf" in link:
                    assert 1 <= pages_of(page.content) <= 4, f"{link}: each change is of two files"
        finally:
            process.terminate()
        assert process.wait(timeout=60) == 0


def _said_until(process: subprocess.Popen[str], last: str) -> str:
    said = ""
    for line in process.stdout or ():
        said += line
        if line.startswith(last):
            return said
    raise AssertionError(f"the demo ended early: {said}")


def test_on_a_full_disk_it_is_said_before_anything_is_started(tmp_path: Path) -> None:
    done = demo(tmp_path / "demo", ASSAY_DISK_FLOOR_GB="1000000")
    assert done.returncode == 2
    assert re.match(r"assay: Only \d+\.\d\d GB are free at /", done.stderr)
    assert "set ASSAY_DISK_FLOOR_GB lower" in done.stderr
    assert "A forge runs" not in done.stdout
    assert not (tmp_path / "demo").exists()


def test_a_part_that_cannot_run_ends_the_demo_with_its_log(tmp_path: Path) -> None:
    done = demo(tmp_path / "demo", ASSAY_DATABASE_URL="nosuch://")
    assert done.returncode == 2
    assert "The demo's web did not start." in done.stderr
    assert "Worker failed to boot" in done.stderr


def test_a_sandbox_that_does_not_start_ends_the_demo_before_it_begins(tmp_path: Path) -> None:
    done = demo(tmp_path / "demo", ASSAY_SANDBOX="cardboard")
    assert done.returncode == 2
    assert "The sandbox does not start: no sandbox is called 'cardboard'" in done.stderr
    assert not (tmp_path / "demo").exists()


def test_the_demo_replaces_no_folder_that_it_did_not_make(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "thesis.tex").write_text("years")
    (tmp_path / "link").symlink_to(work)
    for place in (work, tmp_path / "link"):
        done = demo(place)
        assert done.returncode == 2
        assert "is not empty, and no demo made it" in done.stderr
    (tmp_path / "file").write_text("precious")
    assert demo(tmp_path / "file").returncode == 2
    assert demo(tmp_path / "file" / "below").returncode == 2
    assert (work / "thesis.tex").read_text() == "years"
    assert (tmp_path / "file").read_text() == "precious"


def test_a_conclusion_without_a_judgement_is_not_as_expected() -> None:
    half_done = OpenedScene(SCENES[1], 5, "a" * 40)
    failed = ProgressRow(
        half_done, "completed", "action_required", "The sandbox does not work", "link"
    )
    assert not failed.is_expected
    assert replace(failed, met="4 of 5").is_expected


def test_judges_may_find_out_more_and_never_less() -> None:
    def shown(number: int, conclusion: str) -> ProgressRow:
        opened = OpenedScene(SCENES[number], number, "a" * 40)
        return ProgressRow(opened, "completed", conclusion, "t", "link", "5 of 6", has_judges=True)

    assert shown(1, "action_required").is_expected and shown(1, "failure").is_expected
    assert not replace(shown(1, "failure"), has_judges=False).is_expected
    assert not shown(1, "success").is_expected
    assert shown(0, "success").is_expected and not shown(0, "failure").is_expected
    assert not replace(shown(0, "success"), met="").is_expected
    assert not shown(2, "success").is_expected and not shown(3, "action_required").is_expected


def _settled(link: str) -> httpx.Response:
    """A page; a PDF that is still being printed is waited for."""
    end_s = time.monotonic() + 60
    while (page := httpx.get(link, timeout=60)).status_code == 202 and time.monotonic() < end_s:
        time.sleep(0.5)
    return page
