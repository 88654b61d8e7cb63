"""Check runs: one for each evaluation, annotated once, cut to what GitHub takes."""

from __future__ import annotations

import pytest

from bot.errors import UserError
from bot.github import CheckAction, CheckStatus
from bot.values import Conclusion
from tests.bot.github.reports import remarks, report
from tests.world import Place


async def test_a_check_run_goes_through_its_states(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        queued = await repository.put_check_run(report(place))
        working = report(place, status=CheckStatus.IN_PROGRESS, title="observe")
        running = await repository.put_check_run(working, queued.id)
        done = report(
            place,
            status=CheckStatus.COMPLETED,
            conclusion=Conclusion.FAILURE,
            title="1 of 2 requirements",
            text="details",
            actions=(CheckAction("Run again " * 3, "d" * 60, "i" * 30),),
        )
        ended = await repository.put_check_run(done)
        late = await repository.put_check_run(working)
        listed = await repository.check_runs(place.head(), "Assay")
    assert queued.id == running.id == ended.id == late.id
    assert [run.status for run in (queued, running, ended)] == [
        "queued",
        "in_progress",
        "completed",
    ]
    assert (ended.conclusion, late.status) == ("failure", "completed")
    assert [run.id for run in listed] == [ended.id]


async def test_another_evaluation_has_its_own_check_run(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        first = await repository.put_check_run(report(place))
        second = await repository.put_check_run(report(place, external_id="evaluation-2"))
        listed = await repository.check_runs(place.head(), "Assay")
        assert await repository.check_runs(place.head(), "Other") == ()
    assert [run.id for run in listed] == [second.id, first.id]


@pytest.mark.parametrize("count", [0, 1, 50, 51, 120])
async def test_annotations_come_in_batches_and_once(place: Place, count: int) -> None:
    full = report(place, annotations=remarks(count))
    async with place.world.github().repository(place.name) as repository:
        created = await repository.put_check_run(full)
        again = await repository.put_check_run(full)
        known = await repository.put_check_run(full, created.id)
    assert [run.annotations for run in (created, again, known)] == [count] * 3
    path = f"repos/{place.name}/check-runs/{created.id}/annotations?per_page=100"
    found = place.world.operator.as_person(place.world.ada, "GET", path).items()
    assert [item.text("message") for item in found] == [f"remark {n}" for n in range(count)][:100]


async def test_texts_are_cut_to_what_github_takes(place: Place) -> None:
    long = report(place, summary="ä" * 70_000, text="x" * 70_000, title="t" * 300)
    async with place.world.github().repository(place.name) as repository:
        run = await repository.put_check_run(long)
    path = f"repos/{place.name}/check-runs/{run.id}"
    output = place.world.operator.as_person(place.world.ada, "GET", path).at("output")
    assert len(output.text("summary").encode()) <= 65_535
    assert output.text("summary").endswith("ä…")
    assert len(output.text("text").encode()) == 65_535


async def test_a_check_run_on_a_vanished_commit_is_a_clear_refusal(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        with pytest.raises(UserError, match="No commit found"):
            await repository.put_check_run(report(place, head_sha="0" * 40))
