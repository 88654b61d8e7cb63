"""The events of GitHub that people cause: pull requests, comments, the merge queue, and pushes that
take a change back.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from bot.github import BELONGING, Payload
from bot.values import ACCEPT_BUTTON, EXPLAIN_BUTTON, RERUN_BUTTON, Trigger
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


def check_run_rerequested(payload: Payload) -> Decision:
    """Somebody clicked "Re-run" on the check run."""
    return Rerun(*_clicked(payload, "check_run"))


def check_suite_rerequested(payload: Payload) -> Decision:
    """Somebody clicked "Re-run all checks"."""
    return Rerun(*_clicked(payload, "check_suite"))


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


def pull_request_opened(payload: Payload) -> Decision:
    """A new pull request is judged."""
    return _start(payload, Trigger.OPENED)


def pull_request_reopened(payload: Payload) -> Decision:
    """A pull request that came back is judged anew."""
    return _start(payload, Trigger.REOPENED)


def pull_request_synchronized(payload: Payload) -> Decision:
    """A newer head is judged; the older evaluation is cancelled by it."""
    return _start(payload, Trigger.SYNCHRONIZE)


def pull_request_made_ready(payload: Payload) -> Decision:
    """A draft that became ready is judged."""
    return _start(payload, Trigger.READY_FOR_REVIEW)


def pull_request_drafted(payload: Payload) -> Decision:
    """Nobody waits for a verdict on what became a draft, unless drafts are judged too."""
    return _start(payload, Trigger.DRAFTED)


def pull_request_edited(payload: Payload) -> Decision:
    """A new title, text or target can change what is asked; other edits cannot."""
    if not any(payload.has("changes", part) for part in _WORTH_A_RUN):
        return Ignore("neither title, text nor target changed")
    is_moved = payload.has("changes", "base")
    return _start(payload, Trigger.RETARGETED if is_moved else Trigger.EDITED)


def pull_request_labeled(payload: Payload) -> Decision:
    """A label may ask for an evaluation, or say that there shall be none."""
    return _start(payload, Trigger.LABELED)


def pull_request_unlabeled(payload: Payload) -> Decision:
    """Without a label that said so, a pull request may no longer be left alone."""
    return _start(payload, Trigger.UNLABELED)


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


def _start(payload: Payload, trigger: Trigger) -> Decision:
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
