"""Pull requests that were opened, changed or closed."""

from __future__ import annotations

from bot.github import Payload
from bot.intake.decisions import Cancel, Decision, Ignore, StartPullRequest, place_of
from bot.models import Trigger

_WORTH_A_RUN = ("title", "body", "base")


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
