"""The worker face: takes a lease, runs the queues, takes over the jobs of dead workers."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from dbos import DBOS, DBOSConfig
from dbos._dbos import _get_dbos_instance
from sqlalchemy.exc import SQLAlchemyError

from bot.errors import AssayError, Superseded, Transient, UserError
from bot.queue.client import library_client
from bot.queue.codec import JsonSerializer, decode, encode
from bot.queue.durable import DurableSteps, ProgressListener, Room
from bot.queue.lease import Lease, LeaseLost, Turns, lease_for
from bot.queue.options import (
    APPLICATION,
    APPLICATION_VERSION,
    DELIVERIES,
    EVALUATIONS,
    UPKEEP,
    EngineOptions,
    migrate,
)
from bot.steps import Ending, EndKind, StepRunner
from bot.values import Delivery, EvaluationRequest, Publication

log = logging.getLogger(__name__)
_STAGES = 20  # about as many as an evaluation has


async def _nothing_to_sweep(run: StepRunner) -> None:
    """Sweep nothing; for a worker without GitHub."""


@dataclass(frozen=True, slots=True)
class Work:
    """What the engine runs, and knows nothing else of.

    `ended` makes visible that an evaluation ended without a publication; `sweep` looks for what
    was missed. These get the runner for their steps; `ended` is one step itself. `has_room` says
    whether this host can take another evaluation; `keep_house` tidies it up, once a sweep.
    """

    evaluate: Callable[[EvaluationRequest, StepRunner], Awaitable[Publication]]
    handle: Callable[[Delivery, StepRunner], Awaitable[None]]
    ended: Callable[[EvaluationRequest, Ending], Awaitable[None]]
    sweep: Callable[[StepRunner], Awaitable[None]] = _nothing_to_sweep
    progress: ProgressListener | None = None
    has_room: Callable[[], bool] = lambda: True
    keep_house: Callable[[], object] = lambda: None


class _Jobs:
    """The workflow functions. Their names and the order of their steps are stored: see options."""

    def __init__(self, work: Work, options: EngineOptions, lives: dict[str, int]) -> None:
        self._work = work
        self._options = options
        self._room = Room()
        self._lives = lives

    def register(self) -> None:
        """Make them known to DBOS, which finds them by name.

        The stages of an evaluation count their own attempts; the job's are the last resort.
        """
        for job in (self.evaluation, self.delivery, self.ending, self.sweep):
            stages = _STAGES if job == self.evaluation else 1
            most = self._options.max_recovery_attempts * stages
            DBOS.workflow(name=job.__name__, max_recovery_attempts=most)(_as_function(job))

    async def evaluation(self, text: str) -> str:
        request = decode(text, EvaluationRequest)
        run = self._steps(request.id, self._work.progress, self._lives.pop(request.id, 1))
        try:
            return encode(await self._work.evaluate(request, run), Publication)
        except Superseded as error:
            ending = Ending(EndKind.SUPERSEDED, error.by)
        except UserError as error:
            ending = Ending(EndKind.FAILED, error.what, error.next_step)
        except Transient as error:
            ending = Ending(EndKind.FAILED, error.what, "Ask for a new run when it is back.")
        except AssayError as error:
            ending = Ending(EndKind.FAILED, str(error))
        except Exception as error:  # the worker's boundary: a bug ends one job, visibly
            log.exception("evaluation %s failed", request.id)
            ending = Ending(EndKind.FAILED, f"{type(error).__name__}: {error}")
        try:
            await run("ended", self._work.ended, request, ending)
        except AssayError as error:  # the sweep closes the check run when GitHub takes it
            log.error("the end of evaluation %s could not be shown: %s", request.id, error)
        return encode(ending, Ending)

    async def delivery(self, text: str) -> None:
        delivery = decode(text, Delivery)
        try:
            await self._work.handle(delivery, self._steps(delivery.id))
        except AssayError as error:
            log.error("delivery %s (%s) failed: %s", delivery.id, delivery.event, error)

    async def ending(self, text: str, why: str) -> None:
        request = decode(text, EvaluationRequest)
        ending = Ending(EndKind.FAILED, why)
        await self._steps(request.id)("ended", self._work.ended, request, ending)

    async def sweep(self) -> None:
        await self._work.sweep(self._steps("sweep"))

    def _steps(
        self, job_id: str, progress: ProgressListener | None = None, life: int = 1
    ) -> DurableSteps:
        return DurableSteps(job_id, progress, self._options, self._room, life)


def _as_function(method: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """DBOS keeps its notes on the function object, and a bound method takes none."""

    async def job(*args: str) -> object:
        return await method(*args)

    job.__qualname__ = job.__name__ = method.__name__
    return job


class Worker:
    """A running worker; `wait` until it is told to stop or must end."""

    def __init__(
        self, executor: str, lease: Lease, options: EngineOptions, keep_house: Callable[[], object]
    ) -> None:
        self.executor = executor
        self._keep_house = keep_house
        self._keeping: threading.Thread | None = None
        self._lease = lease
        self._options = options
        self._stop = threading.Event()
        self._lost: LeaseLost | None = None
        self._free_for: dict[str, int] = {}
        self._given_up: set[str] = set()
        self._swept_s = -1.0
        self._client = library_client(options)
        self._thread = threading.Thread(target=self._keep, name="engine-keeper", daemon=True)

    def start(self) -> None:
        """Begin to look after other workers' jobs and to sweep."""
        self._thread.start()

    def stop(self) -> None:
        """End `wait` and the looking after; may be called from a signal handler."""
        self._stop.set()

    def wait(self, timeout_s: float | None = None) -> None:
        """Return when `stop` was called. Raises LeaseLost when another worker may take over."""
        self._stop.wait(timeout_s)
        if self._lost:
            raise self._lost

    def close(self) -> None:
        """Stop and give the connections back."""
        self.stop()
        self._thread.join(timeout=30)
        self._client.destroy()

    def _keep(self) -> None:
        while not self._stop.wait(self._options.reap_s):
            try:
                self._lease.check()
                self._reap()
                self._give_up()
                self._sweep()
            except LeaseLost as lost:
                self._lost = lost
                self._stop.set()
            except (Transient, SQLAlchemyError) as error:
                log.warning("the job store does not answer: %s", type(error).__name__)
            except Exception:  # the worker's loop: the next pass tries again
                log.exception("looking after the jobs failed")

    def _reap(self) -> None:
        """Put the jobs of executors that hold no lease any more back to their queues."""
        running = self._client.list_workflows(status="PENDING", load_input=False)
        others = {job.executor_id for job in running if job.executor_id} - {self.executor}
        free = {executor for executor in others if self._lease.is_free(executor)}
        self._free_for = {executor: self._free_for.get(executor, 0) + 1 for executor in free}
        for executor, passes in list(self._free_for.items()):
            if passes >= self._options.grace_passes:
                log.warning("worker %s is dead; its jobs are taken over", executor)
                DBOS._recover_pending_workflows([executor])
                self._lease.forget(executor)
                del self._free_for[executor]

    def _give_up(self) -> None:
        """End visibly what killed its worker again and again."""
        dead = self._client.list_workflows(
            status="MAX_RECOVERY_ATTEMPTS_EXCEEDED", name="evaluation", limit=100, sort_desc=True
        )
        for job in dead:
            if job.workflow_id in self._given_up or job.input is None:
                continue
            why = "Assay's worker died again and again during this run."
            self._enqueue("ending", f"ending-{job.workflow_id}", job.input["args"][0], why)
            self._given_up.add(job.workflow_id)

    def _sweep(self) -> None:
        """Ask for one sweep an interval, whichever worker gets there first."""
        now_s = time.time()
        if now_s - self._swept_s < self._options.sweep_s:
            return
        self._swept_s = now_s
        if self._keeping is None or not self._keeping.is_alive():
            self._keeping = threading.Thread(target=self._keep_house_once, daemon=True)
            self._keeping.start()
        self._enqueue("sweep", f"sweep-{int(now_s // self._options.sweep_s)}")

    def _keep_house_once(self) -> None:
        """Tidy this host in a thread of its own: it takes a while, and the lease must be kept."""
        try:
            self._keep_house()
        except (OSError, AssayError) as error:
            log.warning("this host could not be tidied: %s", error)

    def _enqueue(self, job: str, job_id: str, *args: str) -> None:
        self._client.enqueue(
            {
                "workflow_name": job,
                "queue_name": UPKEEP,
                "workflow_id": job_id,
                "app_version": APPLICATION_VERSION,
            },
            *args,
        )


@contextmanager
def open_worker(options: EngineOptions, work: Work) -> Iterator[Worker]:
    """Migrate, take the lease, run the queues; on exit leave what runs to the next worker.

    One at a time in a process. Must be entered outside an event loop.
    """
    migrate(options)
    executor = f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
    lease = lease_for(options.database_url, options.home)
    lease.take(executor)
    try:
        turns = _launch(options, work, executor)
        worker = Worker(executor, lease, options, work.keep_house)
        worker.start()
        try:
            yield worker
        finally:
            worker.close()
            with suppress(SQLAlchemyError):  # what cannot be forgiven now counts
                turns.forgive(executor)
    finally:
        DBOS.destroy(destroy_registry=True)
        lease.release()


def _launch(options: EngineOptions, work: Work, executor: str) -> Turns:
    config: DBOSConfig = {
        "name": APPLICATION,
        "system_database_url": options.database_url,
        "application_version": APPLICATION_VERSION,
        "executor_id": executor,
        "serializer": JsonSerializer(),
        "log_level": "WARNING",
        "notification_listener_polling_interval_sec": 0.25,  # stopping waits for it
        "run_migrations": False,
    }
    DBOS(config=config)
    lives: dict[str, int] = {}
    _Jobs(work, options, lives).register()
    # store the queues before the library starts: it looks for new ones only once a second
    client = library_client(options)
    try:
        for name, at_once in ((EVALUATIONS, options.workers), (DELIVERIES, options.deliveries)):
            client.register_queue(
                name,
                worker_concurrency=at_once,
                partition_concurrency=1,
                polling_interval_sec=options.poll_s,
            )
        client.register_queue(UPKEEP, worker_concurrency=2, polling_interval_sec=options.poll_s)
    finally:
        client.destroy()
    DBOS.launch()
    return Turns(
        _get_dbos_instance()._sys_db, lambda queue: queue != EVALUATIONS or work.has_room(), lives
    )
