"""Counts rows of labelled pull requests, and compares two runs over the same cases."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.bench.cases import Label
from bot.bench.measures import cohen_kappa, library
from bot.bench.patches import CaseRow
from bot.values import Conclusion

ALL = "all"


@dataclass(frozen=True, slots=True)
class KindCount:
    """How the cases of one kind and label came out; `asked` are those where a person must decide."""

    kind: str
    label: str
    cases: int
    success: int
    failure: int
    asked: int
    error: int


def count_kinds(rows: Sequence[CaseRow]) -> tuple[KindCount, ...]:
    """Count by kind and label, and in all, right ones first."""
    found = {(row.label, row.kind) for row in rows}
    counts = [
        _count(kind, label, [row for row in rows if (row.label, row.kind) == (label, kind)])
        for label, kind in sorted(found)
    ]
    totals = [_count(ALL, label, [row for row in rows if row.label is label]) for label in Label]
    return (*counts, *(total for total in totals if total.cases))


def _count(kind: str, label: Label, rows: Sequence[CaseRow]) -> KindCount:
    ended = [row.judged.conclusion for row in rows if row.judged]
    success = sum(row.would_merge for row in rows)
    failure = ended.count(Conclusion.FAILURE)
    asked = len(ended) - success - failure
    return KindCount(kind, label, len(rows), success, failure, asked, len(rows) - len(ended))


def median_seconds(rows: Iterable[CaseRow]) -> float | None:
    """What a judgement took at the median."""
    return statistics.median([row.judged.seconds for row in rows if row.judged] or [0.0]) or None


def median_cost(rows: Iterable[CaseRow]) -> float | None:
    """What models cost a case at the median, in US dollars; None where none has a price."""
    known = [row.judged.cost for row in rows if row.judged and row.judged.cost is not None]
    return statistics.median(known) if known else None


# --- statistics, by libraries that only this needs -------------------------------------------


def kappa(rows: Iterable[CaseRow]) -> float | None:
    """Return Cohen's kappa of "would be merged" with the labels; None where it is not defined.

    Needs the extra `bench`. Rows without a conclusion are left out.
    """
    ended = [row for row in rows if row.judged]
    labels = [row.label is Label.RIGHT for row in ended]
    if len(set(labels)) < len(Label):
        return None
    return cohen_kappa(labels, [row.would_merge for row in ended])


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the cases that both concluded, on the same inputs; pairs of before and after.

    `left_out` are ids that only one run has, or with other inputs, or without a conclusion.
    """

    pairs: tuple[tuple[CaseRow, CaseRow], ...]
    left_out: tuple[str, ...]

    @property
    def changed(self) -> tuple[tuple[CaseRow, CaseRow], ...]:
        """The pairs with different conclusions."""
        return tuple(
            (one, other)
            for one, other in self.pairs
            if one.judged and other.judged and one.judged.conclusion != other.judged.conclusion
        )

    @property
    def mended(self) -> int:
        """How many cases only the later run has right."""
        return sum(not is_right(one) and is_right(other) for one, other in self.pairs)

    @property
    def spoiled(self) -> int:
        """How many cases only the earlier run has right."""
        return sum(is_right(one) and not is_right(other) for one, other in self.pairs)


def is_right(row: CaseRow) -> bool:
    """Whether a right change would be merged, or a wrong one not."""
    return row.would_merge is (row.label is Label.RIGHT)


def compare(before: Iterable[CaseRow], after: Iterable[CaseRow]) -> Comparison:
    """Join two runs by case."""
    one, other = ({row.case: row for row in rows} for rows in (before, after))
    joined = ((case, one.get(case), other.get(case)) for case in dict.fromkeys((*one, *other)))
    pairs, left_out = [], []
    for case, first, second in joined:
        if first and second and first.judged and second.judged and first.inputs == second.inputs:
            pairs.append((first, second))
        else:
            left_out.append(case)
    return Comparison(tuple(pairs), tuple(left_out))


def mcnemar(mended: int, spoiled: int) -> float:
    """Return the p-value of McNemar's exact test: does one run have more right than the other?

    Needs the extra `bench`. It is the binomial test of the discordant pairs, of which so many are
    right in one run only, against a fair coin.
    """
    if not mended + spoiled:
        return 1.0
    test = library("scipy.stats").binomtest
    return float(test(mended, mended + spoiled, 0.5).pvalue)
