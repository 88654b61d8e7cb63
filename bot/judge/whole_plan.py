"""A test plan as a whole: the points of all its items, and what of it base already fulfils."""

from __future__ import annotations

from dataclasses import replace

from bot.judge.criteria import Marked, marked
from bot.judge.plan_evidence import item_evidence
from bot.judge.plan_runs import plain_endings
from bot.models import (
    Evidence,
    ItemScore,
    Observed,
    PlanScore,
    Requirement,
    Requirements,
    VerdictOutcome,
)


def score_plan(requirements: Requirements, observed: Observed) -> PlanScore | None:
    """Every item of the test plan with its points; None without a plan."""
    asked = [r for r in requirements.items if r.item is not None]
    plain = plain_endings(requirements, observed)
    rows = tuple(_row(r, marked(r, item_evidence(r, observed), plain)) for r in asked)
    return PlanScore(asked[0].origin, rows) if rows else None


def _row(requirement: Requirement, mark: Marked) -> ItemScore:
    description = requirement.item.description if requirement.item else ""
    return ItemScore(requirement.id, requirement.text, description, mark.points, mark.reason)


def is_regressed(requirement: Requirement, observed: Observed) -> bool:
    """Whether base fulfils an item of the plan that head does not."""
    evidence = item_evidence(requirement, observed)
    return (
        evidence is not None
        and is_held_on_base(requirement, evidence)
        and marked(requirement, evidence).outcome is VerdictOutcome.UNSATISFIED
    )


def is_held_on_base(requirement: Requirement, evidence: Evidence) -> bool:
    """Whether the same rules would call the item satisfied on base."""
    before = replace(evidence, head=evidence.base, base=None)
    return marked(requirement, before).outcome is VerdictOutcome.SATISFIED
