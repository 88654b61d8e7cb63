"""Several patches for one task in one order, by their reports; what nothing tells apart is a tie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.report.machine import ReportDocument
from bot.values import Conclusion, VerdictOutcome

_BEST_FIRST = (
    Conclusion.SUCCESS,
    Conclusion.NEUTRAL,
    Conclusion.ACTION_REQUIRED,
    Conclusion.TIMED_OUT,
    Conclusion.FAILURE,
    Conclusion.CANCELLED,
)


class NotComparable(ValueError):
    """The reports do not answer the same question; the message says why."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """One patch by a name that its reader knows, and its report."""

    name: str
    report: ReportDocument


@dataclass(frozen=True, slots=True)
class Rank:
    """One place. Tied patches share a `place`, and the next place counts all of them (1, 1, 3).

    `reason` says what sets it apart from the place before, or that nothing does; `unmet` are ids.
    """

    place: int
    is_tied: bool
    name: str
    conclusion: Conclusion
    met: int
    total: int
    unmet: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class _Score:
    """What the order goes by, the most important first; less is better."""

    conclusion: int
    unmet: int
    refuted: int
    plan: float

    def reason_behind(self, better: _Score) -> str:
        if self.conclusion != better.conclusion:
            ours, theirs = (_BEST_FIRST[one.conclusion].value for one in (self, better))
            return f"Its conclusion is {ours}, that of the one before is {theirs}."
        if self.unmet != better.unmet:
            return f"It meets {_count(self.unmet - better.unmet)} fewer than the one before."
        if self.refuted != better.refuted:
            more = _count(self.refuted - better.refuted)
            return f"It fails {more} that could not be decided for the one before."
        return f"It reaches {-self.plan:.0%} of the test plan, the one before {-better.plan:.0%}."


def _count(number: int) -> str:
    return f"{number} requirement{'s' if number != 1 else ''}"


def ranking(contestants: Sequence[Contestant]) -> tuple[Rank, ...]:
    """Return the patches, the best first. Raises NotComparable.

    They are compared by conclusion, then by how many requirements are met, then by how many are refuted,
    then by the test plan's score. Neither time, size nor names break a tie.
    """
    for one in contestants:
        if not one.report.judged:
            raise NotComparable(f"{one.name} has no verdict. {one.report.problem}".rstrip())
    questions = {
        (one.report.subject.base_sha, tuple((row.id, row.text) for row in one.report.requirements))
        for one in contestants
    }
    if len({base for base, _ in questions}) > 1:
        raise NotComparable("They start from different commits.")
    if len(questions) > 1:
        raise NotComparable("They were judged by different requirements.")

    ordered = sorted(contestants, key=lambda one: (_score(one), one.name))
    scores = [_score(one) for one in ordered]
    ranks = []
    for one, score in zip(ordered, scores, strict=True):
        first, is_tied = scores.index(score), scores.count(score) > 1
        reasons = [score.reason_behind(scores[first - 1])] if first else []
        if is_tied:
            reasons.append("Nothing that was judged sets it apart from the others in this place.")
        rows = one.report.requirements
        rank = Rank(
            place=first + 1,
            is_tied=is_tied,
            name=one.name,
            conclusion=one.report.conclusion,
            met=len(rows) - score.unmet,
            total=len(rows),
            unmet=tuple(row.id for row in rows if row.verdict is not VerdictOutcome.SATISFIED),
            reason=" ".join(reasons),
        )
        ranks.append(rank)
    return tuple(ranks)


def _score(one: Contestant) -> _Score:
    verdicts = [row.verdict for row in one.report.requirements]
    return _Score(
        conclusion=_BEST_FIRST.index(one.report.conclusion),
        unmet=sum(verdict is not VerdictOutcome.SATISFIED for verdict in verdicts),
        refuted=sum(verdict is VerdictOutcome.UNSATISFIED for verdict in verdicts),
        plan=-(one.report.plan.score if one.report.plan else 0.0),
    )
