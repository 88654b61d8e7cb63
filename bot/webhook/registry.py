"""The table of contents: which event of GitHub leads to which handler."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping

from bot.github import Payload
from bot.values import Delivery
from bot.webhook import events, patches
from bot.webhook.decisions import Decision, Ignore

Handler = Callable[[Payload], Decision]

HANDLERS: Mapping[tuple[str, str], Handler] = {
    ("pull_request", "opened"): events.pull_request_opened,
    ("pull_request", "reopened"): events.pull_request_reopened,
    ("pull_request", "synchronize"): events.pull_request_synchronized,
    ("pull_request", "ready_for_review"): events.pull_request_made_ready,
    ("pull_request", "converted_to_draft"): events.pull_request_drafted,
    ("pull_request", "edited"): events.pull_request_edited,
    ("pull_request", "labeled"): events.pull_request_labeled,
    ("pull_request", "unlabeled"): events.pull_request_unlabeled,
    ("pull_request", "closed"): events.pull_request_closed,
    ("issue_comment", "created"): events.issue_comment_created,
    ("check_run", "rerequested"): events.check_run_rerequested,
    ("check_run", "requested_action"): events.check_run_action_requested,
    ("check_suite", "rerequested"): events.check_suite_rerequested,
    ("merge_group", "checks_requested"): events.merge_group_checks_requested,
    ("merge_group", "destroyed"): events.merge_group_destroyed,
    ("push", ""): events.pushed,
    ("repository_dispatch", "agent-patch"): patches.agent_patch_dispatched,
}

# GitHub sends these to every App, asked or not; they are welcome and lead to nothing.
NOTED = ("ping", "installation", "installation_repositories")

EVENTS = tuple(sorted({event for event, _ in HANDLERS}))
"""What the App subscribes to: `app.yml` says the same."""


def is_handled(event: str, action: str) -> bool:
    """Tell whether a delivery can lead to anything, before its payload is looked at."""
    return (event, action) in HANDLERS


def leads_to_nothing(delivery: Delivery) -> bool:
    """Tell of a push, before it is stored: nearly none reverts anything, and each can be megabytes."""
    return delivery.event == "push" and isinstance(decide(delivery), Ignore)


def decide(delivery: Delivery) -> Decision:
    """Lead a delivery to its decision. Never raises: whatever the payload holds is data."""
    handler = HANDLERS.get((delivery.event, delivery.action))
    if handler is None:
        return Ignore("nothing to do for this event")
    try:
        payload = Payload.parse(delivery.payload)
    except ValueError:
        return Ignore("the payload is no JSON")
    return handler(payload)


def lane(payload: Payload, event: str) -> str:
    """Name what a delivery is about, as a digest; deliveries of one lane are handled in order.

    What asks models has a lane of its own: a push, or `/judge cancel`, does not wait for their answer.
    """
    repository = payload.text("repository", "full_name")
    number = payload.integer("pull_request", "number") or payload.integer("issue", "number")
    if not number:
        checks = (payload.items(name, "pull_requests") for name in ("check_run", "check_suite"))
        number = next((one.integer("number") for found in checks for one in found), 0)
    about = f"{repository}#{number}" if number else f"{repository}@{event}"
    if event == "issue_comment" and events.asks_models(payload):
        about += " asks models"
    return hashlib.sha256(about.encode(errors="replace")).hexdigest()[:32]
