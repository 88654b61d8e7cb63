"""Clicks on a check run: re-run, and the buttons that Assay puts there."""

from __future__ import annotations

from collections.abc import Callable

from bot.github import Payload
from bot.values import ACCEPT_BUTTON
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Decision,
    Ignore,
    Place,
    Rerun,
    place_of,
)

APPROVE = "approve"
JUDGE = "judge"
RERUN = "rerun"
"""Identifiers of the buttons (GitHub allows 20 characters)."""

_BUTTONS: dict[str, Callable[[Place, int, str, str], Decision]] = {
    APPROVE: Approve,
    JUDGE: Approve,
    RERUN: Rerun,
    ACCEPT_BUTTON: AcceptUnverified,
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
