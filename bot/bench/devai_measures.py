"""Measures DevAI's judgments: what systems met, and how well a judge agrees with the reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.bench.devai import DevAI
from bot.bench.measures import cohen_kappa, library, wilson
from bot.bench.rows import Rows

ALL_SYSTEMS = "all"


@dataclass(frozen=True, slots=True)
class SystemScore:
    """What one system did by one judge: counts, and of how many."""

    system: str
    judge: str
    requirements: int
    met: int
    met_with_prerequisites: int
    tasks: int
    solved: int
    ended_itself: int | None

    @property
    def percentages(self) -> tuple[float, float, float]:
        """Met (I), met with prerequisites (D) and tasks solved."""
        return (
            percent(self.met, self.requirements),
            percent(self.met_with_prerequisites, self.requirements),
            percent(self.solved, self.tasks),
        )


@dataclass(frozen=True, slots=True)
class ComparedVerdict:
    """A requirement that both the judge and the reference judged; a line of a run's file."""

    system: str
    task: str
    requirement: int
    judge: str
    satisfied: bool
    reference: bool

    @property
    def key(self) -> tuple[str, str, int]:
        """What is judged."""
        return self.system, self.task, self.requirement

    @property
    def agrees(self) -> bool:
        """Whether the judge says what the reference says."""
        return self.satisfied is self.reference


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a judge agrees with the reference on one system, or all; by counting."""

    system: str
    judge: str
    both_met: int
    only_judge: int
    only_reference: int
    both_unmet: int

    @property
    def pairs(self) -> int:
        """How many requirements both judged."""
        return self.both_met + self.only_judge + self.only_reference + self.both_unmet

    @property
    def alignment(self) -> float:
        """How many of a hundred verdicts are the same."""
        return percent(self.both_met + self.both_unmet, self.pairs)


@dataclass(frozen=True, slots=True)
class Statistics:
    """What libraries say of the same pairs; None where a measure is not defined."""

    interval: tuple[float, float]
    kappa: float | None
    alpha: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    average_precision: float | None


def percent(part: int, whole: int) -> float:
    """Return a share in percent; not a number where there is nothing."""
    return 100 * part / whole if whole else math.nan


def scores(data: DevAI) -> tuple[SystemScore, ...]:
    """Count what every system met, by every judge."""
    found = []
    for judged in data.judged:
        tasks = judged.tasks.values()
        ended = [task.ended_itself for task in tasks if task.ended_itself is not None]
        score = SystemScore(
            system=judged.system,
            judge=judged.judge,
            requirements=sum(len(task.verdicts) for task in tasks),
            met=sum(sum(task.verdicts.values()) for task in tasks),
            met_with_prerequisites=sum(task.met_with_prerequisites for task in tasks),
            tasks=len(tasks),
            solved=sum(task.is_solved for task in tasks),
            ended_itself=sum(ended) if ended else None,
        )
        found.append(score)
    return tuple(found)


def verdicts(data: DevAI, reference: str) -> dict[str, tuple[ComparedVerdict, ...]]:
    """Return the pairs of every judge but the reference, over all systems."""
    found: dict[str, list[ComparedVerdict]] = {}
    for judged in data.judged:
        truth = data.of(judged.system, reference)
        if judged.judge != reference and truth:
            pairs = found.setdefault(judged.judge, [])
            for name, task in judged.tasks.items():
                known = truth.tasks[name].verdicts if name in truth.tasks else {}
                pairs += [
                    ComparedVerdict(judged.system, name, number, judged.judge, said, known[number])
                    for number, said in task.verdicts.items()
                    if number in known
                ]
    return {judge: tuple(pairs) for judge, pairs in found.items() if pairs}


def by_system(pairs: Sequence[ComparedVerdict]) -> dict[str, tuple[ComparedVerdict, ...]]:
    """Return the pairs of each system, and of all where there are several."""
    systems = dict.fromkeys(pair.system for pair in pairs)
    found = {name: tuple(pair for pair in pairs if pair.system == name) for name in systems}
    return {**found, ALL_SYSTEMS: tuple(pairs)} if len(found) > 1 else found


def agreement(system: str, pairs: Sequence[ComparedVerdict]) -> Agreement:
    """Count how a judge and the reference agree."""
    counts = [(pair.satisfied, pair.reference) for pair in pairs]
    return Agreement(
        system=system,
        judge=pairs[0].judge,
        both_met=counts.count((True, True)),
        only_judge=counts.count((True, False)),
        only_reference=counts.count((False, True)),
        both_unmet=counts.count((False, False)),
    )


def statistics_of(pairs: Sequence[ComparedVerdict]) -> Statistics:
    """Ask the libraries of the extra `bench`."""
    truth = [int(pair.reference) for pair in pairs]
    said = [int(pair.satisfied) for pair in pairs]
    metrics = library("sklearn.metrics")
    interval = wilson(sum(pair.agrees for pair in pairs), len(pairs))
    kappa = cohen_kappa([pair.reference for pair in pairs], [pair.satisfied for pair in pairs])
    varies = len({*truth, *said}) > 1  # else nothing but chance is left
    alpha: Callable[..., float] = library("krippendorff").alpha
    undefined = {"zero_division": math.nan}
    return Statistics(
        interval=(100 * interval.low, 100 * interval.high),
        kappa=kappa,
        alpha=_known(alpha([truth, said], level_of_measurement="nominal")) if varies else None,
        precision=_known(metrics.precision_score(truth, said, **undefined)),
        recall=_known(metrics.recall_score(truth, said, **undefined)),
        f1=_known(metrics.f1_score(truth, said, **undefined)),
        average_precision=_known(metrics.average_precision_score(truth, said))
        if any(truth)
        else None,
    )


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def curve(pairs: Sequence[ComparedVerdict]) -> tuple[tuple[float, float], ...]:
    """Return (recall, precision) along the precision-recall curve, by falling recall.

    Judgments say yes or no, so between both ends the curve has the judge's own point only.
    """
    truth = [int(pair.reference) for pair in pairs]
    if not any(truth):
        return ()
    said = [int(pair.satisfied) for pair in pairs]
    precision, recall, _ = library("sklearn.metrics").precision_recall_curve(truth, said)
    return tuple(zip(map(float, recall), map(float, precision), strict=True))


# --- runs on disk ----------------------------------------------------------------------------

VERDICTS = Rows(TypeAdapter(ComparedVerdict), b'{"system":', "assay bench devai", "verdict")
