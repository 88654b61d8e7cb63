"""How often verdicts agree with what people said of them, by counting labels; pure but for the libraries.

A label counts as a pair where Assay said of a requirement that it is met or not, and the person did,
too. What Assay left to people is counted beside, and measured by nothing: it said neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.bench.measures import (
    Interval,
    cohen_kappa,
    has_statistics,
    kappa_interval,
    wilson,
)
from bot.values import LabelKind, VerdictLabel
from bot.values.talk import RULE

FEWEST = 10
"""Of fewer pairs nothing is said but their number: an interval of 9 is wider than half of all."""


@dataclass(frozen=True, slots=True)
class AgreedShare:
    """So many of so many; the interval is None where they are too few, or the libraries are not there."""

    part: int
    whole: int
    interval: Interval | None = None

    @property
    def is_told(self) -> bool:
        """Whether there are enough to say something."""
        return self.whole >= FEWEST

    @property
    def percent(self) -> float:
        """The share of a hundred; 0 of nothing."""
        return 100 * self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with its interval; None where it is not defined or the pairs are too few."""

    value: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What people said of the verdicts of one group. `left_open` are labels of what was unverified.

    Precision and recall are of "satisfied": of what Assay said is met, and of what people said is met.
    """

    name: str
    labels: int
    left_open: int
    agreement: AgreedShare
    kappa: Kappa
    precision: AgreedShare
    recall: AgreedShare


@dataclass(frozen=True, slots=True)
class Counted:
    """What people did to a whole change or a rule of the gate, and how often Assay had said what."""

    kind: LabelKind
    of_rule: bool
    verdict: str
    count: int


Key = Callable[[VerdictLabel], str]


def month_of(label: VerdictLabel) -> str:
    """Return the month in which a label was given, in UTC: 2026-11."""
    return datetime.fromtimestamp(label.given_s, UTC).strftime("%Y-%m")


def of_requirements(labels: Iterable[VerdictLabel]) -> tuple[VerdictLabel, ...]:
    """Return the labels of requirements' verdicts.

    People merge, revert, override and accept, but nothing they do says that a rule of the gate or a
    conclusion was right. A measure of these would only count what went wrong.
    """
    return tuple(one for one in labels if one.subject and one.category != RULE)


def counted(labels: Iterable[VerdictLabel]) -> tuple[Counted, ...]:
    """Count the other labels, the most frequent first."""
    found = Counter(
        (one.kind, one.category == RULE, one.verdict)
        for one in labels
        if not one.subject or one.category == RULE
    )
    return tuple(Counted(*about, count) for about, count in found.most_common())


def grouped(labels: Sequence[VerdictLabel], key: Key) -> tuple[Measured, ...]:
    """Measure each group, by name; labels with an empty key are in none."""
    names = sorted({name for one in labels if (name := key(one))})
    return tuple(measured(name, [one for one in labels if key(one) == name]) for name in names)


def measured(name: str, labels: Sequence[VerdictLabel]) -> Measured:
    """Measure the labels of one group."""
    pairs = [
        (one.is_met, one.was_met)
        for one in labels
        if one.is_met is not None and one.was_met is not None
    ]
    truth, said = [is_met for is_met, _ in pairs], [was_met for _, was_met in pairs]
    kappa = Kappa()
    varies = len(set(truth)) > 1 and len(set(said)) > 1  # else it is 0 whatever the agreement is
    if varies and len(truth) >= FEWEST and has_statistics():
        kappa = Kappa(cohen_kappa(truth, said), kappa_interval(truth, said))
    both = sum(is_met and was_met for is_met, was_met in pairs)
    return Measured(
        name=name,
        labels=len(labels),
        left_open=sum(one.was_met is None for one in labels),
        agreement=_share(sum(is_met is was_met for is_met, was_met in pairs), len(pairs)),
        kappa=kappa,
        precision=_share(both, sum(said)),
        recall=_share(both, sum(truth)),
    )


def _share(part: int, whole: int) -> AgreedShare:
    is_measured = whole >= FEWEST and has_statistics()
    return AgreedShare(part, whole, wilson(part, whole) if is_measured else None)
