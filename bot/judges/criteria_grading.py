"""Grades a change by the kept criteria and the task's preferences: advice, never a verdict.

AgentEval's Quantifier grades a solution by criteria, several times over; its Verifier tries every
criterion on the good, the bad and damaged solutions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median_low
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.chambers import Chambers
from bot.judges.criteria_critic import EXAMPLE_CHARS, TASK_CHARS, Brief, propose_criteria
from bot.judges.criteria_trial import Trial, try_criteria
from bot.judges.dossier import Dossier, evidence_text, shared_text, shown_evidence
from bot.judges.model.base import Answerless, ModelProblem, Prompt
from bot.judges.worsened import worsened
from bot.templates import render_text
from bot.values import Criterion, Grade, Grading, Preference, Role
from sandbox.concurrently import concurrently

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


CRITERIA_CHARS = 12_000


class GivenGrade(BaseModel):
    """One grade as the model writes it; `criterion` is its number in the list."""

    criterion: int
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=600)] = ""
    value: Annotated[str, StringConstraints(max_length=80)]


class QuantifierReply(BaseModel):
    """The grades of one repeat."""

    grades: list[GivenGrade] = Field(min_length=1, max_length=40)


async def quantify(
    chambers: Chambers, criteria: Sequence[Criterion], solution: str, samples: int
) -> Grading:
    """Grade a solution (`solution` is text that is enclosed already) `samples` times.

    What is no accepted value is no grade. Raises BudgetSpent or ModelAway.
    """
    replies = await concurrently(
        *(_graded(chambers, criteria, solution, sample) for sample in range(samples))
    )
    read = [one for one in replies if isinstance(one, QuantifierReply)]
    grades = tuple(_grade(number, one, read) for number, one in enumerate(criteria, start=1))
    missing = sum(not one.points for one in grades)
    problem = f"{missing} of {len(grades)} criteria got no grade." if missing else ""
    return Grading(grades, problem)


async def _graded(
    chambers: Chambers, criteria: Sequence[Criterion], solution: str, sample: int
) -> QuantifierReply | None:
    listed = "\n".join(
        f"{number}. {one.name}: {one.description} Values, worst to best: {' | '.join(one.accepted)}"
        for number, one in enumerate(criteria, start=1)
    )
    prompt = Prompt(
        role=Role.QUANTIFIER,
        system=render_text("prompts/quantifier.system.txt.j2"),
        user=render_text(
            "prompts/quantifier.user.txt.j2",
            solution=solution,
            criteria=chambers.delimiter.enclose("criteria", listed, CRITERIA_CHARS),
            mark=chambers.delimiter.word,
        ),
        sample=sample,
    )
    try:
        return await chambers.session.ask(prompt, QuantifierReply)
    except Answerless:
        return None


def _grade(number: int, criterion: Criterion, replies: list[QuantifierReply]) -> Grade:
    """The first grade that each reply has for this criterion, where its value is accepted."""
    given: list[tuple[float, str]] = []
    for reply in replies:
        mine = next((one for one in reply.grades if one.criterion == number), None)
        points = criterion.points(mine.value) if mine else None
        if mine and points is not None:
            given.append((points, mine.reason))
    if not given:
        return Grade(criterion, ())
    scored = tuple(one for one, _ in given)
    middle = median_low(scored)
    value = criterion.accepted[round(middle * (len(criterion.accepted) - 1) / 4)]
    return Grade(criterion, scored, value, next(why for one, why in given if one == middle))


CRITIC_SAMPLES = 2


async def find_criteria(chambers: Chambers, brief: Brief, repeats: int) -> tuple[Trial, ...]:
    """Propose, merge and try criteria; the kept ones have no `why_not`. Raises ModelProblem."""
    criteria = await propose_criteria(chambers, brief, CRITIC_SAMPLES)
    return await verify(chambers, brief, criteria, repeats)


async def verify(
    chambers: Chambers, brief: Brief, criteria: tuple[Criterion, ...], repeats: int
) -> tuple[Trial, ...]:
    """Grade all solutions `repeats` times and say which criteria hold."""

    async def graded(solution: str) -> Grading:
        enclose = chambers.delimiter.enclose
        shown = "\n\n".join(
            (enclose("task", brief.task, TASK_CHARS), enclose("solution", solution, EXAMPLE_CHARS))
        )
        return await quantify(chambers, criteria, shown, repeats)

    solutions = (brief.good, brief.bad, *(one.text for one in worsened(brief.good)))
    good, bad, *damaged = await concurrently(*map(graded, solutions))
    return try_criteria(good, bad, tuple(damaged))
