"""Merge groups: what a merge queue wants checked before it merges."""

from __future__ import annotations

from bot.github import Payload
from bot.intake.decisions import Cancel, Decision, StartMergeGroup, place_of

_BRANCHES = "refs/heads/"


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
