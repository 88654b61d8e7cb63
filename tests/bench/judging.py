"""What Assay adds over the bare tools, what a warm environment and a known base save.

Wall-clock seconds of whole commands, in interleaved rounds on the same machine: compare the ratios.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from bot.report.machine import ReportDocument, read_machine
from tests.bench.projects import Project, Size


@dataclass(frozen=True, slots=True)
class Judged:
    """One `assay judge`: its seconds and its report."""

    seconds: float
    report: ReportDocument


def judge(project: Project, home: Path, base: str, head: str) -> Judged:
    """Run the whole command as a person would. Raises RuntimeError when it does not end in success."""
    out = home.parent / f"report-{time.monotonic_ns()}"
    command = [sys.executable, "-m", "bot.cli", "judge", str(project.repository.folder)]
    options = ["--base", base, "--head", head, "--task", str(project.task), "--out", str(out)]
    environment = {**os.environ, "ASSAY_HOME": str(home)}
    began = time.perf_counter()
    done = subprocess.run(
        [*command, *options], env=environment, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"assay judge ended with {done.returncode}: {done.stdout}{done.stderr}")
    return Judged(seconds, read_machine((out / "report.json").read_bytes()))


def _by_hand_s(project: Project, folder: Path, venv: Path, commits: tuple[str, str]) -> float:
    folder.mkdir()
    began = time.perf_counter()
    subprocess.run(project.by_hand(venv, *commits), cwd=folder, check=True)
    return time.perf_counter() - began


@dataclass(slots=True)
class Rounds:
    """Seconds of each way, one entry a round."""

    by_hand: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    doubting: list[float] = field(default_factory=list)  # damage, second look: over the observing

    def added(self) -> tuple[float, float]:
        """What a judgement adds over the same by hand: (ratio, seconds), medians of the rounds."""
        pairs = list(zip(self.first, self.by_hand, strict=True))
        return (
            statistics.median(judged / hand for judged, hand in pairs),
            statistics.median(judged - hand for judged, hand in pairs),
        )

    def saved(self) -> float:
        """How much less a second pull request on the same base takes: first divided by second."""
        pairs = zip(self.first, self.second, strict=True)
        return statistics.median(first / second for first, second in pairs)


def measure(folder: Path, size: Size, rounds: int) -> Rounds:
    """Judge and do by hand in turns; each round has a new base, with warm dependencies."""
    project = Project(folder, size)
    home, venv = folder / "home", folder / "venv"
    project.prepare_by_hand(venv)
    base = project.new_base()
    judge(project, home, base, project.pull_request(base))  # warm
    _by_hand_s(project, folder / "warm", venv, (base, project.pull_request(base)))
    found = Rounds()
    for number in range(rounds):
        base = project.new_base()
        head = project.pull_request(base)
        hand = folder / f"by-hand-{number}"
        if number % 2:
            found.by_hand.append(_by_hand_s(project, hand, venv, (base, head)))
        first = judge(project, home, base, head)
        found.first.append(first.seconds)
        stages = first.report.seconds
        found.doubting.append(stages.get("damage", 0.0) / stages["observe"])
        if not number % 2:
            found.by_hand.append(_by_hand_s(project, hand, venv, (base, head)))
        found.second.append(judge(project, home, base, head).seconds)
    return found


@dataclass(frozen=True, slots=True)
class ColdAndWarm:
    """Seconds to have both environments: at first sight, and for the next pull request."""

    cold_s: float
    warm_s: float


def measure_environments(folder: Path, size: Size, rounds: int) -> ColdAndWarm:
    """Take the environment stage of the report, with a fresh home for each cold one."""
    project = Project(folder, size)
    cold, warm = [], []
    for number in range(rounds):
        base = project.new_base()
        head = project.pull_request(base)
        for seconds in (cold, warm):
            report = judge(project, folder / f"home{number}", base, head).report
            seconds.append(report.seconds["environment"])
    return ColdAndWarm(statistics.median(cold), statistics.median(warm))
