"""Whose turn it is: the oldest job of all lanes, and before it what a dead worker left.

DBOS takes lanes by chance where a worker is busy, so one job can wait for minutes while newer ones
run. Here lanes are chosen in order; DBOS's own claim, which lets one worker have a lane, stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, update
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from dbos._queue import Queue
    from dbos._sys_db import SystemDatabase

_SPARE_LANES = 8  # other workers are claiming the first ones at the same time
MayTake = Callable[[str], bool]


class Turns:
    """Stands in for the claims of one worker's queues; `may_take` says whether a queue is served now.

    `lives` is told how often each claimed job was begun, this time included.
    """

    def __init__(self, database: SystemDatabase, may_take: MayTake, lives: dict[str, int]) -> None:
        self._database = database
        self._may_take = may_take
        self._lives = lives
        # The queue threads claim by this method; there is no setting for the order of lanes.
        setattr(database, database.start_queued_partitioned_workflows.__name__, self.claim)

    def claim(
        self,
        queue: Queue,
        executor_id: str,
        app_version: str,
        max_tasks: int,
        **options: Any,
    ) -> list[str]:
        """Mark at most `max_tasks` jobs as this worker's and return their ids, oldest first."""
        claimed: list[str] = []
        if not self._may_take(queue.name):
            return claimed
        for job, lane, lives in self._next(queue.name, app_version, max_tasks + _SPARE_LANES):
            if len(claimed) == max_tasks:
                break
            try:
                found, _ = self._database.start_queued_workflows(
                    queue,
                    executor_id,
                    app_version,
                    lane,
                    **options,
                )
            except DBAPIError as error:
                if self._is_taken(error):
                    continue
                raise
            claimed += found
            self._lives[job] = lives + 1
        return claimed

    def _is_taken(self, error: DBAPIError) -> bool:
        database = self._database
        return database.is_lock_conflict(error) or database.is_serialization_conflict(error)

    def _next(self, queue: str, version: str, most: int) -> Iterator[tuple[str, str, int]]:
        """The first job of each lane in which none runs: id, lane, and how often it was begun."""
        jobs = self._database.tables.workflow_status.c
        in_lane = (jobs.queue_name == queue, jobs.queue_partition_key.is_not(None))
        order = (jobs.priority, jobs.created_at, jobs.workflow_uuid)
        waiting = (
            select(
                *(jobs.workflow_uuid, jobs.queue_partition_key, jobs.recovery_attempts),
                *(jobs.created_at, jobs.priority, jobs.executor_id),
                func.row_number()
                .over(partition_by=jobs.queue_partition_key, order_by=order)
                .label("turn"),
            )
            .where(*in_lane, jobs.status == "ENQUEUED", jobs.application_version == version)
            .subquery()
        )
        first = waiting.c
        busy = select(jobs.queue_partition_key).where(*in_lane, jobs.status == "PENDING")
        asked = (
            select(first.workflow_uuid, first.queue_partition_key, first.recovery_attempts)
            .where(first.turn == 1, first.queue_partition_key.not_in(busy))
            .order_by(
                first.executor_id.is_(None),  # it was never begun
                *(first.created_at, first.priority, first.workflow_uuid),
            )
            .limit(most)
        )
        with self._database.engine.begin() as connection:
            rows = connection.execute(asked).all()
        return ((job, lane, int(lives or 0)) for job, lane, lives in rows)

    def forgive(self, executor_id: str) -> None:
        """Count this life against no job of a worker that ends in good order."""
        jobs = self._database.tables.workflow_status
        ours = (jobs.c.executor_id == executor_id, jobs.c.status == "PENDING")
        with self._database.engine.begin() as connection:
            connection.execute(
                update(jobs)
                .where(*ours, jobs.c.recovery_attempts > 0)
                .values(recovery_attempts=jobs.c.recovery_attempts - 1)
            )
