"""kill -9 of the worker at every stage, with the real stages: one comment, one check run, no work twice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from bot.demo.town import await_ready, running_part
from bot.evaluation import STAGES
from tests.e2e.mortal_workers import IN_THE_MIDDLE, LAST, moments_of
from tests.e2e.project import ASKED, FIX
from tests.e2e.town import Town, eventually, running_forge, verdicts_of
from tests.postgres import Postgres

pytestmark = pytest.mark.real
LONGEST_S = 900.0


@contextmanager
def mortal_workers(
    folder: Path, at_once: int, every: bool, environment: dict[str, str]
) -> Iterator[Path]:
    """Keep dying workers alive; gives the folder of their journal."""
    fates = folder / "fates"
    fates.mkdir()
    moments = "every" if every else "some"
    argv = [sys.executable, "-m", "tests.e2e.mortal_workers", str(fates), str(at_once), moments]
    with (folder / "workers.log").open("wb") as log:
        process = subprocess.Popen(argv, stdout=log, stderr=log, env={**os.environ, **environment})
        try:
            yield fates
        finally:
            process.terminate()
            process.wait(timeout=120)


@pytest.mark.parametrize(
    ("database", "at_once", "every"),
    [
        pytest.param("sqlite", 1, False, id="restarted on SQLite"),
        pytest.param("postgres", 2, True, id="taken over on Postgres", marks=pytest.mark.slow),
    ],
)
def test_killed_at_every_stage(
    database: str, at_once: int, every: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    settings = {}
    if database == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        settings["ASSAY_DATABASE_URL"] = server.database()
    with running_forge(tmp_path) as town, ExitStack() as stack:
        environment = {**town.environment, **settings}
        web = stack.enter_context(running_part("web", tmp_path, environment))
        await_ready(town.public_url, tmp_path, web)
        with mortal_workers(tmp_path, at_once, every, environment) as fates:
            _check_outcome(town)
            eventually((fates / f"{LAST}-after").exists, "the last death")
            eventually(lambda: not left_behind(tmp_path), "an empty process table")
        _check_journal((fates / "journal").read_text().splitlines(), every)


def _check_outcome(town: Town) -> None:
    place = town.place()
    sha = place.push("mean", FIX)
    number = place.open("mean", ASKED)
    run = place.completed(sha, timeout_s=LONGEST_S)
    assert run.conclusion == "success", run.summary
    assert set(verdicts_of(run).values()) == {"satisfied"}
    eventually(lambda: place.verdicts(number), "the comment")
    printed = run.details_url.replace("?", ".pdf?", 1)
    eventually(
        lambda: httpx.get(printed, timeout=60).content.startswith(b"%PDF-"), "the PDF", LONGEST_S
    )
    town.settle()
    assert len(place.comments(number)) == 1
    assert len(place.runs(sha)) == 1


def _check_journal(lines: list[str], every: bool) -> None:
    counted = Counter(lines)
    for stage in STAGES:
        deaths = moments_of(stage, every) + (("middle",) if stage in IN_THE_MIDDLE else ())
        for moment in deaths:
            assert counted[f"kill {stage} {moment}"] == 1, f"{stage} {moment}"
        if "after" in deaths:
            recorded = lines.index(f"kill {stage} after")
            assert f"begin {stage}" not in lines[recorded:], f"{stage} ran again when recorded"
        assert counted[f"end {stage}"] == 2, f"{stage} ran again when recorded"


def left_behind(folder: Path) -> list[int]:
    """Processes in sandboxes whose files are below `folder`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "mountinfo").read_bytes():
                found.append(int(process.name))
        except OSError:  # gone since
            continue
    return found
