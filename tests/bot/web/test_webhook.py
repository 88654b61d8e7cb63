"""The webhook's door: what is let in, what is refused, and that it never breaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.github import signature
from bot.queue import EngineClient, EngineOptions
from bot.store import Store
from bot.values import Role, RoleUsage
from bot.web.app import LARGEST_PAYLOAD_BYTES, WebParts, create_app
from tests.bot.web.conftest import PROMETHEUS, SECRET, TOKEN, Sender

OPENED = {
    "action": "opened",
    "number": 9,
    "pull_request": {"number": 9, "head": {"sha": "a" * 40}, "state": "open"},
    "repository": {"full_name": "octo/hello"},
}


def test_a_signed_delivery_is_stored_before_the_answer(sender: Sender, jobs: EngineClient) -> None:
    answer = sender.send(OPENED)
    assert (answer.status_code, answer.get_json()["status"]) == (202, "accepted")
    assert jobs.depth().deliveries == 1


def test_a_repeated_delivery_does_nothing(sender: Sender, jobs: EngineClient) -> None:
    same = {"X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958"}
    answers = [sender.send(OPENED, headers=same).status_code for _ in range(3)]
    assert answers == [202, 202, 202]
    assert jobs.depth().deliveries == 1


@pytest.mark.parametrize(
    ("event", "action"),
    [
        ("ping", ""),
        ("installation", "created"),
        ("installation_repositories", "added"),
        ("star", "created"),
        ("an_event_of_the_future", "x"),
        ("pull_request", "assigned"),
        ("issue_comment", "edited"),
        ("issue_comment", "deleted"),
        ("check_run", "completed"),
        ("repository_dispatch", "somebody-elses"),
    ],
)
def test_other_events_are_ignored_politely(
    sender: Sender, jobs: EngineClient, event: str, action: str
) -> None:
    answer = sender.send({"action": action} if action else {}, event)
    assert (answer.status_code, answer.get_json()["status"]) == (202, "ignored")
    assert jobs.depth().deliveries == 0


@pytest.mark.parametrize(
    ("headers", "status", "outcome"),
    [
        ({"X-Hub-Signature-256": None}, 401, "unsigned"),
        ({"X-Hub-Signature-256": "sha256=" + "0" * 64}, 401, "bad_signature"),
        ({"X-Hub-Signature-256": "sha1=abc"}, 401, "bad_signature"),
        ({"X-Hub-Signature-256": "é"}, 401, "bad_signature"),
        ({"X-GitHub-Delivery": None}, 400, "bad_headers"),
        ({"X-GitHub-Delivery": "a b"}, 400, "bad_headers"),
        ({"X-GitHub-Delivery": "x" * 101}, 400, "bad_headers"),
        ({"X-GitHub-Event": None}, 400, "bad_headers"),
        ({"X-GitHub-Event": "PULL REQUEST"}, 400, "bad_headers"),
        ({"Content-Type": None}, 415, "bad_content_type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415, "bad_content_type"),
    ],
)
def test_wrong_headers_are_refused(
    sender: Sender, jobs: EngineClient, headers: dict[str, str | None], status: int, outcome: str
) -> None:
    answer = sender.send(OPENED, headers=headers)
    assert (answer.status_code, answer.get_json()["status"]) == (status, outcome)
    assert answer.get_json()["message"]
    assert jobs.depth().deliveries == 0


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"x"', b"null", b"\xff\xfe", b"[" * 100_000, b"1" * 5_000, b"\x00"],
    ids=["empty", "cut", "list", "string", "null", "bytes", "deep", "huge number", "nul"],
)
def test_what_is_no_json_object_is_refused(sender: Sender, body: bytes) -> None:
    answer = sender.send(body)
    assert (answer.status_code, answer.get_json()["status"]) == (400, "bad_payload")


def test_the_signature_covers_the_raw_bytes(sender: Sender) -> None:
    compact = json.dumps(OPENED, separators=(",", ":")).encode()
    spaced = json.dumps(OPENED, indent=1).encode()
    signed = {"X-Hub-Signature-256": signature(SECRET, compact)}
    assert sender.send(compact, headers=signed).status_code == 202
    assert sender.send(spaced, headers=signed).status_code == 401


def test_too_large_is_refused_before_it_is_read(sender: Sender) -> None:
    answer = sender.send(b" " * (LARGEST_PAYLOAD_BYTES + 1))
    assert (answer.status_code, answer.get_json()["status"]) == (413, "too_large")


def test_a_large_payload_is_taken(sender: Sender) -> None:
    assert sender.send({**OPENED, "padding": "x" * 5_000_000}).status_code == 202


def test_without_a_secret_nothing_is_trusted(jobs: EngineClient, records: Store) -> None:
    app = create_app(WebParts("", jobs, records))
    answer = Sender(app.test_client(), secret="").send(OPENED)
    assert (answer.status_code, answer.get_json()["status"]) == (503, "unconfigured")
    assert jobs.depth().deliveries == 0


def test_a_get_is_told_what_is_allowed(sender: Sender) -> None:
    answer = sender.client.get("/webhook")
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]


@pytest.fixture
def cut_off(tmp_path: Path) -> Iterator[Sender]:
    """A web process whose databases are away."""
    url = "postgresql://assay@127.0.0.1:1/none?connect_timeout=2"
    jobs, records = EngineClient(EngineOptions(url, tmp_path)), Store(url)
    yield Sender(create_app(WebParts(SECRET, jobs, records, TOKEN)).test_client())
    jobs.close()
    records.close()


def test_when_nothing_can_be_stored_github_is_told_so(cut_off: Sender) -> None:
    answer = cut_off.send(OPENED)
    assert (answer.status_code, answer.get_json()["status"]) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "10"
    assert cut_off.send({}, "ping").status_code == 202


def test_health_and_readiness_differ(sender: Sender, cut_off: Sender) -> None:
    assert sender.client.get("/readyz").get_json() == {"status": "ok", "problems": {}}
    assert cut_off.client.get("/healthz").status_code == 200
    ready = cut_off.client.get("/readyz")
    assert ready.status_code == 503
    assert set(ready.get_json()["problems"]) == {"jobs", "records"}


def test_metrics_count_webhooks_and_what_waits(sender: Sender, records: Store) -> None:
    sender.send(OPENED)
    sender.send({}, "an_event_of_the_future")
    sender.send(OPENED, headers={"X-Hub-Signature-256": None})
    records.finished("e1", "observe", 2.5)
    records.used("e1", (RoleUsage(Role.PANEL, "m", 9, 3, 900, 90, 0.5, 2.0),))
    page = sender.client.get("/metrics", headers=PROMETHEUS).get_data(as_text=True)
    assert 'assay_webhooks_total{event="pull_request",outcome="accepted"} 1.0' in page
    assert 'assay_webhooks_total{event="other",outcome="ignored"} 1.0' in page
    assert 'assay_webhooks_total{event="none",outcome="unsigned"} 1.0' in page
    assert 'assay_jobs{queue="deliveries"} 1.0' in page
    assert 'assay_stage_seconds_total{stage="observe"} 2.5' in page
    assert "assay_database_up 1.0" in page
    assert 'assay_model_calls_total{from="memory",model="m",role="panel"} 3.0' in page
    assert 'assay_model_tokens_total{direction="out",model="m",role="panel"} 90.0' in page
    assert 'assay_model_usd_total{model="m",role="panel"} 0.5' in page


def test_metrics_are_for_those_who_bring_the_token(
    sender: Sender, jobs: EngineClient, records: Store
) -> None:
    without = create_app(WebParts(SECRET, jobs, records)).test_client()
    assert sender.client.get("/metrics").status_code == 404
    assert sender.client.get("/metrics", headers={"Authorization": "Bearer x"}).status_code == 404
    assert without.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    assert sender.client.get("/metrics", headers=PROMETHEUS).status_code == 200


def test_metrics_say_that_the_database_is_down(cut_off: Sender) -> None:
    page = cut_off.client.get("/metrics", headers=PROMETHEUS)
    assert page.status_code == 200
    assert "assay_database_up 0.0" in page.get_data(as_text=True)


def test_error_pages_fit_who_asks(sender: Sender) -> None:
    page = sender.client.get("/<script>", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert "<script>" not in page.get_data(as_text=True)
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert sender.client.get("/nowhere.json").get_json()["status"] == 404


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARTS = sorted(
    [
        "action",
        "pull_request",
        "issue",
        "comment",
        "check_run",
        "repository",
        "sender",
        "installation",
        "number",
        "id",
        "full_name",
        "head",
        "sha",
        "user",
        "login",
        "type",
        "client_payload",
        "base",
        "diff",
        "merge_group",
        "pull_requests",
        "body",
        "changes",
    ]
)
KNOWN = st.dictionaries(st.sampled_from(PARTS), JSON, max_size=6)
NESTED = st.dictionaries(st.sampled_from(PARTS), KNOWN | JSON, max_size=6)


@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    event=st.sampled_from(["pull_request", "issue_comment", "check_run", "merge_group", "x"]),
    action=st.sampled_from(["opened", "created", "rerequested", "checks_requested", "edited"])
    | JSON,
    payload=NESTED,
)
def test_no_signed_payload_breaks_it(
    sender: Sender, event: str, action: object, payload: dict[str, object]
) -> None:
    answer = sender.send({**payload, "action": action}, event)
    assert answer.status_code == 202


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=st.binary(max_size=200),
    delivery=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=120),
    event=st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=80),
    content=st.sampled_from(["application/json", "text/plain", "application/json; charset=x", ""]),
)
def test_no_request_breaks_it(
    sender: Sender, body: bytes, delivery: str, event: str, content: str
) -> None:
    headers: dict[str, str | None] = {
        "X-GitHub-Delivery": delivery,
        "X-GitHub-Event": event,
        "Content-Type": content,
    }
    assert sender.send(body, headers=headers).status_code in {202, 400, 415}
    unsigned = {**headers, "X-Hub-Signature-256": "sha256=" + delivery}
    assert sender.send(body, headers=unsigned).status_code == 401


def test_editors_get_the_schema_of_the_configuration(sender: Sender) -> None:
    answer = sender.client.get("/assay.schema.json")
    assert (answer.status_code, answer.mimetype) == (200, "application/schema+json")
    assert answer.get_json()["properties"]["gate"]
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
