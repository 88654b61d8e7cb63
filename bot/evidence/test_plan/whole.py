"""A test plan as a whole: the points of its items, what of it base already fulfils, `gate.min_score`."""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.test_plan.ended import item_evidence, plain_endings
from bot.evidence.test_plan.points import marked
from bot.values import (
    Conclusion,
    Evidence,
    GateReason,
    Grading,
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
    rows: list[ItemScore] = []
    for one in asked:
        mark = marked(one, item_evidence(one, observed), plain)
        description = one.item.description if one.item else ""
        rows.append(ItemScore(one.id, one.text, description, mark.points, mark.reason))
    return PlanScore(asked[0].origin, tuple(rows)) if rows else None


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


MOST_SCORE = 4.0
"""The scale of `gate.min_score`."""


def score_reason(score: PlanScore | None, least: float) -> GateReason:
    """What the gate says of the plan's score; what is undecided cannot fail it."""
    if score is None:
        return GateReason(
            "score",
            Conclusion.ACTION_REQUIRED,
            "`gate.min_score` is set, but there is neither a test plan nor a model that grades.",
            "Remove `gate.min_score`, name a test plan in `criteria`, or let a model grade by criteria.",
            least_score=least,
        )
    reached = score.on_scale(MOST_SCORE)
    text = f"The test plan reaches {reached:.2f} of {MOST_SCORE:g}; {least:g} is required."
    if reached >= least:
        return GateReason("score", Conclusion.SUCCESS, text, score=reached, least_score=least)
    conclusion, step = Conclusion.FAILURE, "Fix what the failing items show and push."
    if score.could_be(MOST_SCORE) >= least:
        conclusion = Conclusion.ACTION_REQUIRED
        step = "Read the items that are not decided, or set up a model."
    return GateReason("score", conclusion, text, step, score=reached, least_score=least)


def graded_reason(grading: Grading, least: float) -> GateReason:
    """What the gate says of the grades where there is no plan; a missing grade cannot fail it."""
    score, could_be = grading.score, grading.could_be
    if score is None or could_be is None:
        return GateReason(
            "score",
            Conclusion.ACTION_REQUIRED,
            f"`gate.min_score` is set, but the criteria gave no score. {grading.problem}".strip(),
            "Comment `/judge` to try again, or remove `gate.min_score`.",
            least_score=least,
        )
    text = f"The criteria give {score:.2f} of {MOST_SCORE:g}; {least:g} is required."
    if score >= least:
        return GateReason("score", Conclusion.SUCCESS, text, score=score, least_score=least)
    conclusion, step = Conclusion.FAILURE, "Fix what the lowest grades criticize and push."
    if could_be >= least:
        conclusion, step = Conclusion.ACTION_REQUIRED, "Comment `/judge` to try again."
    return GateReason("score", conclusion, text, step, score=score, least_score=least)
