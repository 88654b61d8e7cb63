"""What ends without a publication, what was missed, and what is old."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from bot.github import CheckStatus
from bot.steps import Ending, EndKind, run_in_process
from bot.store import Ended, EvaluationState, FileArtifacts
from bot.values import Conclusion, Trigger
from bot.webhook.handle import ended
from bot.webhook.sweep import close_dangling, forget_old, hand_over, sweep
from tests.bot.queue.states import JobState, state_of
from tests.bot.webhook.conftest import Office
from tests.bot.webhook.payloads import pull_request


async def test_an_evaluation_that_broke_ends_visibly(office: Office) -> None:
    await office.take(pull_request("opened"))
    request = office.request()
    await ended(office.adapters, request, Ending(EndKind.FAILED, "ValueError: @everyone <b>"))
    record = office.latest
    assert (record.state, record.conclusion) == (EvaluationState.FAILED, "action_required")
    assert record.problem == "ValueError: @everyone <b>"
    check = office.hello.checks[request.id]
    assert check.conclusion is Conclusion.ACTION_REQUIRED
    assert "Re-run" in check.summary
    assert "@everyone" not in check.summary


async def test_a_superseded_evaluation_ends_as_cancelled(office: Office) -> None:
    await office.take(pull_request("opened"))
    ending = Ending(EndKind.SUPERSEDED, "A newer commit was pushed: eeee.")
    await ended(office.adapters, office.request(), ending)
    assert office.latest.state is EvaluationState.CANCELLED
    assert office.hello.checks[office.latest.id].conclusion is Conclusion.CANCELLED


async def test_the_sweep_finds_what_was_missed_once(office: Office) -> None:
    office.hello.unchecked = (9,)
    await sweep(office.adapters, run_in_process)
    assert office.request().trigger is Trigger.SWEEP
    await sweep(office.adapters, run_in_process)
    assert len(office.records.recent()) == 1


async def test_the_sweep_leaves_alone_what_is_on_its_way(office: Office) -> None:
    await office.take(pull_request("opened"))
    office.hello.unchecked = (9,)
    await sweep(office.adapters, run_in_process)
    assert len(office.records.recent()) == 1
    assert office.latest.state is EvaluationState.QUEUED


async def test_what_was_recorded_and_never_reached_the_engine_is_handed_over(
    office: Office,
) -> None:
    await office.take(pull_request("opened"))
    lost = replace(office.request(), id="lost-1")
    office.records.queued(lost)
    assert state_of(office.jobs, lost.id) is None
    assert await hand_over(office.adapters, on_its_way_s=0.0) == 2
    assert state_of(office.jobs, lost.id) is JobState.QUEUED
    assert await hand_over(office.adapters) == 0  # too fresh to be lost


async def test_the_sweep_closes_check_runs_that_were_left_open(office: Office) -> None:
    await office.take(pull_request("opened"))
    how = Ended(EvaluationState.FAILED, Conclusion.ACTION_REQUIRED, problem="it broke")
    office.records.ended(office.latest.id, how)
    await sweep(office.adapters, run_in_process)
    assert not office.latest.check_run_finished, "it may be about to say all that it found"
    assert await close_dangling(office.adapters, on_its_way_s=0.0) == 1
    assert office.hello.checks[office.latest.id].conclusion is Conclusion.ACTION_REQUIRED
    assert office.latest.check_run_finished


async def test_the_sweep_closes_what_a_late_stage_opened_again(office: Office) -> None:
    await office.take(pull_request("opened"))
    older = office.latest
    office.hello.push(9, newer := "e" * 40)
    await office.take(pull_request("synchronize", "d-2", head={"sha": newer}))
    said = office.hello.checks[older.id]
    office.hello.checks[older.id] = replace(
        said, status=CheckStatus.IN_PROGRESS, conclusion=None, title="observe"
    )
    assert await close_dangling(office.adapters, on_its_way_s=0.0) == 1
    again = office.hello.checks[older.id]
    assert (again.status, again.conclusion) == (said.status, said.conclusion)
    assert (again.title, again.summary) == (said.title, said.summary)
    assert await close_dangling(office.adapters, on_its_way_s=0.0) == 0


async def test_what_is_old_is_forgotten(office: Office, tmp_path: Path) -> None:
    await office.take(pull_request("opened"))
    name = office.latest.id
    artifacts = FileArtifacts((tmp_path / "artifacts").as_uri())
    artifacts.put(name, "report.json", b"{}")
    office.jobs.cancel(name, "test")
    office.records.ended(name, Ended(EvaluationState.DONE, report_key=name))
    assert forget_old(office.adapters, artifacts, office.jobs.prune, time.time() - 60) == 0
    assert state_of(office.jobs, name) is JobState.CANCELLED
    assert forget_old(office.adapters, artifacts, office.jobs.prune, time.time() + 60) == 1
    assert state_of(office.jobs, name) is None
    assert artifacts.get(name, "report.json") is None
    assert office.records.recent() == ()
