"""The records in SQL: SQLite inside `home`, or Postgres."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any, Self

from pydantic import TypeAdapter
from sqlalchemy import Select, delete, func, select, update

from bot.settings import Settings
from bot.store.base import (
    Ended,
    EvaluationFacts,
    EvaluationRecord,
    EvaluationState,
    StageTime,
    Totals,
)
from bot.store.database import value_of
from bot.store.listing import COLUMNS, OPEN, ListingRecords, record_of
from bot.store.record_parts import RecordParts
from bot.store.tables import BASE_RESULTS, DECISIONS, EVALUATIONS, REPLIES, STAGE_TIMES, now_s
from bot.store.tokens import SessionRecords, TokenRecords
from bot.text import scrub
from bot.values import Conclusion, EvaluationRequest

_FINAL = tuple(state.value for state in EvaluationState if state.is_final)
_REQUEST = TypeAdapter(EvaluationRequest)
_APPROVED = "approved"  # the one decision about a head that there is


class Store(RecordParts, TokenRecords, SessionRecords, ListingRecords):
    """The records of all evaluations. Create it after fork, one for each process.

    Every method raises `Transient` when the database cannot be reached, may be called from any thread,
    and twice: a repetition changes nothing.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def check(self) -> None:
        """Return when the database answers and has its tables."""
        self._value(select(EVALUATIONS.c.id).limit(1))

    # --- evaluations ---

    def queued(self, request: EvaluationRequest, claim: str = "") -> bool:
        """Remember a new evaluation; asked again for the same id, nothing changes.

        At most one open evaluation holds a `claim`: false when another one does.
        """
        now = now_s()
        row = {
            "id": request.id,
            "repository": scrub(request.repository),
            "number": request.number,
            "head_sha": scrub(request.head_sha),
            "installation": request.installation,
            "trigger": request.trigger.value,
            "actor": scrub(request.actor),
            "state": EvaluationState.QUEUED.value,
            "request": json.dumps(_REQUEST.dump_python(request, mode="json")),
            "claim": scrub(claim) or None,
            "created_s": now,
            "updated_s": now,
        }
        with self._begin() as connection:
            connection.execute(self._new(EVALUATIONS, row))
            if request.agent:
                self._keep_facts(connection, request.id, EvaluationFacts(request.agent))
            known = select(EVALUATIONS.c.id).where(EVALUATIONS.c.id == request.id)
            return connection.execute(known).scalar() is not None

    def evaluation(self, evaluation_id: str) -> EvaluationRecord | None:
        """Find one evaluation."""
        return next(iter(self._find(_all().where(EVALUATIONS.c.id == evaluation_id))), None)

    def request(self, evaluation_id: str) -> EvaluationRequest | None:
        """Find what an evaluation was asked for, to ask for it again."""
        wanted = select(EVALUATIONS.c.request).where(EVALUATIONS.c.id == evaluation_id)
        stored = self._value(wanted)
        return _REQUEST.validate_python(json.loads(stored)) if stored else None

    def of_head(self, repository: str, head_sha: str) -> tuple[EvaluationRecord, ...]:
        """List the evaluations of a commit, for whatever it was judged, newest first."""
        this = _all().where(
            EVALUATIONS.c.repository == repository, EVALUATIONS.c.head_sha == head_sha
        )
        return self._find(this.order_by(EVALUATIONS.c.created_s.desc()))

    def latest(self, repository: str, number: int) -> EvaluationRecord | None:
        """Find the newest evaluation of a pull request."""
        newest = _of(repository, number).order_by(EVALUATIONS.c.created_s.desc()).limit(1)
        return next(iter(self._find(newest)), None)

    def history(self, repository: str, number: int) -> tuple[EvaluationRecord, ...]:
        """List the newest reports of a pull request, newest first; what was cancelled has none."""
        told = _of(repository, number).where(
            EVALUATIONS.c.state == EvaluationState.DONE.value, EVALUATIONS.c.report_key != ""
        )
        return self._find(told.order_by(EVALUATIONS.c.created_s.desc()).limit(10))

    def of_commit(self, repository: str, number: int, sha: str) -> tuple[EvaluationRecord, ...]:
        """List the evaluations of a pull request's commit, newest first."""
        of_head = _of(repository, number).where(EVALUATIONS.c.head_sha == sha)
        return self._find(of_head.order_by(EVALUATIONS.c.created_s.desc()))

    def open_evaluations(self, repository: str, number: int) -> tuple[EvaluationRecord, ...]:
        """List what is queued or running for a pull request, oldest first."""
        still_open = _of(repository, number).where(EVALUATIONS.c.state.in_(OPEN))
        return self._find(still_open.order_by(EVALUATIONS.c.created_s))

    def unfinished_check_runs(self) -> tuple[EvaluationRecord, ...]:
        """List final evaluations whose check run is still open on GitHub, oldest first."""
        dangling = _all().where(
            EVALUATIONS.c.state.in_(_FINAL),
            EVALUATIONS.c.check_run > 0,
            EVALUATIONS.c.check_run_finished.is_(False),
        )
        return self._find(dangling.order_by(EVALUATIONS.c.created_s).limit(100))

    def recent(self, limit: int = 50) -> tuple[EvaluationRecord, ...]:
        """List the newest evaluations, newest first."""
        return self._find(_all().order_by(EVALUATIONS.c.created_s.desc()).limit(limit))

    def started(self, evaluation_id: str, stage: str) -> None:
        """A stage begins; the problem of an earlier wait is forgotten."""
        running = EvaluationState.RUNNING.value
        self._change_open(evaluation_id, state=running, stage=stage, problem="")

    def waiting(self, evaluation_id: str, stage: str, why: str) -> None:
        """A stage waits for the outside and will be tried again."""
        self._change_open(evaluation_id, stage=stage, problem=why)

    def finished(self, evaluation_id: str, stage: str, seconds: float) -> None:
        """Count a stage's time."""
        first = self._insert(STAGE_TIMES).values(stage=stage, runs=1, seconds=seconds)
        again = first.on_conflict_do_update(
            index_elements=[STAGE_TIMES.c.stage],
            set_={
                "runs": STAGE_TIMES.c.runs + 1,
                "seconds": STAGE_TIMES.c.seconds + first.excluded.seconds,
            },
        )
        self._do(again)

    def ended(self, evaluation_id: str, how: Ended) -> bool:
        """Remember the end; false when it had ended before (then nothing changes)."""
        known = {name: value for name, value in asdict(replace(how, facts=None)).items() if value}
        is_new = self._change_open(evaluation_id, claim=None, **known)
        if is_new and how.facts:
            with self._begin() as connection:
                self._keep_facts(connection, evaluation_id, how.facts)
        return is_new

    def concluded_again(self, evaluation_id: str, conclusion: Conclusion, title: str) -> None:
        """Remember what a person's decision made of an evaluation that was done."""
        done = EVALUATIONS.c.state == EvaluationState.DONE.value
        self._do(
            update(EVALUATIONS)
            .where(EVALUATIONS.c.id == evaluation_id, done)
            .values(conclusion=conclusion.value, title=scrub(title))
        )

    def check_run(self, evaluation_id: str, check_run: int, finished: bool) -> None:
        """Remember the check run that shows this evaluation, and whether it is completed."""
        self._do(
            update(EVALUATIONS)
            .where(EVALUATIONS.c.id == evaluation_id)
            .values(check_run=check_run, check_run_finished=finished)
        )

    # --- what is kept for the next pull request, and what people decided ---

    def base_result(self, key: str) -> str | None:
        """Find a kept result of base (JSON)."""
        this = BASE_RESULTS.c.key == key
        with self._begin() as connection:
            value = connection.execute(select(BASE_RESULTS.c.value).where(this)).scalar()
            if value is not None:
                connection.execute(update(BASE_RESULTS).where(this).values(used_s=now_s()))
        return value

    def keep_base_result(self, key: str, value: str) -> None:
        """Keep a result of base for the next pull request."""
        self._do(self._put(BASE_RESULTS, {"key": key}, {"value": value, "used_s": now_s()}))

    def approve_head(self, repository: str, head: tuple[int, str], actor: str) -> None:
        """Remember that a maintainer lets `head` run, a stranger's pull request's (number, sha)."""
        row = {
            "decision": _APPROVED,
            "repository": repository,
            "number": head[0],
            "sha": head[1],
            "actor": actor,
            "decided_s": now_s(),
        }
        self._do(self._new(DECISIONS, row))

    def is_approved(self, repository: str, head: tuple[int, str]) -> bool:
        """Tell whether a maintainer let it run."""
        found = select(DECISIONS.c.actor).where(
            DECISIONS.c.decision == _APPROVED,
            DECISIONS.c.repository == repository,
            DECISIONS.c.number == head[0],
            DECISIONS.c.sha == head[1],
        )
        return self._value(found) is not None

    # --- upkeep ---

    def totals(self) -> Totals:
        """Count, for the metrics page."""
        kinds = (EVALUATIONS.c.state, EVALUATIONS.c.conclusion)
        counted = self._rows(select(*kinds, func.count()).group_by(*kinds))
        stages = self._rows(select(STAGE_TIMES).order_by(STAGE_TIMES.c.stage))
        return Totals(
            evaluations=tuple((state, conclusion, number) for state, conclusion, number in counted),
            stages=tuple(value_of(StageTime, row) for row in stages),
            models=self.usage_totals(),
            hosts=self.hosts(),
        )

    def prune(self, older_than_s: float) -> tuple[str, ...]:
        """Delete final records and kept results last touched before a time; return their report keys."""
        old = (EVALUATIONS.c.state.in_(_FINAL)) & (EVALUATIONS.c.updated_s < older_than_s)
        with self._begin() as connection:
            keys = connection.execute(select(EVALUATIONS.c.report_key).where(old)).scalars().all()
            self._forget_facts(connection, old)
            connection.execute(delete(EVALUATIONS).where(old))
            connection.execute(delete(BASE_RESULTS).where(BASE_RESULTS.c.used_s < older_than_s))
            connection.execute(delete(REPLIES).where(REPLIES.c.kept_s < older_than_s))
        return tuple(sorted({key for key in keys if key}))

    # --- inside ---

    def _change_open(self, evaluation_id: str, **values: object) -> bool:
        """Change an evaluation that has not ended: an end is never taken back.

        Texts are scrubbed: no database stores half of a surrogate pair, and Postgres no NUL.
        """
        told = {name: scrub(v) if type(v) is str else v for name, v in values.items()}
        changed = self._do(
            update(EVALUATIONS)
            .where(EVALUATIONS.c.id == evaluation_id, EVALUATIONS.c.state.in_(OPEN))
            .values(updated_s=now_s(), **told)
        )
        return changed > 0

    def _find(self, query: Select[Any]) -> tuple[EvaluationRecord, ...]:
        return tuple(map(record_of, self._rows(query)))


def _all() -> Select[Any]:
    return select(*COLUMNS)


def _of(repository: str, number: int) -> Select[Any]:
    return _all().where(EVALUATIONS.c.repository == repository, EVALUATIONS.c.number == number)


def open_records(settings: Settings) -> Store:
    """Open the records' database that the settings name: SQLite inside `home` without a URL.

    SQLite is brought up to date here; for Postgres the commands call `migrate` when they start.
    """
    path = settings.home.absolute() / "records.db"
    records = Store(settings.database_url or f"sqlite:///{path}")
    if not settings.database_url:
        records.migrate()
    return records
