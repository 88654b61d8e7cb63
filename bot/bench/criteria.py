"""Checks criteria as AgentEval does: are their grades stable, and do they tell better from worse?

Grades are JSON lines, one grade each. A thing is a solution of a task; the same thing is graded several
times. `quality` says what is known of it, `of` names the thing that it is a spoiled copy of.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import Field, TypeAdapter

from bot.bench.measures import library
from bot.bench.rows import Rows
from bot.errors import UserError
from bot.values.grades import MOST_POINTS

LEAST_REPEATS = 2


class Quality(StrEnum):
    """What people know of a solution."""

    BETTER = "better"
    WORSE = "worse"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One grade: the `points`, 0 to 4, that one grading of a thing gave for one criterion."""

    criterion: str
    task: str
    thing: str
    grading: int
    points: Annotated[float, Field(ge=0, le=MOST_POINTS, allow_inf_nan=False)]
    quality: Quality = Quality.UNKNOWN
    of: str = ""


@dataclass(frozen=True, slots=True)
class Spread:
    """How much grades of the same thing vary, as means over the things that were graded twice or more.

    `deviation` is the standard deviation in points, `variation` the coefficient of variation, which a
    thing that gets nothing has not; None where there is no such thing. The deviations divide by n.
    """

    things: int
    deviation: float | None
    variation: float | None


@dataclass(frozen=True, slots=True)
class Discrimination:
    """How well mean grades tell better from worse; None where there is nothing to tell apart.

    `auc` is the chance that of a better and a worse thing of one task the better has the higher grade, a
    tie counting half. `p` is that of Mann-Whitney's test on all of them, one-sided. `copies` are things
    beside spoiled copies of themselves, `seen` the percent of them that are graded higher than the copy,
    `drop` the mean difference in points.
    """

    better: int
    worse: int
    auc: float | None
    p: float | None
    copies: int
    seen: float | None
    drop: float | None


@dataclass(frozen=True, slots=True)
class Checked:
    """What grades show of one criterion."""

    criterion: str
    grades: int
    spread: Spread
    discrimination: Discrimination


_Things = Mapping[tuple[str, str], Sequence[GradeRow]]


def check(rows: Iterable[GradeRow]) -> tuple[Checked, ...]:
    """Measure every criterion, by name. Needs the extra `bench`."""
    by_criterion: dict[str, dict[tuple[str, str], list[GradeRow]]] = {}
    for row in rows:
        things = by_criterion.setdefault(row.criterion, defaultdict(list))
        things[row.task, row.thing].append(row)
    found = []
    for name, things in sorted(by_criterion.items()):
        repeated = [_points(rows) for rows in things.values() if len(rows) >= LEAST_REPEATS]
        stats, numpy = library("scipy.stats"), library("numpy")
        deviations = [float(numpy.std(one)) for one in repeated]
        variations = [float(stats.variation(one)) for one in repeated if any(one)]
        spread = Spread(len(repeated), _mean(deviations), _mean(variations))
        grades = sum(map(len, things.values()))
        found.append(Checked(name, grades, spread, _discrimination(things)))
    return tuple(found)


def _discrimination(things: _Things) -> Discrimination:
    means = {key: fmean(_points(rows)) for key, rows in things.items()}
    known = {key: rows[0].quality for key, rows in things.items()}
    better, worse = (
        {key: means[key] for key, quality in known.items() if quality is wanted}
        for wanted in (Quality.BETTER, Quality.WORSE)
    )
    drops = [
        means[task, rows[0].of] - means[task, thing]
        for (task, thing), rows in things.items()
        if (task, rows[0].of) in means and rows[0].of != thing
    ]
    p = None
    if better and worse:
        test = library("scipy.stats").mannwhitneyu
        found = test(list(better.values()), list(worse.values()), alternative="greater")
        p = float(found.pvalue)
    # The area below the ROC curve of each task that has both; grades of two tasks do not compare.
    score = library("sklearn.metrics").roc_auc_score
    areas = []
    for task in dict.fromkeys(task for task, _ in better):
        high = [value for (name, _), value in better.items() if name == task]
        low = [value for (name, _), value in worse.items() if name == task]
        if low:
            areas.append(float(score([1] * len(high) + [0] * len(low), high + low)))
    return Discrimination(
        better=len(better),
        worse=len(worse),
        auc=_mean(areas),
        p=p,
        copies=len(drops),
        seen=100 * fmean(drop > 0 for drop in drops) if drops else None,
        drop=_mean(drops),
    )


@dataclass(frozen=True, slots=True)
class Order:
    """Two things of a task, of which the first is known to be the better, and one criterion."""

    criterion: str
    task: str
    better: str
    worse: str


def orders(rows: Iterable[GradeRow]) -> dict[Order, float]:
    """Return how many points the better of two things is graded above the other, on average.

    These are a better and a worse solution of one task, and a thing and a spoiled copy of it.
    """
    things: dict[tuple[str, str], dict[str, list[GradeRow]]] = {}
    for row in rows:
        of_task = things.setdefault((row.criterion, row.task), defaultdict(list))
        of_task[row.thing].append(row)
    found = {}
    for (criterion, task), of_task in things.items():
        means = {name: fmean(_points(own)) for name, own in of_task.items()}
        known = {name: own[0] for name, own in of_task.items()}
        pairs = [
            (own.of, name) for name, own in known.items() if own.of != name and own.of in means
        ]
        high, low = (
            [name for name, own in known.items() if own.quality is wanted]
            for wanted in (Quality.BETTER, Quality.WORSE)
        )
        for one, other in dict.fromkeys((*pairs, *product(high, low))):
            found[Order(criterion, task, one, other)] = means[one] - means[other]
    return found


def _points(rows: Iterable[GradeRow]) -> list[float]:
    return [row.points for row in rows]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


# --- rows on disk ----------------------------------------------------------------------------

GRADES = Rows(TypeAdapter(GradeRow), b'{"criterion":', "assay bench criteria")


def read_grades(place: Path) -> tuple[GradeRow, ...]:
    """Read the grades of a file, or of a folder's `*.jsonl`. Raises UserError for none, or one twice."""
    found: dict[tuple[str, str, str, int], GradeRow] = {}
    for file in (place,) if place.is_file() else sorted(place.glob("*.jsonl")):
        for row in GRADES.read(file):
            key = (row.criterion, row.task, row.thing, row.grading)
            if key in found:
                raise UserError(
                    f"{file}: grading {row.grading} of {row.thing} by {row.criterion} stands twice.",
                    "Number the gradings of one thing.",
                )
            found[key] = row
    if not found:
        raise UserError(
            f"{place} has no grades: there is no *.jsonl with any.",
            "Name a folder with graded files, or grade anew with --repeats.",
        )
    return tuple(found.values())
