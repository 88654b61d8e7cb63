"""kill -9 at every moment of every stage: it goes on where it was, and publishes once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import bot.evaluation
from tests.bot.queue.killed_worker import MOMENTS, STAGES
from tests.postgres import Postgres

pytestmark = pytest.mark.real


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh job store of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'engine.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


def run_workers(url: str, folder: Path, at_once: int, always: str = "") -> str:
    """Run the murdered workers to the end; return the evaluation's last state."""
    program = [sys.executable, "-m", "tests.bot.queue.killed_worker"]
    done = subprocess.run(
        [*program, url, str(folder), str(at_once), always],
        capture_output=True,
        text=True,
        timeout=1000,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_worker_has_the_real_stages() -> None:
    """It names them itself: importing all of Assay at every life would take minutes."""
    assert STAGES == bot.evaluation.STAGES


@pytest.mark.parametrize(
    ("url", "at_once"),
    [
        pytest.param("sqlite", 1, id="restart on SQLite"),
        pytest.param("sqlite", 2, id="second worker takes over on SQLite", marks=pytest.mark.slow),
        pytest.param("postgres", 1, id="restart on Postgres", marks=pytest.mark.slow),
        pytest.param("postgres", 2, id="second worker takes over on Postgres"),
    ],
    indirect=["url"],
)
def test_killed_at_every_moment_of_every_stage(url: str, tmp_path: Path, at_once: int) -> None:
    assert run_workers(url, tmp_path, at_once) == "done"
    lines = (tmp_path / "journal").read_text().splitlines()
    counted = Counter(lines)
    assert counted[f"kill {STAGES[0]} before"] == 1
    for stage in STAGES:
        for moment in MOMENTS:
            assert counted[f"kill {stage} {moment}"] == 1
        # Two lives died in it: one in the middle, one after the work but before its record.
        assert counted[f"begin {stage}"] == 3
        assert counted[f"end {stage}"] == 2
        # Once recorded, it is not begun again, in however many lives follow.
        recorded = lines.index(f"kill {stage} after")
        assert f"begin {stage}" not in lines[recorded:]
    assert (tmp_path / "forge").read_text() == "comment\n"


def test_what_kills_every_worker_ends_visibly_and_its_neighbour_goes_on(
    url: str, tmp_path: Path
) -> None:
    assert run_workers(url, tmp_path, 1, always="observe") == "done"
    lines = (tmp_path / "journal").read_text().splitlines()
    (ended,) = [line for line in lines if line.startswith("ended")]
    assert ended.startswith("ended kill-1: Assay's worker died 4 times in the stage “observe”")
    assert lines.count("published neighbour") == 1
    assert lines.count("kill observe middle") == 4
    assert lines.count("begin observe") == 4
    assert not (tmp_path / "forge").exists()
