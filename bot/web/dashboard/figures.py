"""The figures of one repository, from its newest evaluations."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.store import JudgedEvaluation, utc_day
from bot.values import Conclusion

DAY_S = 86_400
DAYS = 30


@dataclass(frozen=True, slots=True)
class Share:
    """How many of all passed."""

    passed: int
    total: int

    @property
    def percent(self) -> int | None:
        """Rounded; None of nothing."""
        return round(100 * self.passed / self.total) if self.total else None


@dataclass(frozen=True, slots=True)
class Spend:
    """What models cost: US dollars where a price is known, in `priced` evaluations."""

    usd: float
    priced: int


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """The evaluations of one agent's changes; an empty name is people's and unknown agents'."""

    name: str
    passes: Share
    requirements: Share
    spend: Spend


@dataclass(frozen=True, slots=True)
class Day:
    """One day's verdicts (UTC)."""

    date: str
    passed: int
    stopped: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.passed + self.stopped


@dataclass(frozen=True, slots=True)
class Figures:
    """Of the evaluations that came to a conclusion. `pull_requests` are by the newest one of each."""

    passes: Share
    pull_requests: Share
    conclusions: tuple[tuple[str, int], ...]
    agents: tuple[AgentFigures, ...]
    spend: Spend
    days: tuple[Day, ...]

    @property
    def busiest(self) -> int:
        """The most verdicts of a day, 1 at least."""
        return max((day.total for day in self.days), default=0) or 1


def figures(judged: Sequence[JudgedEvaluation], now_s: float | None = None) -> Figures:
    """Count; `judged` are newest first, `now_s` (Unix time) ends the last of DAYS days."""
    newest: dict[int, JudgedEvaluation] = {}
    by_agent: dict[str, list[JudgedEvaluation]] = {}
    counted: Counter[tuple[int, bool]] = Counter()
    for row in judged:
        by_agent.setdefault(row.facts.agent, []).append(row)
        if row.number:
            newest.setdefault(row.number, row)
        counted[int(row.created_s // DAY_S), _is_passed(row)] += 1
    agents = (
        AgentFigures(
            name,
            _passes(rows),
            Share(sum(row.facts.met for row in rows), sum(row.facts.total for row in rows)),
            _spend(rows),
        )
        for name, rows in by_agent.items()
    )
    today = int((time.time() if now_s is None else now_s) // DAY_S)
    return Figures(
        passes=_passes(judged),
        pull_requests=_passes(newest.values()),
        conclusions=tuple(Counter(row.conclusion for row in judged).most_common()),
        agents=tuple(sorted(agents, key=lambda one: (-one.passes.total, one.name))),
        spend=_spend(judged),
        days=tuple(
            Day(utc_day(day * DAY_S), counted[day, True], counted[day, False])
            for day in range(today - DAYS + 1, today + 1)
        ),
    )


def _passes(rows: Iterable[JudgedEvaluation]) -> Share:
    found = list(rows)
    return Share(sum(map(_is_passed, found)), len(found))


def _is_passed(row: JudgedEvaluation) -> bool:
    return row.conclusion == Conclusion.SUCCESS


def _spend(rows: Sequence[JudgedEvaluation]) -> Spend:
    known = [row.facts.usd for row in rows if row.facts.usd is not None]
    return Spend(sum(known), len(known))
