"""The forge's webhooks: shaped as GitHub describes them, signed, sent once and in order."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from bot.demo.forge.rows import DeliveryRow
from bot.github import CheckAction, CheckReport, CheckStatus, read_pull_request, signature_is_valid
from bot.text.json_reading import Payload
from bot.values import Conclusion
from tests.contract.npm import EXAMPLES, fetched
from tests.contract.openapi import Description
from tests.world import Place, World, git

pytestmark = pytest.mark.real

SECRET = "s3cret"


class Receiver(HTTPServer):
    """Takes webhooks and answers `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = 202
        self.heard: list[tuple[dict[str, str], bytes]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/webhook"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Receiver)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.heard.append((dict(self.headers), body))
        self.send_response(server.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def everything_that_happens(place: Place) -> None:
    """Makes every event that Assay handles happen once."""
    operator, ada, name = place.world.operator, place.world.ada, place.name
    path = f"repos/{name}/pulls/{place.number}"
    operator.as_person(ada, "PATCH", path, title="Greet all", body="Fixes #1", base="main")
    operator.as_person(ada, "PATCH", path, state="closed")
    operator.as_person(ada, "PATCH", path, state="open")
    git(place.tree, "checkout", "--quiet", "feature")
    place.commit("feature", {"hello.py": "print('all')\n"})
    place.commit("draft", {"d.py": ""})
    draft = place.open("Draft", head="draft", draft=True)
    operator.control("POST", "pulls/ready", repository=name, number=draft)
    operator.comment(place.world.bob, name, place.number, "/judge")
    dispatch = {"event_type": "agent-patch", "client_payload": {"task": "x"}}
    operator.as_person(ada, "POST", f"repos/{name}/dispatches", **dispatch)
    place.commit("gh-readonly-queue/main/pr-1-" + "a" * 40, {"q.py": ""})
    queue = "gh-readonly-queue/main/pr-1-" + "a" * 40
    operator.control("POST", "merge-groups", repository=name, head_ref=queue)
    git(place.tree, "checkout", "--quiet", "main")
    place.commit("main", {"more.py": ""})
    operator.control("POST", f"apps/{place.world.app.id}/ping")


async def clicks(place: Place) -> None:
    async with place.world.github().repository(place.name) as repository:
        run = await repository.put_check_run(
            CheckReport(
                name="Assay",
                head_sha=place.head(),
                external_id="e1",
                status=CheckStatus.COMPLETED,
                conclusion=Conclusion.ACTION_REQUIRED,
                title="t",
                summary="s",
                actions=(CheckAction("Approve", "Run this fork", "approve"),),
            )
        )
    control = place.world.operator.control
    control("POST", f"check-runs/{run.id}/click", sender="ada")
    control("POST", f"check-runs/{run.id}/click", sender="ada", identifier="approve")
    control("POST", f"check-runs/{run.id}/rerun-suite", sender="ada")


async def test_every_payload_is_as_github_describes_it(
    place: Place, described: tuple[Description, object] | None
) -> None:
    if described is None:
        pytest.skip("npm cannot give GitHub's description")
    everything_that_happens(place)
    await clicks(place)
    place.world.operator.deliveries()
    rows = place.world.forge.state.all(DeliveryRow)
    seen = {(row.event, row.action) for row in rows}
    faults = [
        fault
        for row in rows
        if row.event in {"ping", "installation"} or place.name in row.payload
        for fault in described[0].webhook_faults(row.event, json.loads(row.payload))
    ]
    assert "\n".join(dict.fromkeys(faults)) == ""
    assert seen >= {
        ("pull_request", "opened"),
        ("pull_request", "edited"),
        ("pull_request", "closed"),
        ("pull_request", "reopened"),
        ("pull_request", "synchronize"),
        ("pull_request", "ready_for_review"),
        ("issue_comment", "created"),
        ("check_run", "rerequested"),
        ("check_run", "requested_action"),
        ("check_suite", "rerequested"),
        ("merge_group", "checks_requested"),
        ("push", ""),
        ("repository_dispatch", "agent-patch"),
        ("installation", "created"),
        ("ping", ""),
    }


def test_the_readers_take_githubs_own_examples() -> None:
    """What we read from the forge must be where GitHub's examples have it too."""
    examples = fetched(EXAMPLES)
    if examples is None:
        pytest.skip("npm cannot give GitHub's webhook examples")
    events = {item["name"]: item["examples"] for item in json.loads(examples.read_text())}
    for example in events["pull_request"]:
        found = read_pull_request(Payload(example).at("pull_request"))
        assert found.number > 0
        assert len(found.head_sha) == len(found.base_sha) == 40
        assert found.author
        assert found.base_repository == example["repository"]["full_name"]
        assert found.state in {"open", "closed"}
    assert len(events["pull_request"]) > 20


def test_deliveries_are_signed_and_named(world: World, receiver: Receiver) -> None:
    app = world.operator.app("Signed", receiver.url, SECRET)
    world.operator.control("POST", f"apps/{app.id}/ping")
    world.operator.deliveries()
    ((headers, body),) = receiver.heard
    assert signature_is_valid(SECRET, body, headers["X-Hub-Signature-256"])
    assert not signature_is_valid("other", body, headers["X-Hub-Signature-256"])
    assert not signature_is_valid(SECRET, body + b" ", headers["X-Hub-Signature-256"])
    assert not signature_is_valid("", body, headers["X-Hub-Signature-256"])
    assert not signature_is_valid(SECRET, body, "ünsinn")
    assert headers["X-GitHub-Event"] == "ping"
    assert len(headers["X-GitHub-Delivery"]) == 36
    assert headers["Content-Type"] == "application/json"


def test_the_signature_is_githubs_published_example() -> None:
    """https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries"""
    known = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert signature_is_valid("It's a Secret to Everybody", b"Hello, World!", known)


def test_a_failed_delivery_is_not_repeated_but_can_be_by_hand(
    world: World, receiver: Receiver
) -> None:
    receiver.status = 503
    app = world.operator.app("Unlucky", receiver.url, SECRET)
    delivery = world.operator.control("POST", f"apps/{app.id}/ping").text("delivery")
    world.operator.deliveries()
    assert len(receiver.heard) == 1
    receiver.status = 202
    world.operator.control("POST", f"deliveries/{delivery}/redeliver")
    world.operator.deliveries()
    assert len(receiver.heard) == 2
    assert {headers["X-GitHub-Delivery"] for headers, _ in receiver.heard} == {delivery}
    row = world.forge.state.get(DeliveryRow, delivery)
    assert row is not None
    assert (row.status, row.attempts) == (202, 2)


def test_events_come_in_order_and_only_to_who_asked(world: World, receiver: Receiver) -> None:
    app = world.operator.app("Listener", receiver.url, SECRET)
    place = world.new_place()
    world.operator.install(app, "ada", [place.name.partition("/")[2]])
    numbers = [
        world.operator.comment(world.ada, place.name, place.number, f"{n}") for n in range(5)
    ]
    other = world.new_place()
    world.operator.comment(world.ada, other.name, other.number, "not for this app")
    world.operator.deliveries()
    comments = [
        Payload.parse(body).integer("comment", "id")
        for headers, body in receiver.heard
        if headers["X-GitHub-Event"] == "issue_comment"
    ]
    assert comments == numbers


def test_a_push_moves_the_pull_request(place: Place) -> None:
    world = place.world
    before = place.head()
    (place.tree / "hello.py").write_text("print('pushed')\n")
    git(place.tree, "commit", "--quiet", "-am", "More")
    address = f"http://ada:{world.ada.token}@{world.web.partition('//')[2]}/{place.name}.git"
    git(place.tree, "push", "--quiet", address, "HEAD:refs/heads/feature")
    (row,) = place.deliveries("pull_request", "synchronize")
    payload = Payload.parse(row.payload)
    assert (payload.text("before"), payload.text("after")) == (before, place.head())
    assert payload.text("pull_request", "head", "sha") == place.head()
    shown = git(place.tree, "ls-remote", address, f"refs/pull/{place.number}/head")
    assert shown.split()[0] == place.head()


def test_only_the_owner_opens_the_control_door(world: World) -> None:
    for key in ("", "wrong"):
        reply = httpx.post(
            f"{world.web}/_forge/users", headers={"X-Forge-Key": key}, json={}, timeout=60
        )
        assert reply.status_code == 404
