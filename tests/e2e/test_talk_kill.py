"""kill -9 of the worker in the middle of an answer: what was said is kept once, and answered once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.demo.town import await_ready, running_part
from bot.store import Store, VerdictLabelFilter
from tests.e2e.project import FIX
from tests.e2e.talking import answer_to, opened, say
from tests.e2e.town import eventually, running_forge

pytestmark = [pytest.mark.real, pytest.mark.slow]
PAUSED = "Not judged: paused by ben; comment /judge resume"


def test_what_was_said_outlives_the_worker(tmp_path: Path) -> None:
    with running_forge(tmp_path) as town, ExitStack() as stack:
        environment = {**town.environment, "ASSAY_LONGEST_WAIT_S": "1"}
        web = stack.enter_context(running_part("web", tmp_path, environment))
        await_ready(town.public_url, tmp_path, web)
        records = stack.enter_context(
            Store(f"sqlite:///{Path(environment['ASSAY_HOME']) / 'records.db'}")
        )
        with running_part("worker", tmp_path, environment) as worker:
            place = town.place()
            sha, number = opened(place)
            place.completed(sha)
            say(place, number, "/judge pause")
            stuck = {"operation": "issues/list-comments", "kind": "status", "status": 503}
            town.operator.control("POST", "faults", calls=10_000, **stuck)
            labelled = place.command(number, "/judge disagree R1 zero is no mean")
            kept = VerdictLabelFilter(place.name)
            eventually(lambda: list(records.labels(kept)), "the kept label")
            resumed = place.command(number, "/judge resume")
            worker.kill()
        newer = place.push("mean", {**FIX, "more.py": "ONE = 1\n"}, new=False)
        town.operator.control("DELETE", "faults")
        with running_part("worker", tmp_path, environment):
            assert "disagrees with R1" in answer_to(place, number, labelled)
            assert "Resumed" in answer_to(place, number, resumed)
            assert place.completed(newer).conclusion == "success"
            town.settle()
            # A sweep that looks before the resuming is taken over says that the commit waits.
            judged = [run for run in place.runs(newer) if run.title != PAUSED]
            assert len(judged) == 1
            assert len(list(records.labels(kept))) == 1
            say(place, number, "/judge pause")
        with running_part("worker", tmp_path, environment):
            newest = place.push("mean", {"more.py": "TWO = 2\n"}, new=False)
            assert place.completed(newest).title == PAUSED
