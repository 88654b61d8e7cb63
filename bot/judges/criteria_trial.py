"""The Verifier's rule (AgentEval): which criteria are stable, and see a damaged solution as worse. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, pstdev

from bot.values import Criterion, Grade, Grading

MOST_VARIATION = 0.5
"""AgentEval 6.2: the mean coefficient of variation of its quantifier stays below it."""
LEAST_DROP = 0.25
"""Points by which a damaged solution must be worse, so that noise is no sight."""
LEAST_REPEATS = 2


@dataclass(frozen=True, slots=True)
class Trial:
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


def try_criteria(good: Grading, bad: Grading, damaged: tuple[Grading, ...]) -> tuple[Trial, ...]:
    """Judge every criterion by how it graded the good, the bad and the damaged solutions."""
    return tuple(
        _trial(one, bad.grades[number], [grading.grades[number] for grading in damaged])
        for number, one in enumerate(good.grades)
    )


def _trial(good: Grade, bad: Grade, damaged: list[Grade]) -> Trial:
    means = [one.mean for one in damaged if one.mean is not None]
    lowest = min(means, default=None)
    spread = variation(good.points)
    why_not = _why_not(good, bad, lowest, spread)
    return Trial(good.criterion, spread, good.mean, bad.mean, lowest, why_not)


def _why_not(good: Grade, bad: Grade, lowest: float | None, spread: float | None) -> str:
    if len(good.points) < LEAST_REPEATS:
        return "It was graded less than twice."
    if good.mean is None or spread is None:
        return "It gives the good example nothing."
    if spread > MOST_VARIATION:
        return f"It is not stable: its coefficient of variation is {spread:.2f}."
    if lowest is None or good.mean - lowest < LEAST_DROP:
        return "It does not see a damaged solution as worse."
    if bad.mean is None or bad.mean > good.mean:
        return "It prefers the bad example."
    return ""
