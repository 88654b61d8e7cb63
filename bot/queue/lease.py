"""Who is alive, and whose turn it is.

Every worker process holds a lease, and a free lease means a dead worker. The operating system (a lock on a
file) or Postgres (a session's advisory lock) gives the lease back when the process dies, however it dies;
there is no clock to trust.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, LiteralString

import psycopg
from sqlalchemy import func, select, update
from sqlalchemy.exc import DBAPIError

from bot.errors import Transient

if TYPE_CHECKING:
    from dbos._queue import Queue
    from dbos._sys_db import SystemDatabase

# The server shall give the lock back half a minute after a machine or its network is gone.
_NOTICE_A_DEAD_CLIENT: tuple[LiteralString, ...] = (
    "set tcp_keepalives_idle = 15",
    "set tcp_keepalives_interval = 5",
    "set tcp_keepalives_count = 3",
)
_TRIES = 5
_PAUSE_S = 0.2


class LeaseLost(Exception):
    """Another worker may take over this one's jobs: the process must end."""


class FileLease:
    """A locked file for each executor; for SQLite, where all workers share one machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held = -1
        self._path = folder

    def take(self, executor: str) -> None:
        """Lock this executor's own new file."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path = self._folder / f"{executor}.lock"
        self._held = os.open(self._path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def check(self) -> None:
        """Raise LeaseLost when somebody removed the file."""
        if not self._path.exists():
            raise LeaseLost(f"{self._path} is gone")

    def is_free(self, executor: str) -> bool:
        """Try the other's lock; a missing file is as free as an unlocked one."""
        try:
            other = os.open(self._folder / f"{executor}.lock", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(other)
        return True

    def forget(self, executor: str) -> None:
        """Remove the dead one's file."""
        (self._folder / f"{executor}.lock").unlink(missing_ok=True)

    def release(self) -> None:
        """Unlock and remove the file."""
        if self._held >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._held)
            self._held = -1


class PostgresLease:
    """An advisory lock on a connection of its own. A pooler that shares sessions breaks it.

    While the server is away nobody can take over anything, so a lost connection is not a lost
    lease; and a worker that was taken for dead all the same is stopped at its next checkpoint.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._executor = ""
        self._connection: psycopg.Connection[tuple[object, ...]] | None = None

    def take(self, executor: str) -> None:
        """Connect and lock. Raises LeaseLost when the lock is taken, Transient without a server."""
        self._executor = executor
        try:
            self._connection = psycopg.connect(
                self._url, autocommit=True, application_name="assay lease"
            )
            for setting in _NOTICE_A_DEAD_CLIENT:
                self._connection.execute(setting)
        except psycopg.OperationalError as error:
            self.release()
            raise Transient("the job store cannot be reached") from error
        for _ in range(_TRIES):
            if self._ask("select pg_try_advisory_lock(%s)", executor):
                return
            time.sleep(_PAUSE_S)  # another worker's `is_free` holds it for a moment
        raise LeaseLost(f"the lease of {executor} is taken")

    def check(self) -> None:
        """Ask on the lease's own connection; take the lease anew when the server was restarted."""
        try:
            self._ask("select %s::bigint is not null", self._executor)
        except Transient:
            self.release()
            self.take(self._executor)

    def is_free(self, executor: str) -> bool:
        """Take the other's lock for a moment, if it can be taken."""
        if not self._ask("select pg_try_advisory_lock(%s)", executor):
            return False
        self._ask("select pg_advisory_unlock(%s)", executor)
        return True

    def forget(self, executor: str) -> None:
        """Do nothing: the server forgot the lock when the session ended."""

    def release(self) -> None:
        """Close the session; the server gives the lock back."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, question: LiteralString, executor: str) -> bool:
        if self._connection is None:
            raise Transient("the job store cannot be reached")
        digest = hashlib.sha256(f"assay executor {executor}".encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)  # what Postgres locks has 64 bits
        try:
            row = self._connection.execute(question, [key]).fetchone()
        except psycopg.OperationalError as error:
            raise Transient("the job store cannot be reached") from error
        return bool(row and row[0])


Lease = FileLease | PostgresLease
"""One executor's sign of life, and a look at the others'."""


def lease_for(database_url: str, home: Path) -> Lease:
    """Choose the lease that fits the database."""
    if database_url.startswith("sqlite"):
        return FileLease(home / "leases")
    return PostgresLease(database_url)


# --- whose turn it is ------------------------------------------------------------------------------
# DBOS takes lanes by chance where a worker is busy, so one job can wait for minutes while newer ones
# run. Here lanes are chosen in order; DBOS's own claim, which lets one worker have a lane, stays.


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
        self, queue: Queue, executor_id: str, app_version: str, max_tasks: int, **options: Any
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
                    queue, executor_id, app_version, lane, **options
                )
            except DBAPIError as error:
                database = self._database
                if database.is_lock_conflict(error) or database.is_serialization_conflict(error):
                    continue
                raise
            claimed += found
            self._lives[job] = lives + 1
        return claimed

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
