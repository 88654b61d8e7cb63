"""Webhook payloads as GitHub sends them, reduced to what is read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bot.values import Delivery

HEAD = "a" * 40
BASE = "b" * 40


def delivery(
    event: str, action: str, payload: Mapping[str, object], delivery_id: str = "d-1"
) -> Delivery:
    whole = {
        "action": action,
        "repository": {"full_name": "octo/hello"},
        "installation": {"id": 7},
        "sender": {"login": "maintainer"},
        **payload,
    }
    return Delivery(delivery_id, event, action, json.dumps(whole))


def pull_request(action: str, delivery_id: str = "d-1", **changes: object) -> Delivery:
    changes_key = changes.pop("changes", None)
    body: dict[str, object] = {
        "number": 9,
        "state": "open",
        "draft": False,
        "head": {"sha": HEAD, "ref": "fix"},
        "base": {"sha": BASE, "ref": "main"},
        **changes,
    }
    payload: dict[str, object] = {"pull_request": body}
    if changes_key is not None:
        payload["changes"] = changes_key
    return delivery("pull_request", action, payload, delivery_id)


def comment(
    body: str,
    on_pull_request: bool = True,
    delivery_id: str = "d-c",
    by: str = "maintainer",
    comment_id: int = 31,
    *,
    at: str = "",
    association: str = "MEMBER",
) -> Delivery:
    issue: dict[str, object] = {"number": 9}
    if on_pull_request:
        issue["pull_request"] = {"url": "https://api.github.com/repos/octo/hello/pulls/9"}
    user = {"login": by, "type": "User"}
    said = {"id": comment_id, "body": body, "user": user, "created_at": at}
    said["author_association"] = association
    payload = {"issue": issue, "comment": said, "sender": {"login": by}}
    return delivery("issue_comment", "created", payload, delivery_id)


def clicked(
    action: str, evaluation: str = "", delivery_id: str = "d-r", **more: object
) -> Delivery:
    run = {"head_sha": HEAD, "external_id": evaluation, "pull_requests": []}
    return delivery("check_run", action, {"check_run": run, **more}, delivery_id)


def merge_group(action: str, delivery_id: str = "d-m") -> Delivery:
    group = {
        "head_sha": "c" * 40,
        "head_ref": "refs/heads/gh-readonly-queue/main/pr-9-abc",
        "base_sha": BASE,
        "base_ref": "refs/heads/main",
    }
    payload = {"merge_group": group, "reason": "invalidated"}
    return delivery("merge_group", action, payload, delivery_id)


def agent_patch(payload: object, delivery_id: str = "d-p") -> Delivery:
    return delivery("repository_dispatch", "agent-patch", {"client_payload": payload}, delivery_id)
