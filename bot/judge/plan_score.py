"""Holds the test plan as a whole, or the grades by criteria, against `gate.min_score`."""

from __future__ import annotations

from bot.models import Conclusion, GateReason, Grading, PlanScore

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
