"""What damaged copies and the second look cost, as a share of observing: projects of several kinds.

Processor seconds of Assay and of all that it starts, so other work on the machine does not count.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import statistics
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bot.commands.services import open_services
from bot.evaluation import evaluate
from bot.settings import Settings
from bot.source.local import LocalOrigin
from bot.steps import run_in_process
from bot.store import open_records
from bot.values import EvaluationRequest, Trigger
from sandbox.base import Command, Completed, Sandbox
from tests.bench.pull_requests import PULL_REQUESTS, PullRequest
from tests.sandbox.repositories import Repository

_TIMED = ("/bin/sh", "-c", '"$@"; code=$?; times >&2; exit $code', "sh")
_TIMES = re.compile(rb"(?:\d+m[\d.]+s \d+m[\d.]+s\n){2}\Z")
_OWN = re.compile(rb"(\d+)m([\d.]+)s")


@dataclass(slots=True)
class _Counting:
    """A sandbox that counts its starts, and the processor seconds of what it ran.

    The kernel forgets what ran in a process namespace, so a shell in there is asked.
    """

    inner: Sandbox
    name: str = "bubblewrap"
    starts: int = 0
    seconds: float = 0.0

    async def run(self, command: Command) -> Completed:
        """Run a command. Raises SandboxError."""
        done = await self.inner.run(replace(command, argv=(*_TIMED, *command.argv)))
        told = _TIMES.search(done.stderr)
        self.starts += 1
        self.seconds += sum(
            60 * int(m) + float(s) for m, s in _OWN.findall(told[0] if told else b"")
        )
        return replace(done, stderr=_TIMES.sub(b"", done.stderr))


@dataclass(slots=True)
class Cost:
    """Processor seconds and starts of the sandbox, by stage."""

    seconds: dict[str, float] = field(default_factory=dict)
    starts: dict[str, int] = field(default_factory=dict)
    conclusion: str = ""

    @property
    def share(self) -> float:
        """What damage and the second look take, over what observing takes."""
        return self.seconds.get("damage", 0.0) / self.seconds["observe"]


def _processor_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


async def _judged(settings: Settings, origin: LocalOrigin, request: EvaluationRequest) -> Cost:
    cost = Cost()

    async def run(name: str, step: Any, /, *args: Any, **kwargs: Any) -> Any:
        before, starts = _processor_s() + counting.seconds, counting.starts
        try:
            return await run_in_process(name, step, *args, **kwargs)
        finally:
            cost.seconds[name] = _processor_s() + counting.seconds - before
            cost.starts[name] = counting.starts - starts

    with closing(open_records(settings)) as store:
        store.migrate()
        services = open_services(settings, store, origin)
        counting = _Counting(services.sandbox)
        publication = await evaluate(request, replace(services, sandbox=counting), run)
    cost.conclusion = publication.conclusion
    return cost


def measure(asked: PullRequest) -> Cost:
    """Judge a pull request in a repository of its own."""
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # other users of the sandbox come through it
        repository = Repository(folder / "repository")
        base = repository.commit(asked.project)
        repository.git("checkout", "--quiet", "--detach", base)
        head = repository.commit(asked.change)
        settings = Settings(home=folder / "home", chromium=str(folder / "none"), pdf=False)
        request = EvaluationRequest(
            id=f"local-{secrets.token_hex(8)}",
            repository=str(repository.folder),
            head_sha=head,
            base_sha=base,
            base_ref=base,
            head_ref=head,
            trigger=Trigger.LOCAL,
            task_text=asked.task,
        )
        origin = LocalOrigin(lambda _: None, repository.folder, settings.home / "git")
        return asyncio.run(_judged(settings, origin, request))


def main(wanted: Mapping[str, PullRequest] = PULL_REQUESTS) -> None:
    """Print a row for each pull request, and the median of all."""
    print("damaged copies and the second look, over observing (processor seconds)", flush=True)
    measure(next(iter(wanted.values())))  # loads what all need
    shares = []
    for name, asked in wanted.items():
        cost = measure(asked)
        shares.append(cost.share)
        damage_s, observe_s = cost.seconds.get("damage", 0.0), cost.seconds["observe"]
        told = f"{damage_s:5.2f} s of {observe_s:5.2f} s, {cost.starts.get('damage', 0)} starts"
        print(f"  {name:28} {cost.share:5.0%}  {told}, {cost.conclusion}", flush=True)
    print(f"  median {statistics.median(shares):.0%}")
