"""Lists of evaluations for people: only of repositories that they can read, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, delete, func, select, tuple_

from bot.store.base import EvaluationFacts, EvaluationRecord, EvaluationState
from bot.store.database import Database, value_of
from bot.store.tables import EVALUATIONS, FACTS, FLAKY_TESTS, utc_day
from bot.text import scrub
from bot.values import ReadableRepository

MOST_FLAKY = 100
"""Tests of one evaluation that are kept."""
_PLACE = func.lower(EVALUATIONS.c.repository)
COLUMNS = [EVALUATIONS.c[field.name] for field in fields(EvaluationRecord)]
OPEN = (EvaluationState.QUEUED.value, EvaluationState.RUNNING.value)

Readable = Sequence[ReadableRepository] | None
"""What somebody may see; None is everything, for the operator."""


@dataclass(frozen=True, slots=True)
class EvaluationFilter:
    """Which evaluations are meant; what is empty does not narrow it. `conclusion` may be a state, too."""

    repository: str = ""
    number: int = 0
    conclusion: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True)
class ListedEvaluation:
    """One row of a list."""

    record: EvaluationRecord
    facts: EvaluationFacts


@dataclass(frozen=True, slots=True)
class JudgedEvaluation:
    """What is counted of an evaluation that came to a conclusion; it began at `created_s` (Unix time)."""

    number: int
    conclusion: str
    created_s: float
    facts: EvaluationFacts


@dataclass(frozen=True, slots=True)
class FlakyTest:
    """A test that was flaky in `times` evaluations, last at `last_s` (Unix time)."""

    id: str
    times: int
    last_s: float

    @property
    def last_day(self) -> str:
        """The day of it (UTC)."""
        return utc_day(self.last_s)


class ListingRecords(Database):
    """The part of the records that people look through. Every query is bounded."""

    def readable_here(self, readable: Readable) -> tuple[ReadableRepository, ...]:
        """List the repositories that have evaluations and that somebody may see, by name.

        GitHub's spelling of a name counts where it is known.
        """
        kinds = (EVALUATIONS.c.installation, _PLACE)
        rows = self._rows(select(*kinds, func.max(EVALUATIONS.c.repository)).group_by(*kinds))
        spelled = {} if readable is None else {_key(one): one for one in readable}
        found = (ReadableRepository(installation, name) for installation, _, name in rows)
        seen = (
            spelled.get(_key(one), one) for one in found if readable is None or _key(one) in spelled
        )
        return tuple(sorted(seen, key=lambda one: (one.name.lower(), one.installation)))

    def listed(
        self, wanted: EvaluationFilter, readable: Readable, limit: int, offset: int = 0
    ) -> tuple[ListedEvaluation, ...]:
        """List evaluations, newest first.

        The page is found in the index alone; then its rows are read, which can be large.
        """
        newest = EVALUATIONS.c.created_s.desc(), EVALUATIONS.c.id
        found = select(EVALUATIONS.c.id).where(*_where(wanted, self._visible(readable)))
        if wanted.agent:
            found = found.join(FACTS, EVALUATIONS.c.id == FACTS.c.evaluation)
        page = found.order_by(*newest).limit(limit).offset(offset).subquery()
        asked = _listed().where(EVALUATIONS.c.id.in_(select(page.c.id))).order_by(*newest)
        return tuple(map(_row, self._rows(asked)))

    def judged(
        self, places: Sequence[ReadableRepository], limit: int
    ) -> tuple[JudgedEvaluation, ...]:
        """List what is counted of a repository's evaluations that are done, newest first."""
        done = EvaluationFilter(conclusion=EvaluationState.DONE)
        counted = (EVALUATIONS.c.number, EVALUATIONS.c.conclusion, EVALUATIONS.c.created_s)
        asked = _with_facts(*counted).where(*_where(done, tuple(places)))
        rows = self._rows(asked.order_by(EVALUATIONS.c.created_s.desc()).limit(limit))
        return tuple(value_of(JudgedEvaluation, row, facts=_facts(row)) for row in rows)

    def unfinished(self, limit: int) -> tuple[ListedEvaluation, ...]:
        """List what waits or runs in all repositories, oldest first."""
        asked = _listed().where(EVALUATIONS.c.state.in_(OPEN)).order_by(EVALUATIONS.c.created_s)
        return tuple(map(_row, self._rows(asked.limit(limit))))

    def agents(self, readable: Readable, limit: int = 100) -> tuple[str, ...]:
        """List the agents whose changes were judged, by name."""
        asked = (
            select(FACTS.c.agent)
            .join(EVALUATIONS, EVALUATIONS.c.id == FACTS.c.evaluation)
            .where(FACTS.c.agent != "", *_where(EvaluationFilter(), self._visible(readable)))
            .distinct()
            .order_by(FACTS.c.agent)
        )
        return tuple(self._column(asked.limit(limit)))

    def flaky_tests(self, one: ReadableRepository, limit: int) -> tuple[FlakyTest, ...]:
        """List a repository's flaky tests, the most frequent first."""
        times = func.count().label("times")
        asked = (
            select(FLAKY_TESTS.c.test, times, func.max(EVALUATIONS.c.created_s))
            .join(EVALUATIONS, EVALUATIONS.c.id == FLAKY_TESTS.c.evaluation)
            .where(*_where(EvaluationFilter(), (one,)))
            .group_by(FLAKY_TESTS.c.test)
            .order_by(times.desc(), FLAKY_TESTS.c.test)
        )
        return tuple(FlakyTest(*row) for row in self._rows(asked.limit(limit)))

    def _visible(self, readable: Readable) -> tuple[ReadableRepository, ...] | None:
        """Of hundreds that a person can read at GitHub, those that are known here."""
        return None if readable is None else self.readable_here(readable)

    def _keep_facts(
        self, connection: Connection, evaluation_id: str, facts: EvaluationFacts
    ) -> None:
        values = {
            "agent": scrub(facts.agent)[:100],
            "met": facts.met,
            "total": facts.total,
            "usd": facts.usd,
        }
        connection.execute(self._put(FACTS, {"evaluation": evaluation_id}, values))
        for test in dict.fromkeys(scrub(one)[:300] for one in facts.flaky[:MOST_FLAKY]):
            flaky = {"evaluation": evaluation_id, "test": test}
            connection.execute(self._new(FLAKY_TESTS, flaky))

    def _forget_facts(self, connection: Connection, old: ColumnElement[bool]) -> None:
        gone = select(EVALUATIONS.c.id).where(old)
        connection.execute(delete(FACTS).where(FACTS.c.evaluation.in_(gone)))
        connection.execute(delete(FLAKY_TESTS).where(FLAKY_TESTS.c.evaluation.in_(gone)))


def _key(one: ReadableRepository) -> tuple[int, str]:
    return one.installation, one.name.lower()


def _listed() -> Select[Any]:
    return _with_facts(*COLUMNS)


def _with_facts(*columns: ColumnElement[Any]) -> Select[Any]:
    facts = (FACTS.c.agent, FACTS.c.met, FACTS.c.total, FACTS.c.usd)
    same = EVALUATIONS.c.id == FACTS.c.evaluation
    return select(*columns, *facts).select_from(EVALUATIONS.outerjoin(FACTS, same))


def _where(
    wanted: EvaluationFilter, visible: tuple[ReadableRepository, ...] | None
) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if visible is not None:
        # The names alone use the index; with the installations it is exact.
        pairs = [_key(one) for one in visible]
        conditions.append(_PLACE.in_([name for _, name in pairs]))
        conditions.append(tuple_(EVALUATIONS.c.installation, _PLACE).in_(pairs))
    if wanted.repository:
        conditions.append(_PLACE.in_([wanted.repository.lower()]))
    if wanted.number:
        conditions.append(EVALUATIONS.c.number == wanted.number)
    if wanted.agent:
        conditions.append(FACTS.c.agent == wanted.agent)
    if wanted.conclusion in set(EvaluationState):
        conditions.append(EVALUATIONS.c.state == wanted.conclusion)
    elif wanted.conclusion:
        conditions.append(EVALUATIONS.c.conclusion == wanted.conclusion)
    return conditions


def record_of(row: Row[Any]) -> EvaluationRecord:
    """Return the evaluation of a row with COLUMNS."""
    return value_of(EvaluationRecord, row, state=EvaluationState(row.state))


def _row(row: Row[Any]) -> ListedEvaluation:
    return ListedEvaluation(record_of(row), _facts(row))


def _facts(row: Row[Any]) -> EvaluationFacts:
    """Nothing where an evaluation has none yet."""
    return EvaluationFacts(row.agent or "", row.met or 0, row.total or 0, row.usd)
