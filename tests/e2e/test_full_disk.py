"""A full disk is Assay's own trouble: no verdict about the change, and no new evaluation without room."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.demo.town import await_ready, running_part
from tests.e2e.project import ASKED, FIX, PROJECT
from tests.e2e.town import eventually, running_forge
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]

HEAVY = """setup:
  install: head -c 400000000 /dev/zero > /env/deps/blob || head -c 400000000 /dev/zero > /env/project/blob
"""
IS_LOW = re.compile(r"^assay_disk_low\{host=.*\} 1\.0$", re.M)
ON_A_SMALL_DISK = 'mount -t tmpfs -o size=$1 none "$2" && shift 2 && exec "$@"'


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
@pytest.mark.parametrize("megabytes", [40, 160])
def test_a_disk_that_fills_up_while_building_says_nothing_about_the_change(
    tmp_path: Path, megabytes: int
) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit({**PROJECT, ".github/assay.yml": HEAVY})
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit(FIX)
    home, out = tmp_path / "home", tmp_path / "out"
    home.mkdir()
    done = subprocess.run(
        [
            *("unshare", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh", f"{megabytes}m", home),
            *(sys.executable, "-m", "bot.cli", "judge", repository.folder, "--base", "main"),
            *("--head", "feature", "--out", out, "--sandbox", "bubblewrap", "--no-pdf"),
        ],
        env={**os.environ, "ASSAY_HOME": str(home), "ASSAY_DISK_FLOOR_GB": "0.01"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    assert "disk of the machine that judges was full" in done.stderr
    assert "This says nothing about the change" in done.stderr
    assert not (out / "report.json").exists()


def test_without_a_worker_what_nobody_used_for_long_goes_once_a_day(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    repository.commit(PROJECT)
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit(FIX)
    home, long_ago_s = tmp_path / "home", time.time() - 40 * 86_400
    folders = [
        home / "built/bubblewrap/environments/python" / name / "key" for name in ("used", "left")
    ]

    def judge() -> None:
        for folder in folders:
            (folder / "layer").mkdir(parents=True, exist_ok=True)
        os.utime(folders[1], (long_ago_s, long_ago_s))
        argv = ("judge", str(repository.folder), "--base", "main", "--head", "feature", "--no-pdf")
        done = subprocess.run(
            [sys.executable, "-m", "bot.cli", *argv, "--out", str(tmp_path / "out")],
            env={**os.environ, "ASSAY_HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode in {0, 3}, done.stdout + done.stderr

    judge()
    assert [folder.exists() for folder in folders] == [True, False]
    judge()
    assert [folder.exists() for folder in folders] == [True, True]


def test_below_the_floor_nothing_is_begun_and_the_operator_is_told(tmp_path: Path) -> None:
    with running_forge(tmp_path) as town, ExitStack() as stack:
        full = {**town.environment, "ASSAY_DISK_FLOOR_GB": "1000000", "ASSAY_PDF": "false"}
        web = stack.enter_context(running_part("web", tmp_path, full))
        await_ready(town.public_url, tmp_path, web)
        place = town.place()
        with running_part("worker", tmp_path, full):
            sha = place.push("mean", FIX)
            place.open("mean", ASKED)
            town.operator.deliveries()
            queued = 'assay_jobs{queue="evaluations"} 1.0'
            eventually(lambda: queued in town.metrics(), "a queued evaluation")
            eventually(lambda: IS_LOW.search(town.metrics()), "a low disk")
            time.sleep(2)  # ten looks at the queue
            log = (tmp_path / "worker.log").read_text()
            assert queued in town.metrics()
        assert "No new evaluation is begun below 1e+06 GB" in log
        assert log.count("No new evaluation is begun") <= 2, "one line a minute"
        doctor = subprocess.run(
            [sys.executable, "-m", "bot.cli", "doctor"],
            env={**os.environ, **full},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert doctor.returncode != 0
        assert "no new evaluation is begun" in " ".join(doctor.stdout.split())
        stack.enter_context(running_part("worker", tmp_path, town.environment))
        assert place.completed(sha).conclusion == "success"
