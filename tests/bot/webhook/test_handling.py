"""Deliveries carried out: on a real job store and real records, against GitHub in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.errors import Transient
from bot.github import CheckStatus, Permission, Reaction
from bot.store import (
    Ended,
    EvaluationState,
)
from bot.values import Conclusion, Trigger
from bot.webhook.adapters import evaluation_id
from tests.bot.queue.states import JobState, state_of
from tests.bot.webhook.conftest import Office
from tests.bot.webhook.payloads import (
    HEAD,
    agent_patch,
    clicked,
    comment,
    merge_group,
    pull_request,
)

NEWER = "e" * 40


async def test_an_opened_pull_request_is_queued_everywhere(office: Office) -> None:
    await office.take(pull_request("opened"))
    record, request = office.latest, office.request()
    assert (record.number, record.head_sha, record.state) == (9, HEAD, EvaluationState.QUEUED)
    assert (request.trigger, request.base_ref, request.installation) == (Trigger.OPENED, "main", 7)
    assert state_of(office.jobs, record.id) is JobState.QUEUED
    check = office.hello.checks[record.id]
    assert (check.status, check.head_sha, check.name) == (CheckStatus.QUEUED, HEAD, "Assay")
    assert check.details_url == f"https://assay.example/{record.id}"
    assert check.title == "Waiting for a worker"
    assert record.check_run == 1


async def test_the_same_delivery_twice_is_once(office: Office) -> None:
    await office.take(pull_request("opened"))
    await office.take(pull_request("opened"))
    assert len(office.records.recent()) == 1
    assert office.jobs.depth().evaluations == 1


async def test_a_newer_head_cancels_the_older_evaluation(office: Office) -> None:
    await office.take(pull_request("opened"))
    older = office.latest
    office.hello.push(9, NEWER)
    await office.take(pull_request("synchronize", "d-2", head={"sha": NEWER}))
    assert state_of(office.jobs, older.id) is JobState.CANCELLED
    cancelled = office.records.evaluation(older.id)
    assert cancelled
    assert cancelled.state is EvaluationState.CANCELLED
    assert not cancelled.check_run_finished, "a stage of it may be on its way to open it again"
    check = office.hello.checks[older.id]
    assert (check.status, check.conclusion) == (CheckStatus.COMPLETED, Conclusion.CANCELLED)
    assert "A newer commit was pushed: eeee" in check.summary
    assert office.latest.head_sha == NEWER
    assert state_of(office.jobs, office.latest.id) is JobState.QUEUED


async def test_an_old_delivery_does_not_bring_an_old_head_back(office: Office) -> None:
    office.hello.push(9, NEWER)
    await office.take(pull_request("opened"))
    assert office.records.recent() == ()


@pytest.mark.parametrize("gone", [{"state": "closed"}, {"draft": True}])
async def test_what_github_says_now_counts(office: Office, gone: dict[str, object]) -> None:
    office.hello.pull_requests[9] = replace(office.hello.pull_requests[9], **gone)  # type: ignore[arg-type]
    await office.take(pull_request("opened"))
    assert office.records.recent() == ()


async def test_closing_cancels(office: Office) -> None:
    await office.take(pull_request("opened"))
    await office.take(pull_request("closed", "d-2", state="closed"))
    assert office.latest.state is EvaluationState.CANCELLED
    assert office.latest.problem == "the pull request was closed"
    assert state_of(office.jobs, office.latest.id) is JobState.CANCELLED


async def test_the_command_judges_again_and_shows_it(office: Office) -> None:
    await office.take(pull_request("opened"))
    first = office.latest
    await office.take(comment("/judge"))
    assert office.hello.reactions == [(31, Reaction.EYES), (31, Reaction.ROCKET)]
    assert office.latest.id != first.id
    assert office.request().trigger is Trigger.COMMAND
    assert office.hello.checks[first.id].conclusion is Conclusion.CANCELLED


async def test_the_permission_is_asked_first(office: Office) -> None:
    office.hello.permissions["maintainer"] = Permission.READ
    for line in ("/judge", "/judge help", "/judge cancel", "/judge --base_url=x"):
        await office.take(comment(line))
    assert set(office.hello.reactions) == {(31, Reaction.CONFUSED)}
    ((place, told),) = office.hello.comments_put.items()
    assert place == (9, "<!-- assay:no write access -->")
    assert told.startswith("You need write access")
    assert office.records.recent() == ()


async def test_a_draft_is_judged_on_command(office: Office) -> None:
    office.hello.pull_requests[9] = replace(office.hello.pull_requests[9], draft=True)
    await office.take(comment("/judge"))
    assert office.latest.state is EvaluationState.QUEUED


async def test_help_and_what_is_not_understood(office: Office) -> None:
    await office.take(comment("/judge help"))
    ((place, body),) = office.hello.comments_put.items()
    assert place == (9, "<!-- assay:reply to 31 -->")
    assert "/judge cancel" in body
    assert "does not understand" not in body
    await office.take(comment("/judge @everyone `x` <img src=x>"))
    ((_, body),) = office.hello.comments_put.items()
    assert "does not understand" in body
    assert "@everyone" not in body


async def test_cancel_on_command(office: Office) -> None:
    await office.take(comment("/judge cancel"))
    assert "nothing to cancel" in office.hello.comments_put[9, "<!-- assay:reply to 31 -->"]
    await office.take(pull_request("opened"))
    await office.take(comment("/judge cancel"))
    assert office.latest.state is EvaluationState.CANCELLED
    assert (31, Reaction.ROCKET) in office.hello.reactions


def from_a_fork(office: Office) -> None:
    office.hello.first_timers.add("newcomer")
    office.hello.pull_requests[9] = replace(
        office.hello.pull_requests[9], author="newcomer", head_repository="newcomer/hello"
    )


async def test_a_first_fork_waits_for_approval(office: Office) -> None:
    from_a_fork(office)
    await office.take(pull_request("opened"))
    asked = office.latest
    assert (asked.state, asked.conclusion) == (EvaluationState.DONE, "action_required")
    assert state_of(office.jobs, asked.id) is None
    check = office.hello.checks[asked.id]
    assert check.conclusion is Conclusion.ACTION_REQUIRED
    assert [action.label for action in check.actions] == ["Approve and run"]
    approve = {"requested_action": {"identifier": "approve"}}
    await office.take(clicked("requested_action", asked.id, "d-2", **approve))
    assert office.latest.state is EvaluationState.QUEUED
    assert state_of(office.jobs, office.latest.id) is JobState.QUEUED
    assert office.records.is_approved("octo/hello", (9, HEAD))


async def test_a_reader_cannot_approve_and_a_new_head_asks_again(office: Office) -> None:
    from_a_fork(office)
    await office.take(pull_request("opened"))
    approve = {"requested_action": {"identifier": "approve"}}
    office.hello.permissions["maintainer"] = Permission.READ
    await office.take(clicked("requested_action", office.latest.id, "d-2", **approve))
    assert office.latest.state is EvaluationState.DONE
    office.hello.permissions["maintainer"] = Permission.WRITE
    await office.take(clicked("requested_action", office.latest.id, "d-3", **approve))
    assert office.latest.state is EvaluationState.QUEUED
    office.hello.push(9, NEWER)
    await office.take(pull_request("synchronize", "d-4", head={"sha": NEWER}))
    assert (office.latest.head_sha, office.latest.conclusion) == (NEWER, "action_required")
    assert office.jobs.depth().evaluations == 0


async def test_a_command_is_an_approval_and_a_re_run_is_not(office: Office) -> None:
    from_a_fork(office)
    await office.take(pull_request("opened"))
    await office.take(clicked("rerequested", office.latest.id, "d-2"))
    assert office.latest.conclusion == "action_required"
    await office.take(comment("/judge"))
    assert office.latest.state is EvaluationState.QUEUED


async def test_forks_run_when_the_settings_say_so(office: Office) -> None:
    from_a_fork(office)
    office.adapters = replace(office.adapters, approve_first_time_forks=False)
    await office.take(pull_request("opened"))
    assert office.latest.state is EvaluationState.QUEUED


async def test_a_re_run_finds_its_pull_request(office: Office) -> None:
    await office.take(pull_request("opened"))
    first = office.latest
    office.records.ended(first.id, Ended(EvaluationState.DONE, Conclusion.FAILURE))
    await office.take(clicked("rerequested", first.id, "d-2"))
    assert office.latest.id != first.id
    assert office.request().trigger is Trigger.RERUN
    before = office.latest.id
    await office.take(clicked("rerequested", "", "d-3"))  # the id is gone, the commit is known
    assert office.latest.id != before


async def test_a_re_run_of_an_unknown_commit_does_nothing(office: Office) -> None:
    await office.take(clicked("rerequested", "who-knows", "d-2"))
    assert office.records.recent() == ()


async def test_what_has_no_verdict_cannot_be_accepted(office: Office) -> None:
    await office.take(pull_request("opened"))
    before = office.latest
    accept = {"requested_action": {"identifier": "accept"}}
    await office.take(clicked("requested_action", office.latest.id, "d-2", **accept))
    await office.take(comment("/judge accept R1 it works"))
    assert "has no verdict yet" in office.hello.comments_put[9, "<!-- assay:reply to 31 -->"]
    assert office.records.acceptances("octo/hello", 9) == ()
    assert office.latest == before


async def test_what_was_judged_after_the_words_is_not_meant(office: Office) -> None:
    await office.take(pull_request("opened"))
    how = Ended(EvaluationState.DONE, Conclusion.ACTION_REQUIRED, "1 of 2", report_key="k")
    office.records.ended(office.latest.id, how)
    await office.take(comment("/judge accept R1 it works", at="2026-01-01T00:00:00Z"))
    told = office.hello.comments_put[9, "<!-- assay:reply to 31 -->"]
    assert "was judged after you wrote this" in told
    assert office.records.acceptances("octo/hello", 9) == ()


async def test_merge_groups_do_not_cancel_each_other(office: Office) -> None:
    await office.take(merge_group("checks_requested"))
    group = office.latest
    assert office.request().trigger is Trigger.MERGE_GROUP
    assert office.hello.checks[group.id].head_sha == "c" * 40
    patch = {"diff": "--- a/x\n", "task": "Fix", "issue": 3}
    await office.take(agent_patch(patch))
    assert state_of(office.jobs, group.id) is JobState.QUEUED
    await office.take(clicked("rerequested", group.id, "d-again"))
    assert office.request().trigger is Trigger.MERGE_GROUP
    await office.take(merge_group("destroyed", "d-end"))
    assert state_of(office.jobs, office.latest.id) is JobState.CANCELLED


async def test_an_agents_diff_is_queued_without_a_check_run(office: Office) -> None:
    await office.take(
        agent_patch({"diff": "--- a/x\n", "task": "Fix it", "issue": 3, "agent": "a"})
    )
    request = office.request()
    assert (request.patch, request.task_text, request.issue) == ("--- a/x\n", "Fix it", 3)
    assert (request.base_ref, request.base_sha, request.head_sha) == ("main", "b" * 40, "")
    assert office.hello.checks == {}
    assert state_of(office.jobs, request.id) is JobState.QUEUED


async def test_an_agents_branch_is_pinned(office: Office) -> None:
    office.hello.branches["agent/fix"] = NEWER
    await office.take(agent_patch({"branch": "agent/fix", "task": "Fix it"}))
    assert office.request().head_sha == NEWER
    assert office.hello.checks[office.latest.id].status is CheckStatus.QUEUED


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({"branch": "not/there", "issue": 3}, "there is no branch not/there"),
        ({"issue": 3}, "give either a unified diff"),
    ],
)
async def test_a_wrong_patch_is_told_on_the_issue_and_on_its_page(
    office: Office, payload: dict[str, object], problem: str
) -> None:
    await office.take(agent_patch(payload))
    assert problem in office.hello.comments_put[3, "<!-- assay:agent-patch -->"]
    assert office.latest.state is EvaluationState.FAILED
    assert problem in office.latest.problem
    assert state_of(office.jobs, office.latest.id) is None


async def test_while_github_is_away_it_is_worth_another_try(office: Office) -> None:
    office.hello.away = True
    with pytest.raises(Transient):
        await office.take(pull_request("opened"))
    office.hello.away = False
    await office.take(pull_request("opened"))
    assert office.latest.state is EvaluationState.QUEUED


async def test_a_repository_out_of_reach_ends_quietly(office: Office) -> None:
    sent = pull_request("opened")
    elsewhere = replace(sent, payload=sent.payload.replace("octo/hello", "octo/gone"))
    await office.take(elsewhere)
    assert office.records.recent() == ()


def test_evaluation_ids_fit_files_and_addresses() -> None:
    name = evaluation_id("octo/he..llo_ü/", 9, HEAD, "d-1")
    assert all(letter.isalnum() or letter == "-" for letter in name)
    assert evaluation_id("octo/hello", 9, HEAD, "d-1").startswith("hello-9-aaaaaaaa-")
    different = {
        evaluation_id("octo/hello", 9, HEAD, "d-1"),
        evaluation_id("octo/hello", 9, HEAD, "d-2"),
        evaluation_id("octo/hello", 8, HEAD, "d-1"),
        evaluation_id("evil/hello", 9, HEAD, "d-1"),
        evaluation_id("octo/hello", 9, NEWER, "d-1"),
    }
    assert len(different) == 5
