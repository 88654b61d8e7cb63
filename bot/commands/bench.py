"""`assay bench merges`: judge the judge on real merges and on copies that were spoiled on purpose."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from bot.bench.alarms import AS_MERGED, MOST_TRICKED, Alarm, StaticTrial, summary
from bot.bench.merges import Workbench
from bot.bench.rows import append_line
from bot.bench.trial import Judge, JudgedMerge, Trial
from bot.commands.progress import say
from bot.commands.services import judge_once
from bot.report.machine import ReportDocument, read_machine
from bot.settings import Settings, load_settings, make_home
from bot.source.local import LocalOrigin
from bot.store import open_artifacts
from bot.values import EvaluationRequest


def run(
    repositories: tuple[Path, ...], count: int, out: Path | None, integrity: bool, as_merged: bool
) -> None:
    """Judge the newest merges and spoiled copies; ends with 1 when one conclusion is wrong."""
    if integrity:
        _count_alarms(repositories, count, out, 0 if as_merged else MOST_TRICKED)
        return
    settings = load_settings()
    make_home(settings.home)
    rows: list[JudgedMerge] = []
    console = Console()

    def tell(row: JudgedMerge) -> None:
        rows.append(row)
        mark = "[red]WRONG[/red]" if row.is_wrong else "ok"
        console.print(
            f"{mark:5} {row.repository} {row.merge} {row.spoiling:26} {row.judged.conclusion:16} "
            f"f2p {row.judged.fail_to_pass} p2f {row.judged.broken_tests} "
            f"{row.judged.seconds:.0f} s  {escape(row.judged.said)}",
            highlight=False,
            soft_wrap=True,
        )
        if out:
            append_line(out, json.dumps(asdict(row)).encode())

    judge = judging(settings)
    for repository in repositories:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            bench = Workbench(repository, Path(folder) / "clone")
            trial = Trial(_name(repository), bench, judge)
            for merge in bench.merges(count):
                asyncio.run((trial.as_merged if as_merged else trial.run)(merge, tell))
    shares = [share for row in rows if (share := row.judged.extra_share) is not None]
    if shares:
        console.print(
            f"Damage and second looks: {statistics.median(shares):.0%} of the observing time "
            f"at the median of {len(shares)}."
        )
    sys.exit(int(any(row.is_wrong for row in rows)))


def judging(settings: Settings) -> Judge:
    """Return what judges a request about a folder, and gives its report."""

    async def judge(request: EvaluationRequest) -> ReportDocument:
        origin = LocalOrigin(lambda _stage: None, Path(request.repository), settings.home / "git")
        publication = await judge_once(settings, origin, request)
        report = open_artifacts(settings).get(publication.report_key, "report.json")
        return read_machine(report or b"")

    return judge


def _count_alarms(
    repositories: tuple[Path, ...], count: int, out: Path | None, most_tricked: int
) -> None:
    console, alarms = Console(), list[Alarm]()
    for repository in repositories:
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            bench = Workbench(repository, Path(folder) / "clone")
            trial = StaticTrial(_name(repository), bench, Path(folder) / "git")
            for number, merge in enumerate(bench.merges(count)):
                with_tricks = number < most_tricked
                for alarm in trial.run(merge, with_tricks):
                    alarms.append(alarm)
                    said = [
                        f"{alarm.repository} {alarm.merge} {alarm.seconds:.1f} s  {alarm.title}"
                    ]
                    said += [f"    {f.rule} {f.path}:{f.line} {f.message}" for f in alarm.findings]
                    for line in said if alarm.copy == AS_MERGED else ():
                        say(console, line)
                    if out:
                        append_line(out, json.dumps(asdict(alarm)).encode())
    for line in summary(alarms):
        say(console, line)


def _name(repository: Path) -> str:
    folder = repository.parent if repository.name in {"repo", ".git"} else repository
    return folder.name
