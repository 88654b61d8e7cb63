"""One worker on a real job store: order, limits, patience, cancelling, stopping."""

from __future__ import annotations

import asyncio
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import psycopg
import pytest

from bot.errors import Superseded, Transient, UserError
from bot.queue import EngineClient, EngineOptions, LeaseLost, Work, migrate, open_worker
from bot.queue.lease import lease_for
from bot.steps import Ending, StepRunner
from bot.values import Conclusion, Delivery, EvaluationRequest, Publication, Trigger
from tests.bot.queue.states import JobState, state_of
from tests.postgres import Postgres, postgres_bin, running_postgres

pytestmark = pytest.mark.real


@pytest.fixture(params=["sqlite", "postgres"])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> EngineOptions:
    """A fresh job store of each kind, looked after quickly."""
    url = f"sqlite:///{tmp_path / 'engine.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.database()
    options = EngineOptions(url, tmp_path, poll_s=0.05, reap_s=0.1, grace_passes=1)
    migrate(options)
    return options


@pytest.fixture
def sqlite_options(tmp_path: Path) -> EngineOptions:
    url = f"sqlite:///{tmp_path / 'engine.db'}"
    options = EngineOptions(url, tmp_path, poll_s=0.05, reap_s=0.1, grace_passes=1)
    migrate(options)
    return options


@dataclass
class Notes:
    """Work that writes down what happens; `evaluate` is the part a test brings."""

    body: Callable[[EvaluationRequest, StepRunner], object] | None = None
    lines: list[str] = field(default_factory=list)
    running: int = 0
    most: int = 0
    sweeps: int = 0

    def work(self) -> Work:
        return Work(self.evaluate, self.handle, self.ended, self.sweep, self)

    async def evaluate(self, request: EvaluationRequest, run: StepRunner) -> Publication:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if self.body:
                await self.body(request, run)  # type: ignore[misc]
        finally:
            self.running -= 1
        self.lines.append(f"published {request.id}")
        return Publication(Conclusion.SUCCESS, request.id)

    async def handle(self, delivery: Delivery, run: StepRunner) -> None:
        await run("pause", pause)
        self.lines.append(f"handled {delivery.id}")

    async def ended(self, request: EvaluationRequest, ending: Ending) -> None:
        self.lines.append(f"{ending.kind.value} {request.id}: {ending.why} {ending.next_step}")

    async def sweep(self, run: StepRunner) -> None:
        self.sweeps += 1

    def started(self, evaluation_id: str, stage: str) -> None:
        self.lines.append(f"{evaluation_id} starts {stage}")

    def waiting(self, evaluation_id: str, stage: str, why: str) -> None:
        self.lines.append(f"{evaluation_id} waits in {stage}: {why}")

    def finished(self, evaluation_id: str, stage: str, seconds: float) -> None:
        assert seconds >= 0
        self.lines.append(f"{evaluation_id} ends {stage}")


async def pause() -> None:
    await asyncio.sleep(0.02)


def request_for(name: str, number: int = 1) -> EvaluationRequest:
    return EvaluationRequest(
        name, "octo/hello", "a" * 40, "b" * 40, "main", Trigger.OPENED, number=number
    )


def wait_for(what: Callable[[], bool], timeout_s: float = 600) -> None:
    deadline = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def run_until(options: EngineOptions, notes: Notes, what: Callable[[EngineClient], bool]) -> None:
    """Run one worker until something is so."""
    with closing(EngineClient(options)) as client, open_worker(options, notes.work()):
        wait_for(lambda: what(client))


def test_deliveries_of_a_lane_are_handled_in_order(options: EngineOptions) -> None:
    client, notes = EngineClient(options), Notes()
    for number in range(6):
        for lane in ("one", "two"):
            delivery = Delivery(f"{lane}-{9 - number}", "pull_request", "opened", "{}")
            client.submit_delivery(delivery, lane)
    client.submit_delivery(delivery, lane)  # the same id again
    client.close()
    run_until(options, notes, lambda client: client.depth().deliveries == 0)
    for lane in ("one", "two"):
        handled = [line for line in notes.lines if lane in line]
        assert handled == [f"handled {lane}-{9 - number}" for number in range(6)]


def test_one_evaluation_of_a_pull_request_at_a_time_and_few_in_all(options: EngineOptions) -> None:
    seen: list[tuple[str, ...]] = []
    active: set[str] = set()

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        active.add(f"{request.number} {request.id}")
        seen.append(tuple(sorted(active)))
        await run("work", pause)
        await asyncio.sleep(0.2)
        active.discard(f"{request.number} {request.id}")

    client, notes = EngineClient(options), Notes(body)
    for number in (1, 2, 3):
        for turn in range(2):
            client.submit_evaluation(request_for(f"e{number}{turn}", number))
    client.close()
    two = replace(options, workers=2)
    run_until(two, notes, lambda client: client.depth().evaluations == 0)
    assert notes.most == 2
    for together in seen:
        numbers = [one.split()[0] for one in together]
        assert len(set(numbers)) == len(numbers)


def test_the_oldest_is_served_first_across_lanes(options: EngineOptions) -> None:
    client, notes = EngineClient(options), Notes()
    for number in range(12):
        client.submit_evaluation(request_for(f"e{number:02}", number + 1))
        time.sleep(0.02)
    client.close()
    run_until(options, notes, lambda client: client.depth().evaluations == 0)
    assert notes.lines == [f"published e{number:02}" for number in range(12)]


def test_what_was_orphaned_is_served_before_what_is_new(options: EngineOptions) -> None:
    """The last one was begun and lost its worker; two older ones never had their turn."""
    began = threading.Event()
    first_life = True

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        if first_life and request.id in ("running", "orphan"):
            if request.id == "orphan":
                began.set()
            await run("work", long)

    async def long() -> None:
        await asyncio.sleep(600)

    client, notes = EngineClient(options), Notes(body)
    for name, number in (("running", 1), ("older", 1), ("oldest of two", 1), ("orphan", 2)):
        client.submit_evaluation(request_for(name, number))
        time.sleep(0.02)
    with open_worker(replace(options, workers=2), notes.work()):
        assert began.wait(600)
    first_life = False
    client.close()
    run_until(options, notes, lambda client: client.depth().evaluations == 0)
    ended = [line for line in notes.lines if line.startswith("published")]
    expected = ("running", "orphan", "older", "oldest of two")
    assert ended == [f"published {name}" for name in expected]


def test_a_host_without_room_takes_nothing_new(options: EngineOptions) -> None:
    client, notes, room = EngineClient(options), Notes(), threading.Event()
    client.submit_evaluation(request_for("e1"))
    client.submit_delivery(Delivery("d1", "pull_request", "opened", "{}"))
    with open_worker(options, replace(notes.work(), has_room=room.is_set)):
        wait_for(lambda: "handled d1" in notes.lines)
        time.sleep(20 * options.poll_s)
        assert state_of(client, "e1") is JobState.QUEUED
        room.set()
        wait_for(lambda: state_of(client, "e1") is JobState.DONE)
    client.close()


IDLE_WORKER = """
import logging, sys
from pathlib import Path
from bot.queue import EngineOptions, open_worker
from tests.bot.queue.test_worker import Notes
logging.basicConfig(level="INFO")
options = EngineOptions(sys.argv[1], Path(sys.argv[2]), poll_s=0.05, reap_s=0.1)
with open_worker(options, Notes().work()) as worker:
    print("ready", flush=True)
    worker.wait()
"""


@pytest.mark.slow
def test_an_outage_is_one_line_a_minute(tmp_path: Path) -> None:
    programs = postgres_bin()
    if programs is None:
        pytest.skip("no Postgres server is installed")
    with running_postgres(programs) as server, (tmp_path / "log").open("wb") as log:
        argv = [sys.executable, "-c", IDLE_WORKER, server.database(), str(tmp_path)]
        worker = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=log)
        assert worker.stdout
        assert worker.stdout.readline() == b"ready\n"
        time.sleep(1)
    time.sleep(10)
    worker.kill()
    worker.communicate()
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 1, lines[:20]
    assert "the job store does not answer" in lines[0]


def test_it_waits_for_the_outside_and_says_why(sqlite_options: EngineOptions) -> None:
    tries: list[float] = []

    async def fetch() -> str:
        tries.append(time.monotonic())
        if len(tries) < 2:
            raise Transient("GitHub answers 503", retry_after_s=0.3)
        return "fetched"

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        assert await run("checkout", fetch) == "fetched"

    notes = Notes(body)
    client = EngineClient(sqlite_options)
    client.submit_evaluation(request_for("e1"))
    client.close()
    run_until(sqlite_options, notes, lambda client: state_of(client, "e1") is JobState.DONE)
    assert notes.lines.count("e1 waits in checkout: GitHub answers 503") == 1
    assert "published e1" in notes.lines
    assert all(later - earlier >= 0.3 for earlier, later in itertools.pairwise(tries))


def test_it_tries_only_as_often_as_may_help(sqlite_options: EngineOptions) -> None:
    tries: list[float] = []

    async def killed() -> None:
        tries.append(time.monotonic())
        raise Transient("A sandbox was killed", retry_after_s=0.1, tries=3)

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        await run("observe", killed)

    notes, client = Notes(body), EngineClient(sqlite_options)
    client.submit_evaluation(request_for("e1"))
    client.close()
    run_until(sqlite_options, notes, lambda client: state_of(client, "e1") is JobState.DONE)
    assert len(tries) == 3
    assert any(line.startswith("failed e1: A sandbox was killed") for line in notes.lines)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (UserError("The branch is gone.", "Push it."), "failed e1: The branch is gone. Push it."),
        (Superseded("A newer commit."), "superseded e1: A newer commit. "),
        (ValueError("a bug"), "failed e1: ValueError: a bug "),
        (Transient("GitHub is away"), "failed e1: GitHub is away"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_go_on_ends_visibly(
    sqlite_options: EngineOptions, error: Exception, line: str
) -> None:
    async def fail() -> None:
        raise error

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        await run("checkout", fail)

    notes = Notes(body)
    client = EngineClient(sqlite_options)
    client.submit_evaluation(request_for("e1"))
    client.close()
    impatient = replace(sqlite_options, patience_s=0.5)
    run_until(impatient, notes, lambda client: state_of(client, "e1") is JobState.DONE)
    assert any(told.startswith(line) for told in notes.lines), notes.lines
    assert "published e1" not in notes.lines


def test_a_cancel_stops_a_running_step_soon(options: EngineOptions) -> None:
    stopped = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(300)
        finally:
            stopped.set()

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        if request.id == "long":
            await run("observe", long)

    notes, client = Notes(body), EngineClient(options)
    client.submit_evaluation(request_for("long"))
    client.submit_evaluation(request_for("next"))
    with open_worker(options, notes.work()):
        wait_for(lambda: "long starts observe" in notes.lines)
        assert state_of(client, "next") is JobState.QUEUED
        client.cancel("long", "a newer head")
        assert stopped.wait(200)
        wait_for(lambda: state_of(client, "next") is JobState.DONE)
    assert state_of(client, "long") is JobState.CANCELLED
    client.cancel("long", "twice")
    client.cancel("unknown", "never there")
    assert not any(line.startswith(("failed", "published long")) for line in notes.lines)
    client.close()


def test_a_queued_evaluation_that_is_cancelled_never_starts(
    sqlite_options: EngineOptions,
) -> None:
    client, notes = EngineClient(sqlite_options), Notes()
    client.submit_evaluation(request_for("e1"))
    client.cancel("e1", "closed")
    client.submit_evaluation(request_for("e2"))
    client.close()
    run_until(sqlite_options, notes, lambda client: state_of(client, "e2") is JobState.DONE)
    assert notes.lines == ["published e2"]


def test_a_stopped_worker_leaves_its_jobs_to_the_next(options: EngineOptions) -> None:
    first_life = threading.Event()

    async def slow() -> str:
        if not first_life.is_set():
            first_life.set()
            await asyncio.sleep(60)
        return "done"

    async def body(request: EvaluationRequest, run: StepRunner) -> None:
        await run("checkout", pause)
        await run("observe", slow)

    notes, client = Notes(body), EngineClient(options)
    client.submit_evaluation(request_for("e1"))
    with open_worker(options, notes.work()):
        assert first_life.wait(600)
    assert state_of(client, "e1") is JobState.RUNNING
    client.close()
    run_until(options, notes, lambda client: state_of(client, "e1") is JobState.DONE)
    assert notes.lines.count("e1 starts checkout") == 1
    assert notes.lines.count("e1 starts observe") == 2
    assert notes.lines[-1] == "published e1"


def test_a_live_workers_jobs_are_left_alone(options: EngineOptions) -> None:
    lease = lease_for(options.database_url, options.home)
    watcher = lease_for(options.database_url, options.home)
    lease.take("somebody")
    watcher.take("me")
    assert not watcher.is_free("somebody")
    lease.check()
    lease.release()
    wait_for(lambda: watcher.is_free("somebody"))  # the server ends a session in its own time
    assert watcher.is_free("never there")
    watcher.forget("somebody")
    watcher.release()


def test_a_lease_outlives_its_connection(postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.database()
    lease, watcher = lease_for(url, tmp_path), lease_for(url, tmp_path)
    lease.take("somebody")
    watcher.take("me")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where application_name = 'assay lease' and datname = current_database()"
        )
    with pytest.raises(Transient):
        watcher.is_free("somebody")
    lease.check()
    watcher.check()
    assert not watcher.is_free("somebody")
    lease.release()
    wait_for(lambda: watcher.is_free("somebody"))  # the server ends a session in its own time
    watcher.release()


def test_a_lease_is_held_once(options: EngineOptions) -> None:
    first, second = (lease_for(options.database_url, options.home) for _ in range(2))
    first.take("somebody")
    with pytest.raises((LeaseLost, BlockingIOError)):
        second.take("somebody")
    first.release()
    second.release()


def test_a_worker_without_its_lease_ends(sqlite_options: EngineOptions) -> None:
    with open_worker(sqlite_options, Notes().work()) as worker:
        (sqlite_options.home / "leases" / f"{worker.executor}.lock").unlink()
        with pytest.raises(LeaseLost):
            worker.wait(60)


def test_the_sweep_comes_once_an_interval(sqlite_options: EngineOptions) -> None:
    notes = Notes()
    quick = replace(sqlite_options, sweep_s=1.0)
    began = time.time()
    with open_worker(quick, notes.work()):
        wait_for(lambda: notes.sweeps >= 2)
    assert notes.sweeps <= time.time() - began + 2
