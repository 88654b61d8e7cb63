"""Workers on hosts of their own: a home each, one Postgres, killed at random."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bot.demo.town import await_ready, running_part
from tests.e2e.project import ASKED, BREAKS, FIX
from tests.e2e.town import Place, Town, eventually, report, running_forge

HOSTS = 4


@dataclass(slots=True)
class Hosts:
    """Workers with separate homes; `kills` says how often one was killed."""

    folder: Path
    environment: Mapping[str, str]
    kills: int = 0
    _running: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(self, host: int) -> None:
        home = self.folder / f"host-{host}"
        home.mkdir(exist_ok=True)
        environment = {**os.environ, **self.environment, "ASSAY_HOME": str(home)}
        with (home / "worker.log").open("ab") as log:
            argv = [sys.executable, "-m", "bot.cli", "worker"]
            self._running[host] = subprocess.Popen(argv, stdout=log, stderr=log, env=environment)

    def kill(self, host: int) -> None:
        process = self._running.pop(host)
        process.kill()
        process.wait()

    def stop(self) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            process.wait(60)

    def log(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("host-*/worker.log"))

    @contextmanager
    def dying(self, seed: int, every_s: float) -> Iterator[None]:
        """Kill one host after the other at random; each is back some time later."""
        stop, chance = threading.Event(), random.Random(seed)  # noqa: S311

        def go_on() -> None:
            while not stop.wait(chance.uniform(0.5, 1.5) * every_s):
                host = chance.randrange(HOSTS)
                self.kill(host)
                self.kills += 1
                stop.wait(chance.uniform(0.2, 0.8) * every_s)
                self.start(host)

        thread = threading.Thread(target=go_on)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


@contextmanager
def running_hosts(folder: Path, database_url: str) -> Iterator[tuple[Town, Hosts]]:
    """A forge, a web process with a home of its own, and workers with theirs."""
    with running_forge(folder) as town, ExitStack() as stack:
        environment = {**town.environment, "ASSAY_DATABASE_URL": database_url}
        hosts = Hosts(folder, {**environment, "ASSAY_WORKERS": "1", "ASSAY_PDF": "false"})
        web = stack.enter_context(running_part("web", folder, environment))
        await_ready(town.public_url, folder, web)
        stack.callback(hosts.stop)
        for host in range(HOSTS):
            hosts.start(host)
        yield town, hosts


@dataclass(frozen=True, slots=True)
class Expected:
    """One pull request and what must come of it."""

    place: Place
    number: int
    sha: str
    conclusion: str


def open_changes(town: Town, how_many: int) -> list[Expected]:
    """Open right and wrong changes in turn, in a few repositories."""
    places = [town.place() for _ in range(min(4, how_many))]
    opened = []
    for index in range(how_many):
        place, is_right = places[index % len(places)], index % 3 != 2
        files = FIX if is_right else BREAKS
        sha = place.push(f"change-{index}", {**files, "NOTES.md": f"Change {index}.\n"})
        number = place.open(f"change-{index}", ASKED if is_right else "Count one more")
        opened.append(Expected(place, number, sha, "success" if is_right else "failure"))
    return opened


def check(town: Town, expected: list[Expected], patience_s: float) -> list[str]:
    """Wait for every evaluation's end; return what was lost, doubled or wrong, in words."""
    wrong = []
    for one in expected:
        run = one.place.completed(one.sha, timeout_s=patience_s)
        if run.conclusion != one.conclusion:
            wrong.append(f"#{one.number}: {run.conclusion}, not {one.conclusion}: {run.summary}")
    town.settle()
    for one in expected:
        runs, comments = one.place.runs(one.sha), one.place.verdicts(one.number)
        if (len(runs), len(comments)) != (1, 1):
            wrong.append(f"#{one.number}: {len(runs)} check runs, {len(comments)} comments")
            continue
        page = eventually(lambda run=runs[0]: httpx.get(run.details_url, timeout=60), "the page")
        if page.status_code != 200 or report(runs[0]).text("conclusion") != one.conclusion:
            wrong.append(f"#{one.number}: its report is not there ({page.status_code})")
    return wrong
