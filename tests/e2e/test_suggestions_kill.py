"""kill -9 of the worker between posting suggestions and noting it: they stand once."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.demo.town import await_ready, running_part
from tests.e2e.talking import opened
from tests.e2e.test_suggestions import ASKS, UNTIDY, review_comments, reviews
from tests.e2e.town import eventually, running_forge

pytestmark = [pytest.mark.real, pytest.mark.slow]


def test_suggestions_outlive_the_worker(tmp_path: Path) -> None:
    with running_forge(tmp_path) as town, ExitStack() as stack:
        environment = {**town.environment, "ASSAY_LONGEST_WAIT_S": "1"}
        web = stack.enter_context(running_part("web", tmp_path, environment))
        await_ready(town.public_url, tmp_path, web)
        place = town.place(ASKS)
        # The check run comes after the suggestions: while it cannot be completed, publishing is not noted.
        stuck = {"operation": "checks/update", "kind": "status", "status": 503}
        with running_part("worker", tmp_path, environment) as worker:
            sha, number = opened(place, UNTIDY)
            eventually(lambda: place.runs(sha), "the check run")
            town.operator.control("POST", "faults", calls=10_000, **stuck)
            eventually(lambda: reviews(place, number), "the review")
            worker.kill()
        town.operator.control("DELETE", "faults")
        with running_part("worker", tmp_path, environment):
            place.completed(sha)
            town.settle()
        assert len(reviews(place, number)) == 1
        assert len(review_comments(place, number)) == 2
