"""The frozen plan as the report shows it: what was going to be checked, and what was added on the way."""

from __future__ import annotations

from bot.models import Plan, Step
from bot.report.model import PlannedRow, PlanView

MOST_ROWS = 120
ARGUMENTS_CHARACTERS = 400


def plan_view(plan: Plan, digest: str) -> PlanView:
    """The steps in order; those that were added carry their reason."""
    rows = [_row(step, "") for step in plan.steps]
    added = [_row(one.step, one.reason) for one in plan.extensions]
    return PlanView(digest, tuple(rows[:MOST_ROWS]), tuple(added[:MOST_ROWS]))


def _row(step: Step, reason: str) -> PlannedRow:
    return PlannedRow(
        id=step.id,
        action=step.action,
        goal=step.goal,
        guidance=step.guidance,
        requirements=step.requirement_ids,
        arguments=" ".join(step.arguments)[:ARGUMENTS_CHARACTERS],
        is_proposed=step.is_proposed,
        reason=reason,
    )
