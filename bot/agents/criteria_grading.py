"""Grades a change by the kept criteria and the task's preferences: advice, never a verdict."""

from __future__ import annotations

from dataclasses import replace

from bot.agents.chambers import Chambers
from bot.agents.criteria_quantifier import quantify
from bot.agents.dossier import Dossier, evidence_text, shared_text, shown_evidence
from bot.llm.base import ModelProblem
from bot.models import Criterion, Grading, Preference

SAMPLES = 3
PREFERENCE_VALUES = ("not met", "partly met", "met")
MOST_GRADED = 40


async def grade_change(
    chambers: Chambers,
    dossier: Dossier,
    kept: tuple[Criterion, ...],
    preferences: tuple[Preference, ...],
) -> Grading | None:
    """Grade head's change; None where there is nothing to grade by. A spent budget ends in `problem`."""
    wishes = tuple(Criterion(one.id, one.text, PREFERENCE_VALUES) for one in preferences)
    criteria = (*kept, *wishes)[:MOST_GRADED]
    if not criteria:
        return None
    delimiter, seen = chambers.delimiter, shown_evidence(dossier.evidence)
    shown = f"{shared_text(dossier, delimiter)}\n\n{evidence_text(seen, delimiter)}"
    try:
        grading = await quantify(chambers, criteria, shown, SAMPLES)
    except ModelProblem as error:
        return Grading((), error.why)
    grades = tuple(
        replace(one, is_preference=number >= len(kept)) for number, one in enumerate(grading.grades)
    )
    return replace(grading, grades=grades)
