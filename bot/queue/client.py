"""The client face: put jobs in, take them out, count them. Never runs one."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ParamSpec, TypeVar

from dbos import DBOSClient, EnqueueOptions, error
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import Transient
from bot.queue.codec import JsonSerializer, encode
from bot.queue.options import (
    APPLICATION,
    APPLICATION_VERSION,
    DELIVERIES,
    EVALUATIONS,
    EngineOptions,
    quiet_library_log,
)
from bot.values import Delivery, EvaluationRequest

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class QueueDepth:
    """How many jobs wait and run, by kind."""

    deliveries: int
    evaluations: int


def _or_transient(function: Callable[P, T]) -> Callable[P, T]:
    """Turn any failure of the job store into `Transient`: the caller answers 503 or tries again."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except (SQLAlchemyError, error.DBOSException) as failure:
            log.warning("the job store did not answer: %s", type(failure).__name__)
            raise Transient("the job store cannot be reached") from failure

    return guarded


class EngineClient:
    """Create it after fork, one for each process. Every method may raise `Transient`."""

    def __init__(self, options: EngineOptions) -> None:
        quiet_library_log()
        # Lazy: the web process starts, and says 503, while the database is away.
        self._client = library_client(options, system_database_pool_size=10, lazy=True)

    @_or_transient
    def submit_delivery(self, delivery: Delivery, lane: str = "") -> None:
        """Store a delivery before this returns; the same id a second time does nothing.

        Deliveries of one `lane` (a pull request) are handled one after the other, in order.
        """
        options = _enqueue(DELIVERIES, "delivery", f"delivery-{delivery.id}", lane or delivery.id)
        self._client.enqueue(options, encode(delivery, Delivery))

    @_or_transient
    def submit_evaluation(self, request: EvaluationRequest) -> None:
        """Store an evaluation; the same id a second time does nothing."""
        options = _enqueue(EVALUATIONS, "evaluation", request.id, subject(request))
        self._client.enqueue(options, encode(request, EvaluationRequest))

    @_or_transient
    def cancel(self, evaluation_id: str, why: str) -> None:
        """Take an evaluation out of the queue, or stop it within about a second. Idempotent."""
        log.info("cancel %s: %s", evaluation_id, why)
        self._client.cancel_workflow(evaluation_id)

    @_or_transient
    def depth(self) -> QueueDepth:
        """Count the jobs that are not finished."""
        return QueueDepth(deliveries=self._count(DELIVERIES), evaluations=self._count(EVALUATIONS))

    @_or_transient
    def check(self) -> None:
        """Return when the job store answers and has its tables; for readiness."""
        self._client.list_workflows(limit=1, load_input=False, load_output=False)

    @_or_transient
    def last_delivery_s(self) -> float | None:
        """When the newest webhook was stored, as Unix time; None when none is remembered."""
        found = self._client.list_workflows(
            name="delivery", sort_desc=True, limit=1, load_input=False, load_output=False
        )
        return found[0].created_at / 1000 if found and found[0].created_at else None

    @_or_transient
    def prune(self, older_than_s: float) -> int:
        """Forget jobs that ended before a Unix time, at most 1000 at once; return how many."""
        before = datetime.fromtimestamp(older_than_s, UTC).isoformat()
        old = self._client.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"],
            completed_before=before,
            load_input=False,
            load_output=False,
            limit=1000,
        )
        if old:
            self._client.delete_workflows([job.workflow_id for job in old])
        return len(old)

    def close(self) -> None:
        """Give the connections back."""
        self._client.destroy()

    def _count(self, queue: str) -> int:
        jobs = self._client.list_queued_workflows(
            queue_name=queue, status=["ENQUEUED", "PENDING"], load_input=False, limit=10_000
        )
        return len(jobs)


def library_client(options: EngineOptions, **more: Any) -> DBOSClient:
    """Open the library's own client, which tells at once that the database does not answer."""
    return DBOSClient(
        system_database_url=options.database_url,
        serializer=JsonSerializer(),
        application_name=APPLICATION,
        retry_connection_errors=False,
        **more,
    )


def subject(request: EvaluationRequest) -> str:
    """Name what an evaluation is about: one of these runs at a time."""
    if request.number:
        return f"{request.repository}#{request.number}"
    return f"{request.repository}@{request.issue or request.head_ref or request.head_sha or request.id}"


def _enqueue(queue: str, job: str, job_id: str, lane: str) -> EnqueueOptions:
    # Jobs of a lane are numbered in the order they came, by milliseconds: on SQLite the library notes
    # whole seconds and breaks ties by id, which for deliveries is chance. A priority has 31 bits, so the
    # count starts anew every 24 days.
    turn = int(time.time() * 1000) % (2**31 - 1) + 1
    return EnqueueOptions(
        workflow_name=job,
        queue_name=queue,
        workflow_id=job_id,
        app_version=APPLICATION_VERSION,
        queue_partition_key=lane,
        priority=turn,
    )
