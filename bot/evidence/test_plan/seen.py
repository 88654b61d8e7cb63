"""Finds what was seen of an item of the test plan."""

from __future__ import annotations

from bot.values import ActionKind, Evidence, Observed, Requirement

_ITEM_ACTIONS = (ActionKind.SHELL_INTERACTION, ActionKind.FILE_COMPARISON)


def item_evidence(requirement: Requirement, observed: Observed) -> Evidence | None:
    """Return the evidence of the step that ran a test plan's item."""
    found = (e for e in observed.evidence if e.step.action in _ITEM_ACTIONS)
    return next((e for e in found if requirement.id in e.step.requirement_ids), None)
