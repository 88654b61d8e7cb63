"""Patches by the API: what is taken, what is refused and how, and that the same one is one evaluation."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from bot.store import Ended, EvaluationState
from bot.values import Conclusion, Trigger
from bot.web.api.models import PROBLEM_TYPE
from bot.web.api.routes import MOST_BYTES
from bot.web.api.submission import MOST_OPEN
from bot.webhook.patches import MOST_DIFF_CHARACTERS
from tests.bot.queue.states import JobState, state_of
from tests.bot.web_api.conftest import DIFF, PATCH, ApiClient
from tests.bot.webhook.pretended_github import PULL_REQUEST

NEWER = "c" * 40


def test_a_patch_is_recorded_and_queued_before_the_answer(api: ApiClient) -> None:
    answer = api.post()
    said = answer.get_json()
    assert (answer.status_code, said["status"]) == (202, "queued")
    address = f"https://assay.example/api/v1/patches/{said['id']}"
    assert (said["status_url"], said["events_url"]) == (address, f"{address}/events")
    assert answer.headers["Location"] == address
    request = api.request(said["id"])
    assert (request.repository, request.trigger) == ("octo/hello", Trigger.AGENT_PATCH)
    assert (request.base_ref, request.base_sha) == ("main", "b" * 40)
    assert (request.patch, request.task_text, request.agent) == (DIFF, "Make it b", "robo")
    assert state_of(api.jobs, said["id"]) is JobState.QUEUED
    status = api.get(said["id"]).get_json()
    assert (status["status"], status["conclusion"], status["rows"]) == ("queued", None, [])
    assert status["progress"] == {"stage": "", "number": 0, "of": 12}


@pytest.mark.parametrize(
    "again",
    [
        PATCH,
        {**PATCH, "agent": "somebody else", "trajectory": "I tried."},
        {**PATCH, "repository": "OCTO/Hello"},
        {**PATCH, "base": "main", "diff": DIFF + "\n"},
    ],
)
def test_the_same_patch_is_one_evaluation(again: dict[str, str], api: ApiClient) -> None:
    assert api.posted() == api.posted(again)
    assert len(api.records.recent()) == 1
    assert api.jobs.depth().evaluations == 1


def test_posted_by_many_at_once_it_is_one_evaluation(api: ApiClient) -> None:
    with ThreadPoolExecutor(4) as agents:
        answers = list(
            agents.map(
                lambda _: (
                    api.client.application.test_client()
                    .post(
                        "/api/v1/patches",
                        json=PATCH,
                        headers={"Authorization": f"Bearer {api.secret}"},
                    )
                    .status_code
                ),
                range(8),
            )
        )
    assert answers == [202] * 8
    assert len(api.records.recent()) == 1
    assert api.jobs.depth().evaluations == 1


def test_another_question_is_another_evaluation(api: ApiClient) -> None:
    first = api.posted()
    others = {api.posted({**PATCH, "task": "Make it c"}), api.posted({**PATCH, "issue": 3})}
    api.hello.branches["main"] = NEWER  # the base has moved on
    others.add(api.posted())
    assert len({first, *others}) == 4


def test_a_verdict_stays_and_a_failure_of_assay_is_tried_again(api: ApiClient) -> None:
    first = api.posted()
    api.records.ended(first, Ended(EvaluationState.FAILED, problem="the disk is full"))
    told = api.get(first).get_json()
    assert (told["status"], told["problem"]["status"]) == ("failed", 500)
    assert "the disk is full" in told["problem"]["detail"]
    second = api.posted()
    assert second != first
    api.records.ended(second, Ended(EvaluationState.DONE, Conclusion.FAILURE))
    assert api.posted() == second
    assert api.jobs.depth().evaluations == 2


def test_a_branch_is_pinned_and_gets_no_check_run(api: ApiClient) -> None:
    api.hello.branches["agent/fix"] = PULL_REQUEST.head_sha
    body = {"repository": "octo/hello", "branch": "agent/fix", "task": "Make it b"}
    request = api.request(api.posted(body))
    assert request.head_ref == PULL_REQUEST.head_sha
    assert not request.has_check_run, "it would stand for the pull request's own"
    assert api.records.of_head("octo/hello", PULL_REQUEST.head_sha) == ()
    api.hello.branches["agent/fix"] = NEWER
    assert api.request(api.posted(body)).head_ref == NEWER


def test_where_an_issue_asks_the_senders_words_only_claim(api: ApiClient) -> None:
    request = api.request(api.posted({**PATCH, "issue": 3, "description": "It is b now."}))
    assert (request.issue, request.task_text) == (3, "")
    assert request.description == "Make it b\n\nIt is b now."


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"diff": ""}, "give either a unified diff"),
        ({"branch": "main"}, "give either a unified diff"),
        ({"task": "  "}, "say what was asked"),
        ({"task": "x" * 60_001}, "task"),
        ({"diff": "x" * (MOST_DIFF_CHARACTERS + 1)}, "diff"),
        ({"diff": "--- a/x\n\0"}, "binary"),
        ({"diff": "diff --git a/i.png b/i.png\nGIT binary patch\nliteral 9\n"}, "binary"),
        ({"diff": "Binary files a/i.png and b/i.png differ\n"}, "binary"),
        ({"base": "../../user"}, "branch"),
        ({"repository": "octo/hello/../x"}, "repository"),
        ({"issue": -1}, "issue"),
        ({"issue": "3"}, "issue"),
        ({"trajectory": [{"step": 1}]}, "trajectory"),
        ({"token": "ghs_verysecret"}, "token"),
        ({"base": "nowhere"}, "has no branch nowhere"),
        ({"diff": "", "branch": "nowhere"}, "has no branch nowhere"),
        ({"issue": 4}, "has no issue #4"),
        ({"issue": 9}, "is a pull request"),
    ],
)
def test_a_wrong_patch_is_a_problem(change: dict[str, Any], told: str, api: ApiClient) -> None:
    answer = api.post({**PATCH, **change})
    assert (answer.status_code, answer.mimetype) == (422, PROBLEM_TYPE)
    problem = answer.get_json()
    assert problem["status"] == 422
    assert told in problem["detail"]
    assert "verysecret" not in answer.text
    assert api.records.recent() == ()
    assert api.jobs.depth().evaluations == 0


@pytest.mark.parametrize(
    "body", [b"", b"{", b"\xff", b'{"task": "\\ud800"}', b"[" * 100_000, b"null", b"[]", b'"x"']
)
def test_what_is_no_object_is_a_problem(body: bytes, api: ApiClient) -> None:
    answer = api.post(body)
    assert answer.status_code in (400, 422)
    assert answer.mimetype == PROBLEM_TYPE


def test_what_is_too_large_is_refused_before_it_is_read(api: ApiClient) -> None:
    answer = api.post(b" " * (MOST_BYTES + 1))
    assert (answer.status_code, answer.mimetype) == (413, PROBLEM_TYPE)
    headers = {"Authorization": f"Bearer {api.secret}"}
    answer = api.client.post("/api/v1/patches", data={"task": "x"}, headers=headers)
    assert (answer.status_code, answer.mimetype) == (415, PROBLEM_TYPE)


def test_who_has_no_valid_token_gets_nothing(api: ApiClient) -> None:
    identifier = api.posted()
    expired = api.records.issue_token("octo/hello", days=-1).secret
    revoked = api.records.issue_token("octo/hello", days=1)
    api.records.revoke_token(revoked.token.id)
    for secret, told in (
        ("", "missing"),
        ("nonsense", "not known"),
        (expired, "expired on"),
        (revoked.secret, "revoked"),
    ):
        for answer in (
            api.post(secret=secret),
            api.get(identifier, secret),
            api.get(f"{identifier}/events", secret),
        ):
            assert (answer.status_code, answer.mimetype) == (401, PROBLEM_TYPE)
            assert told in answer.get_json()["detail"]
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_opens_its_own_repository_only(api: ApiClient) -> None:
    identifier = api.posted()
    other = api.records.issue_token("octo/other", days=1).secret
    assert api.post(secret=other).status_code == 403
    assert api.get(identifier, other).status_code == 404
    assert api.get(f"{identifier}/events", other).status_code == 404
    assert api.get("nothing").status_code == 404
    beyond = api.post({**PATCH, "repository": "octo/other"}, secret=other)
    assert (beyond.status_code, beyond.mimetype) == (404, PROBLEM_TYPE)
    assert "not installed" in beyond.get_json()["detail"]


def test_evaluations_of_pull_requests_are_not_shown(api: ApiClient) -> None:
    identifier = api.posted()
    asked = api.request(identifier)
    api.records.queued(replace(asked, id="pull", number=9, trigger=Trigger.OPENED))
    assert api.get("pull").status_code == 404


def test_while_github_is_away_nothing_is_stored(api: ApiClient) -> None:
    api.hello.away = True
    answer = api.post()
    assert (answer.status_code, answer.mimetype) == (503, PROBLEM_TYPE)
    assert answer.headers["Retry-After"]
    assert api.records.recent() == ()
    api.hello.away = False
    api.posted()


def test_too_many_at_once_wait_outside(api: ApiClient) -> None:
    first, *_ = [api.posted({**PATCH, "task": f"Make it {n}"}) for n in range(MOST_OPEN)]
    answer = api.post()
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "60")
    assert api.posted({**PATCH, "task": "Make it 0"}) == first, "what is known is no new one"
    api.records.ended(first, Ended(EvaluationState.DONE, Conclusion.SUCCESS))
    api.posted()


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/patches", "/api/"])
def test_every_error_below_the_api_is_a_problem(path: str, api: ApiClient) -> None:
    for answer in (api.client.get(path, headers={"Accept": "text/html"}), api.client.post(path)):
        assert (answer.status_code, answer.mimetype) == (404, PROBLEM_TYPE)
        assert set(json.loads(answer.text)) == {"type", "title", "status", "detail", "errors"}
    wrong = api.client.delete("/api/v1/patches")
    assert (wrong.status_code, wrong.mimetype) == (405, PROBLEM_TYPE)
