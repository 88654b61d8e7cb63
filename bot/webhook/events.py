"""From a webhook to a decision, purely: a handler for each event of GitHub that people cause, named as a past
event, and the table that leads to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import partial

from bot.github import BELONGING, Payload
from bot.values import ACCEPT_BUTTON, EXPLAIN_BUTTON, RERUN_BUTTON, Delivery, Trigger
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Cancel,
    Decision,
    ExplainVerdict,
    Ignore,
    KeepReverts,
    ObeyCommand,
    Place,
    Rerun,
    RevertingCommit,
    StartMergeGroup,
    StartPullRequest,
    place_of,
)
from bot.webhook.grammar import ASK_MODELS, ON_ISSUES, WITH_WORDS, first_line, parse, words_behind
from bot.webhook.patches import agent_patch_dispatched

MOST_CLAIMS = 5
_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")
_CHANGED = ("added", "removed", "modified")

APPROVE = "approve"
JUDGE = "judge"
"""Identifiers of the buttons on a check run without a verdict (GitHub allows 20 characters)."""

_BUTTONS: dict[str, Callable[[Place, int, str, str], Decision]] = {
    APPROVE: Approve,
    JUDGE: Approve,
    RERUN_BUTTON: Approve,
    ACCEPT_BUTTON: AcceptUnverified,
    EXPLAIN_BUTTON: ExplainVerdict,
}


def rerequested(what: str, payload: Payload) -> Decision:
    """Somebody clicked "Re-run" on the check run, or "Re-run all checks" on the suite."""
    return Rerun(*_clicked(payload, what))


def check_run_action_requested(payload: Payload) -> Decision:
    """Somebody clicked one of Assay's own buttons."""
    identifier = payload.text("requested_action", "identifier")
    button = _BUTTONS.get(identifier)
    if button is None:
        return Ignore("a button that Assay does not have")
    return button(*_clicked(payload, "check_run"))


def _clicked(payload: Payload, what: str) -> tuple[Place, int, str, str]:
    """Read place, pull request (0: GitHub names none for forks), head sha and evaluation id."""
    check = payload.at(what)
    pull_requests = check.items("pull_requests")
    number = pull_requests[0].integer("number") if len(pull_requests) == 1 else 0
    return place_of(payload), number, check.text("head_sha"), check.text("external_id")


_WORTH_A_RUN = ("title", "body", "base")  # of an edited pull request
_BRANCHES = "refs/heads/"
_LONGEST_LINE = 200


def issue_comment_created(payload: Payload) -> Decision:
    """A comment's first line may hold a command, by a person; on an issue, one about its rubric."""
    line = first_line(payload.text("comment", "body"))
    command = parse(line)
    if command is None:
        return Ignore("no command")
    on_pull_request = payload.has("issue", "pull_request")
    if not on_pull_request and command not in ON_ISSUES:
        return Ignore("a command on an issue, not on a pull request")
    if payload.text("comment", "user", "type") == "Bot":
        return Ignore("bots give no commands")
    return ObeyCommand(
        place=place_of(payload),
        number=payload.integer("issue", "number"),
        comment=payload.integer("comment", "id"),
        command=command,
        line=line[:_LONGEST_LINE],
        on_pull_request=on_pull_request,
        given_at=payload.text("comment", "created_at"),
        words=words_behind(payload.text("comment", "body")) if command in WITH_WORDS else "",
    )


def asks_models(payload: Payload) -> bool:
    """Whether a comment gives a command that may take minutes, or one that must wait for such.

    A stranger's does neither: it is refused.
    """
    association = payload.text("comment", "author_association")
    return (
        association in BELONGING
        and parse(first_line(payload.text("comment", "body"))) in ASK_MODELS
    )


def merge_group_checks_requested(payload: Payload) -> Decision:
    """A merge group waits for the check run; the queue stalls without one."""
    group = payload.at("merge_group")
    return StartMergeGroup(
        place=place_of(payload),
        head_sha=group.text("head_sha"),
        head_ref=group.text("head_ref").removeprefix(_BRANCHES),
        base_sha=group.text("base_sha"),
        base_ref=group.text("base_ref").removeprefix(_BRANCHES),
    )


def merge_group_destroyed(payload: Payload) -> Decision:
    """The group was merged, taken apart or became invalid."""
    reason = payload.text("reason") or "gone"
    why = f"the merge group is {reason if reason.isalpha() else 'gone'}"
    return Cancel(place_of(payload), 0, payload.text("merge_group", "head_sha"), why)


def pull_request_edited(payload: Payload) -> Decision:
    """A new title, text or target can change what is asked; other edits cannot."""
    if not any(payload.has("changes", part) for part in _WORTH_A_RUN):
        return Ignore("neither title, text nor target changed")
    is_moved = payload.has("changes", "base")
    return pull_request_changed(Trigger.RETARGETED if is_moved else Trigger.EDITED, payload)


def pull_request_closed(payload: Payload) -> Decision:
    """Nobody waits for a verdict on a closed pull request."""
    merged = payload.flag("pull_request", "merged")
    return Cancel(
        place=place_of(payload),
        number=payload.integer("pull_request", "number"),
        head_sha=payload.text("pull_request", "head", "sha"),
        why=f"the pull request was {'merged' if merged else 'closed'}",
        is_merged=merged,
    )


def pull_request_changed(trigger: Trigger, payload: Payload) -> Decision:
    """A pull request is judged, or somebody looks whether it should be, unless it is closed."""
    if payload.text("pull_request", "state") == "closed":
        return Ignore("the pull request is closed")
    return StartPullRequest(
        place=place_of(payload),
        number=payload.integer("pull_request", "number"),
        head_sha=payload.text("pull_request", "head", "sha"),
        trigger=trigger,
        label=payload.text("label", "name"),
    )


def pushed(payload: Payload) -> Decision:
    """A commit may revert a pull request without one of its own; all other pushes lead to nothing."""
    branch = payload.text("repository", "default_branch")
    if not branch or payload.text("ref") != f"{_BRANCHES}{branch}":
        return Ignore("a push to another branch than the default one")
    found = []
    for commit in payload.items("commits"):
        if reverts := reverted_commits(commit.text("message")):
            paths = {path.text() for kind in _CHANGED for path in commit.items(kind)}
            found.append(RevertingCommit(commit.text("id"), reverts, tuple(sorted(paths))))
    if not found:
        return Ignore("a push that reverts nothing")
    return KeepReverts(place_of(payload), branch, tuple(found[:MOST_CLAIMS]))


def reverted_commits(*texts: str) -> tuple[str, ...]:
    """The commits that texts say to revert, in the words of `git revert`."""
    named = dict.fromkeys(sha for text in texts for sha in _COMMIT.findall(text))
    return tuple(named)[:MOST_CLAIMS]


# --- the table of contents: which event of GitHub leads to which handler ---------------------------


HANDLERS: Mapping[tuple[str, str], Callable[[Payload], Decision]] = {
    ("pull_request", "opened"): partial(pull_request_changed, Trigger.OPENED),
    ("pull_request", "reopened"): partial(pull_request_changed, Trigger.REOPENED),
    ("pull_request", "synchronize"): partial(pull_request_changed, Trigger.SYNCHRONIZE),
    ("pull_request", "ready_for_review"): partial(pull_request_changed, Trigger.READY_FOR_REVIEW),
    # Nobody waits for a verdict on what became a draft, unless drafts are judged too.
    ("pull_request", "converted_to_draft"): partial(pull_request_changed, Trigger.DRAFTED),
    # A label may ask for an evaluation, or say that there shall be none.
    ("pull_request", "labeled"): partial(pull_request_changed, Trigger.LABELED),
    ("pull_request", "unlabeled"): partial(pull_request_changed, Trigger.UNLABELED),
    ("pull_request", "edited"): pull_request_edited,
    ("pull_request", "closed"): pull_request_closed,
    ("issue_comment", "created"): issue_comment_created,
    ("check_run", "rerequested"): partial(rerequested, "check_run"),
    ("check_run", "requested_action"): check_run_action_requested,
    ("check_suite", "rerequested"): partial(rerequested, "check_suite"),
    ("merge_group", "checks_requested"): merge_group_checks_requested,
    ("merge_group", "destroyed"): merge_group_destroyed,
    ("push", ""): pushed,
    ("repository_dispatch", "agent-patch"): agent_patch_dispatched,
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
    if event == "issue_comment" and asks_models(payload):
        about += " asks models"
    return hashlib.sha256(about.encode(errors="replace")).hexdigest()[:32]
