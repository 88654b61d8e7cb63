"""From a delivery to a decision: pure, so a table says it all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bot.github import Payload
from bot.values import Delivery, Trigger
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Cancel,
    ExplainVerdict,
    Ignore,
    JudgeCommand,
    ObeyCommand,
    Place,
    RefusePatch,
    Rerun,
    StartMergeGroup,
    StartPatch,
    StartPullRequest,
)
from bot.webhook.events import EVENTS, HANDLERS, decide, is_handled, lane
from bot.webhook.grammar import parse
from tests.bot.webhook.payloads import (
    BASE,
    HEAD,
    agent_patch,
    clicked,
    comment,
    delivery,
    merge_group,
    pull_request,
)

PLACE = Place("octo/hello", 7, "maintainer")
ROOT = Path(__file__).parents[3]


def test_the_app_subscribes_to_what_is_handled() -> None:
    manifest = yaml.safe_load((ROOT / "app.yml").read_text())
    assert sorted(manifest["default_events"]) == list(EVENTS)


def test_handlers_are_named_as_past_events() -> None:
    names = [getattr(handler, "func", handler).__name__ for handler in HANDLERS.values()]
    assert all(name.endswith("ed") for name in names), names


@pytest.mark.parametrize(
    ("action", "trigger"),
    [
        ("opened", Trigger.OPENED),
        ("reopened", Trigger.REOPENED),
        ("synchronize", Trigger.SYNCHRONIZE),
        ("ready_for_review", Trigger.READY_FOR_REVIEW),
        ("converted_to_draft", Trigger.DRAFTED),
        ("labeled", Trigger.LABELED),
        ("unlabeled", Trigger.UNLABELED),
    ],
)
def test_a_new_head_is_judged(action: str, trigger: Trigger) -> None:
    assert decide(pull_request(action)) == StartPullRequest(PLACE, 9, HEAD, trigger)


def test_a_label_is_named() -> None:
    sent = delivery(
        "pull_request",
        "labeled",
        {"pull_request": {"number": 9, "head": {"sha": HEAD}}, "label": {"name": "skip"}},
    )
    assert decide(sent) == StartPullRequest(PLACE, 9, HEAD, Trigger.LABELED, "skip")


@pytest.mark.parametrize(
    ("part", "trigger"),
    [("title", Trigger.EDITED), ("body", Trigger.EDITED), ("base", Trigger.RETARGETED)],
)
def test_an_edit_counts_when_it_changes_what_is_asked(part: str, trigger: Trigger) -> None:
    sent = pull_request("edited", changes={part: {"from": "x"}})
    assert decide(sent) == StartPullRequest(PLACE, 9, HEAD, trigger)
    assert isinstance(decide(pull_request("edited", changes={})), Ignore)
    assert isinstance(decide(pull_request("edited")), Ignore)


def test_closing_cancels() -> None:
    merged = decide(pull_request("closed", state="closed", merged=True))
    assert merged == Cancel(PLACE, 9, HEAD, "the pull request was merged", is_merged=True)
    closed = decide(pull_request("closed", state="closed", merged=False))
    assert closed == Cancel(PLACE, 9, HEAD, "the pull request was closed")
    assert isinstance(decide(pull_request("edited", state="closed", changes={"body": {}})), Ignore)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/judge", JudgeCommand.JUDGE),
        ("/judge help", JudgeCommand.HELP),
        ("/judge plan", JudgeCommand.PLAN),
        ("/judge plan now", JudgeCommand.UNKNOWN),
        ("/judge   cancel", JudgeCommand.CANCEL),
        ("/judge explain R2", JudgeCommand.EXPLAIN),
        ("/judge explain", JudgeCommand.EXPLAIN),
        ("/judge ask why?", JudgeCommand.ASK),
        ("/judge rerun", JudgeCommand.RERUN),
        ("/judge rerun R2", JudgeCommand.RERUN),
        ("/judge pause", JudgeCommand.PAUSE),
        ("/judge pause it", JudgeCommand.UNKNOWN),
        ("/judge resume", JudgeCommand.RESUME),
        ("/judge agree R2 it is so", JudgeCommand.AGREE),
        ("/judge disagree R2 no", JudgeCommand.DISAGREE),
        ("/judge Explain R2", JudgeCommand.UNKNOWN),
        ("/judge rubric", JudgeCommand.RUBRIC),
        ("/judge rubric approve", JudgeCommand.APPROVE_RUBRIC),
        ("/judge rubric approve #8", JudgeCommand.UNKNOWN),
        ("/judge --base_url=http://evil", JudgeCommand.UNKNOWN),
        ("/judge cancel now", JudgeCommand.UNKNOWN),
        ("/judge HELP", JudgeCommand.UNKNOWN),
        ("/judgement", None),
        ("please /judge", None),
        ("> /judge", None),
        ("judge", None),
        ("", None),
    ],
)
def test_the_grammar_is_fixed(line: str, command: JudgeCommand | None) -> None:
    assert parse(line) is command


def test_a_command_stands_on_the_first_line() -> None:
    assert decide(comment("/judge\r\nplease")) == ObeyCommand(
        PLACE, 9, 31, JudgeCommand.JUDGE, "/judge"
    )
    assert decide(comment("hello\n/judge")) == Ignore("no command")
    assert decide(comment("\n/judge")) == Ignore("no command")


def test_commands_count_on_pull_requests_and_from_people() -> None:
    assert isinstance(decide(comment("/judge", on_pull_request=False)), Ignore)
    on_issue = decide(comment("/judge rubric", on_pull_request=False))
    assert on_issue == ObeyCommand(PLACE, 9, 31, JudgeCommand.RUBRIC, "/judge rubric", False)
    said = {"id": 31, "body": "/judge", "user": {"login": "x[bot]", "type": "Bot"}}
    issue = {"number": 9, "pull_request": {}}
    by_bot = delivery("issue_comment", "created", {"issue": issue, "comment": said})
    assert decide(by_bot) == Ignore("bots give no commands")


@pytest.mark.parametrize(
    ("body", "command", "words"),
    [
        ("/judge accept R2 it works", JudgeCommand.ACCEPT, "R2 it works"),
        (
            "/judge  override B2 R1\r\n\r\nas told\nbelow",
            JudgeCommand.OVERRIDE,
            "B2 R1 as told below",
        ),
        ("/judge accept", JudgeCommand.ACCEPT, ""),
        ("/judge Accept R2", JudgeCommand.UNKNOWN, ""),
    ],
)
def test_a_decision_brings_its_words_along(body: str, command: JudgeCommand, words: str) -> None:
    decided = decide(comment(body))
    assert isinstance(decided, ObeyCommand)
    assert (decided.command, decided.words) == (command, words)


def test_clicks_on_the_check_run() -> None:
    assert decide(clicked("rerequested", "e1")) == Rerun(PLACE, 0, HEAD, "e1")
    approve = {"requested_action": {"identifier": "approve"}}
    assert decide(clicked("requested_action", "e1", **approve)) == Approve(PLACE, 0, HEAD, "e1")
    judge = {"requested_action": {"identifier": "judge"}}
    assert decide(clicked("requested_action", "e1", **judge)) == Approve(PLACE, 0, HEAD, "e1")
    rerun = {"requested_action": {"identifier": "rerun"}}
    assert decide(clicked("requested_action", "e1", **rerun)) == Approve(PLACE, 0, HEAD, "e1")
    explain = {"requested_action": {"identifier": "explain"}}
    explained = decide(clicked("requested_action", "e1", **explain))
    assert explained == ExplainVerdict(PLACE, 0, HEAD, "e1")
    accept = {"requested_action": {"identifier": "accept"}}
    accepted = decide(clicked("requested_action", "e1", **accept))
    assert accepted == AcceptUnverified(PLACE, 0, HEAD, "e1")
    other = {"requested_action": {"identifier": "rm -rf"}}
    assert isinstance(decide(clicked("requested_action", "e1", **other)), Ignore)


def test_re_running_all_checks() -> None:
    suite = {"check_suite": {"head_sha": HEAD, "pull_requests": [{"number": 9}]}}
    assert decide(delivery("check_suite", "rerequested", suite)) == Rerun(PLACE, 9, HEAD, "")
    two = {"check_suite": {"head_sha": HEAD, "pull_requests": [{"number": 9}, {"number": 10}]}}
    assert decide(delivery("check_suite", "rerequested", two)) == Rerun(PLACE, 0, HEAD, "")


def test_merge_groups() -> None:
    assert decide(merge_group("checks_requested")) == StartMergeGroup(
        PLACE, "c" * 40, "gh-readonly-queue/main/pr-9-abc", BASE, "main"
    )
    gone = decide(merge_group("destroyed"))
    assert gone == Cancel(PLACE, 0, "c" * 40, "the merge group is invalidated")


def test_an_agents_diff_and_branch() -> None:
    diff = decide(agent_patch({"base": "main", "diff": "--- a/x\n", "task": "Fix", "issue": 3}))
    assert diff == StartPatch(PLACE, "main", "--- a/x\n", "", "Fix", 3, "", "")
    branch = decide(agent_patch({"branch": "agent/fix-1", "issue": 3, "agent": "a"}))
    assert branch == StartPatch(PLACE, "", "", "agent/fix-1", "", 3, "a", "")


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        ({}, "give either a unified diff (diff) or a pushed branch (branch)"),
        ({"diff": "x", "branch": "y", "task": "t"}, "give either a unified diff"),
        ({"diff": "x"}, "say what was asked"),
        ({"diff": "x", "task": "t", "issue": "3"}, "issue: Input should be a valid integer"),
        ({"diff": "x", "task": "t", "secret": "s"}, "secret: Extra inputs are not permitted"),
        ({"branch": "--upload-pack=evil", "task": "t"}, "not the name of a branch"),
        ({"branch": "a..b", "task": "t"}, "not the name of a branch"),
        ({"base": "-x", "diff": "x", "task": "t"}, "not the name of a branch"),
        ({"diff": "GIT binary patch\nliteral 9\n", "task": "t"}, "the diff has binary files"),
        ([], "Input should be a valid dictionary"),
        (None, "Input should be a valid dictionary"),
    ],
)
def test_a_wrong_patch_gets_a_clear_answer(payload: object, problem: str) -> None:
    refused = decide(agent_patch(payload))
    assert isinstance(refused, RefusePatch)
    assert any(problem in told for told in refused.problems), refused.problems


def test_a_refusal_finds_the_issue_and_hides_the_values() -> None:
    refused = decide(agent_patch({"issue": 3, "token": "ghs_verysecret"}))
    assert isinstance(refused, RefusePatch)
    assert refused.issue == 3
    assert "ghs_verysecret" not in repr(refused)


def test_deliveries_of_one_pull_request_share_a_lane() -> None:
    opened, said = pull_request("opened"), comment("/judge")
    assert _lane(opened) == _lane(said)
    assert _lane(opened) != _lane(pull_request("opened", number=10))
    assert len(_lane(opened)) == 32
    asking = {_lane(comment(f"/judge {words}")) for words in ("plan", "rubric", "rubric approve")}
    assert len(asking) == 1, "an approval waits for the draft before it"
    assert _lane(opened) not in asking, "a push does not wait for a model"
    assert _lane(comment("/judge cancel")) == _lane(opened)
    strange = comment("/judge plan", by="zoe", association="CONTRIBUTOR")
    assert _lane(strange) == _lane(opened), "strangers get one refusal, however fast they are"


def _lane(sent: Delivery) -> str:
    return lane(Payload.parse(sent.payload), sent.event)


TREE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "pull_request",
                    "issue",
                    "comment",
                    "check_run",
                    "merge_group",
                    "number",
                    "head",
                    "sha",
                    "user",
                    "body",
                    "pull_requests",
                    "client_payload",
                    "diff",
                    "branch",
                    "base",
                    "task",
                    "changes",
                    "title",
                    "state",
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(known=st.sampled_from(sorted(HANDLERS)), tree=TREE)
def test_no_payload_breaks_a_handler(known: tuple[str, str], tree: object) -> None:
    payload = tree if isinstance(tree, dict) else {"pull_request": tree}
    sent = delivery(*known, payload)
    assert decide(sent) is not None
    assert _lane(sent)


def test_what_nobody_handles_is_ignored() -> None:
    assert not is_handled("pull_request", "assigned")
    assert isinstance(decide(delivery("star", "created", {})), Ignore)
    assert isinstance(decide(replace(pull_request("opened"), payload="{")), Ignore)
