"""Grades a change by the kept criteria and the task's preferences: advice, never a verdict.

AgentEval's Quantifier grades a solution by criteria, several times over; its Verifier tries every
criterion on the good, the bad and damaged solutions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median_low, pstdev
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.criteria_critic import EXAMPLE_CHARS, TASK_CHARS, Brief, propose_criteria
from bot.judges.material import Material, evidence_text, shared_text, shown_evidence
from bot.judges.model.base import Answerless, ModelProblem, Prompt
from bot.values import Criterion, Grade, Grading, Preference, Role
from sandbox.concurrently import concurrently

SAMPLES = 3
PREFERENCE_VALUES = ("not met", "partly met", "met")
MOST_GRADED = 40


async def grade_change(
    agents: Agents,
    material: Material,
    kept: tuple[Criterion, ...],
    preferences: tuple[Preference, ...],
) -> Grading | None:
    """Grade head's change; None where there is nothing to grade by. A spent budget ends in `problem`."""
    wishes = tuple(Criterion(one.id, one.text, PREFERENCE_VALUES) for one in preferences)
    criteria = (*kept, *wishes)[:MOST_GRADED]
    if not criteria:
        return None
    delimiter, seen = agents.delimiter, shown_evidence(material.evidence)
    shown = f"{shared_text(material, delimiter)}\n\n{evidence_text(seen, delimiter)}"
    try:
        grading = await quantify(agents, criteria, shown, SAMPLES)
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
    agents: Agents, criteria: Sequence[Criterion], solution: str, samples: int
) -> Grading:
    """Grade a solution (`solution` is text that is enclosed already) `samples` times.

    What is no accepted value is no grade. Raises BudgetSpent or ModelAway.
    """
    replies = await concurrently(
        *(_graded(agents, criteria, solution, sample) for sample in range(samples))
    )
    read = [one for one in replies if isinstance(one, QuantifierReply)]
    grades: list[Grade] = []
    for number, criterion in enumerate(criteria, start=1):
        # the first grade that each reply has for it, where its value is accepted
        given: list[tuple[float, str]] = []
        for reply in read:
            mine = next((one for one in reply.grades if one.criterion == number), None)
            points = criterion.points(mine.value) if mine else None
            if mine and points is not None:
                given.append((points, mine.reason))
        if not given:
            grades.append(Grade(criterion, ()))
            continue
        scored = tuple(one for one, _ in given)
        middle = median_low(scored)
        value = criterion.accepted[round(middle * (len(criterion.accepted) - 1) / 4)]
        reason = next(why for one, why in given if one == middle)
        grades.append(Grade(criterion, scored, value, reason))
    missing = sum(not one.points for one in grades)
    problem = f"{missing} of {len(grades)} criteria got no grade." if missing else ""
    return Grading(tuple(grades), problem)


async def _graded(
    agents: Agents, criteria: Sequence[Criterion], solution: str, sample: int
) -> QuantifierReply | None:
    listed = "\n".join(
        f"{number}. {one.name}: {one.description} Values, worst to best: {' | '.join(one.accepted)}"
        for number, one in enumerate(criteria, start=1)
    )
    prompt = Prompt(
        Role.QUANTIFIER,
        *agents.texts(
            "quantifier",
            solution=solution,
            criteria=agents.delimiter.enclose("criteria", listed, CRITERIA_CHARS),
        ),
        sample=sample,
    )
    try:
        return await agents.session.ask(prompt, QuantifierReply)
    except Answerless:
        return None


CRITIC_SAMPLES = 2


async def find_criteria(agents: Agents, brief: Brief, repeats: int) -> tuple[CriterionTrial, ...]:
    """Propose, merge and try criteria; the kept ones have no `why_not`. Raises ModelProblem."""
    criteria = await propose_criteria(agents, brief, CRITIC_SAMPLES)
    return await verify(agents, brief, criteria, repeats)


async def verify(
    agents: Agents, brief: Brief, criteria: tuple[Criterion, ...], repeats: int
) -> tuple[CriterionTrial, ...]:
    """Grade all solutions `repeats` times and say which criteria hold."""

    async def graded(solution: str) -> Grading:
        enclose = agents.delimiter.enclose
        shown = "\n\n".join(
            (enclose("task", brief.task, TASK_CHARS), enclose("solution", solution, EXAMPLE_CHARS))
        )
        return await quantify(agents, criteria, shown, repeats)

    solutions = (brief.good, brief.bad, *(one.text for one in worsened(brief.good)))
    good, bad, *damaged = await concurrently(*map(graded, solutions))
    return try_criteria(good, bad, tuple(damaged))


# --- makes a solution worse in ways that anybody must see: what a good criterion is tried on ------


_OPENS = re.compile(
    r"^(\s*)(?:(?:export|public|private|static|async|pub)\s+)*"
    r"(?:def|function|func|fn|class|void|int)\b.*[:{]\s*$"
)
_SWAPS = {
    "==": "!=", "!=": "==", "<=": ">", ">=": "<", " < ": " >= ", " > ": " <= ", " + ": " - ", " - ": " + ",
    " * ": " + ", " and ": " or ", " or ": " and ", "&&": "||", "||": "&&", "True": "False",
    "False": "True", "true": "false", "false": "true",
}  # fmt: skip
_SWAPPED = re.compile("|".join(re.escape(one) for one in sorted(_SWAPS, key=len, reverse=True)))


@dataclass(frozen=True, slots=True)
class Worsened:
    """A worsened solution, and in a word how."""

    how: str
    text: str


def worsened(text: str) -> tuple[Worsened, ...]:
    """Every way to make it worse that changes this solution, always in the same order."""
    ways: tuple[tuple[str, Callable[[str], str]], ...] = (
        ("half of it dropped", _dropped),
        ("functions emptied", _emptied),
        ("operators swapped", _swapped),
    )
    found = [Worsened(how, way(text)) for how, way in ways]
    return tuple(one for one in found if one.text.strip() != text.strip())


def is_diff(text: str) -> bool:
    """Whether the text is a unified diff."""
    return any(line.startswith("@@ -") for line in text.splitlines())


def _dropped(text: str) -> str:
    """Without every second hunk; a single one, or a file, loses its second half."""
    lines = text.splitlines()
    hunks = [number for number, line in enumerate(lines) if line.startswith("@@ -")]
    if len(hunks) < 2:
        diff = is_diff(text)
        ours = [number for number, line in enumerate(lines) if _is_ours(line, diff)]
        gone = set(ours[(len(ours) + 1) // 2 :])
        return "\n".join(line for number, line in enumerate(lines) if number not in gone)
    kept, is_kept, count = [], True, 0
    for line in lines:
        if line.startswith("@@ -"):
            is_kept, count = count % 2 == 0, count + 1
        elif line.startswith("--- "):
            is_kept = True
        if is_kept:
            kept.append(line)
    return "\n".join(kept)


def _emptied(text: str) -> str:
    """The bodies of functions and classes become three dots."""
    diff, inside, kept = is_diff(text), -1, []
    for line in text.splitlines():
        body = line[1:] if diff else line
        indent = len(body) - len(body.lstrip())
        if not _is_ours(line, diff) or (body.strip() and indent <= inside):
            inside = -1
        if inside >= 0:
            continue
        kept.append(line)
        if _is_ours(line, diff) and _OPENS.match(body):
            inside = indent
            kept.append(("+" if diff else "") + " " * (indent + 4) + "...")
    return "\n".join(kept)


def _swapped(text: str) -> str:
    diff = is_diff(text)
    return "\n".join(
        line[:1] + _SWAPPED.sub(lambda found: _SWAPS[found[0]], line[1:])
        if _is_ours(line, diff)
        else line
        for line in text.splitlines()
    )


def _is_ours(line: str, diff: bool) -> bool:
    return not diff or (line.startswith("+") and not line.startswith("+++ "))


# --- the Verifier's rule (AgentEval): which criteria are stable, and see a damaged solution as worse. Pure


MOST_VARIATION = 0.5
"""AgentEval 6.2: the mean coefficient of variation of its quantifier stays below it."""
LEAST_DROP = 0.25
"""Points by which a damaged solution must be worse, so that noise is no sight."""
LEAST_REPEATS = 2


@dataclass(frozen=True, slots=True)
class CriterionTrial:
    """What became of one criterion. `why_not` is empty for a kept one; points are means, 0 to 4.

    `damaged` is the lowest mean over all damages, `variation` the coefficient over the good solution.
    """

    criterion: Criterion
    variation: float | None
    good: float | None
    bad: float | None
    damaged: float | None
    why_not: str = ""


def variation(points: tuple[float, ...]) -> float | None:
    """The coefficient of variation; None where it is not defined (too few, or a mean of zero)."""
    if len(points) < LEAST_REPEATS or not fmean(points):
        return None
    return pstdev(points) / fmean(points)


def try_criteria(
    good: Grading, bad: Grading, damaged: tuple[Grading, ...]
) -> tuple[CriterionTrial, ...]:
    """Judge every criterion by how it graded the good, the bad and the damaged solutions."""
    trials = []
    for number, on_good in enumerate(good.grades):
        on_bad = bad.grades[number]
        means = [grading.grades[number].mean for grading in damaged]
        lowest = min((mean for mean in means if mean is not None), default=None)
        spread = variation(on_good.points)
        why_not = ""
        if len(on_good.points) < LEAST_REPEATS:
            why_not = "It was graded less than twice."
        elif on_good.mean is None or spread is None:
            why_not = "It gives the good example nothing."
        elif spread > MOST_VARIATION:
            why_not = f"It is not stable: its coefficient of variation is {spread:.2f}."
        elif lowest is None or on_good.mean - lowest < LEAST_DROP:
            why_not = "It does not see a damaged solution as worse."
        elif on_bad.mean is None or on_bad.mean > on_good.mean:
            why_not = "It prefers the bad example."
        trials.append(
            CriterionTrial(on_good.criterion, spread, on_good.mean, on_bad.mean, lowest, why_not)
        )
    return tuple(trials)
