"""`assay bench prdbench`: judge submissions by PRDBench's test plans, and score them round by round."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.bench import measures
from bot.bench.patches import code_version
from bot.bench.prdbench import (
    PLAN,
    ROUNDS,
    RoundRow,
    RoundScore,
    Submitted,
    inputs,
    items_of,
    read_set,
    round_scores,
)
from bot.commands.bench_patches import PACKAGES, at_once, models_of
from bot.commands.judge import judge_submission
from bot.commands.progress import print_figures, say, table_console, write_table
from bot.errors import UserError
from bot.report.machine import read_machine
from bot.report.repair import repair_rows
from bot.settings import Settings, load_settings, make_home
from bot.source.submission import SubmittedFolder
from bot.store import open_artifacts
from bot.text import scrub
from bot.text.clipping import clip_line
from bot.values import FolderRequest

ROWS_VARIABLE = "ASSAY_REPAIR_ROWS"
_REPAIR_LIMIT_S = 3600
_MOST_ERROR = 300
_SCORES = (
    "agent", "round", "items of", "tasks", "items", "2", "1", "0", "open", "score %", "at most %", "gain",
)  # fmt: skip
_ITEMS = ("agent", "task", "round", "metric", "kind", "points", "verdict", "explanation")


@dataclass(frozen=True, slots=True)
class PrdbenchOptions:
    """The command line of `assay bench prdbench`."""

    folder: Path
    out: Path
    rounds: int | None
    repair_command: str
    jobs: int


def run(**options: Any) -> None:
    """Judge what has no row yet, print the scores and write them; ends with 1 where something failed."""
    wanted = PrdbenchOptions(**options)
    submitted = read_set(wanted.folder)
    if wanted.repair_command and not wanted.rounds:
        raise UserError("--repair-command makes no round by itself.", "Say how many: --rounds 2.")
    settings = load_settings().model_copy(update={"pdf": False})
    make_home(settings.home)
    wanted.out.mkdir(parents=True, exist_ok=True)
    rows, console = wanted.out / "rows.jsonl", table_console()
    known = ROUNDS.read(rows) if rows.exists() else ()
    bench = _Bench(settings, wanted, console, {_key(row): row for row in known if not row.error})
    asyncio.run(bench.run(submitted))
    done = sorted(bench.rows, key=lambda row: (row.agent, row.task, row.round))
    scores = round_scores(done)
    cells = map(_cells, scores)
    print_figures(console, _SCORES, cells, ("tasks", "items"), ("agent", "items of"))
    for row in done:
        if row.error:
            say(console, f"Not judged: {row.agent}, {row.task}, round {row.round}: {row.error}")
    _write(wanted.out, scores, done)
    say(console, f"Rows and tables: {wanted.out}")
    sys.exit(int(any(row.error for row in done)))


def _key(row: RoundRow) -> tuple[str, str, int, str, str]:
    return row.agent, row.task, row.round, row.inputs, row.models


# --- judging ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Bench:
    settings: Settings
    wanted: PrdbenchOptions
    console: Console
    known: dict[tuple[str, str, int, str, str], RoundRow]
    rows: list[RoundRow] = field(default_factory=list)

    async def run(self, submitted: Iterable[Submitted]) -> None:
        """Judge so many submissions at the same time; the rounds of one follow each other."""
        await at_once(self.wanted.jobs, self._rounds, submitted)

    async def _rounds(self, submission: Submitted) -> None:
        given, made = submission.rounds[: self.wanted.rounds], self.wanted.rounds or 0
        for number, folder in enumerate(given, start=1):
            row = await self._round(submission, number, folder)
        for number in range(len(given) + 1, made + 1):
            if not self.wanted.repair_command or row.error:
                return
            try:
                folder = await asyncio.to_thread(self._repaired, submission, folder, row)
            except UserError as error:
                self._tell(self._row(submission, number, "", error=error.what))
                return
            row = await self._round(submission, number, folder)

    async def _round(self, submission: Submitted, number: int, folder: Path) -> RoundRow:
        digest = await asyncio.to_thread(inputs, submission.given, folder)
        fresh = self._row(submission, number, digest)
        row = self.known.get(_key(fresh))
        if row is None or (self.wanted.repair_command and not self._repair_file(row).exists()):
            row = await self._judge(submission, fresh, folder)
            ROUNDS.append(self.wanted.out / "rows.jsonl", row)
        self._tell(row)
        return row

    async def _judge(self, submission: Submitted, row: RoundRow, folder: Path) -> RoundRow:
        started, plan = time.monotonic(), submission.given / PLAN
        try:
            submitted = SubmittedFolder(submission.given, folder, plan)
            done = await judge_submission(self.settings, submitted, FolderRequest(folder))
            report = open_artifacts(self.settings).get(done.report_key, "report.json")
            document = read_machine(report or b"")
        except UserError as error:
            return self._row(submission, row.round, row.inputs, error=error.what)
        items = items_of(document, plan)
        if document.problem or not items:
            why = document.problem or document.title
            return self._row(submission, row.round, row.inputs, error=why)
        file = self._repair_file(row)
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps([asdict(one) for one in repair_rows(document)], indent=2))
        seconds = round(time.monotonic() - started, 1)
        return replace(row, items=items, seconds=seconds, cost=document.cost)

    def _row(self, one: Submitted, number: int, digest: str, error: str = "") -> RoundRow:
        models, code = models_of(self.settings), code_version(PACKAGES)
        said = clip_line(error, _MOST_ERROR)
        return RoundRow(one.task, one.agent, number, digest, models, code, error=said)

    def _tell(self, row: RoundRow) -> None:
        self.rows.append(row)
        undecided = sum(item.points is None for item in row.items)
        said = row.error or f"{row.score:6.2f} %  {len(row.items)} items, {undecided} undecided"
        say(self.console, f"{row.agent}  {row.task}  round {row.round}  {said}")

    def _repair_file(self, row: RoundRow) -> Path:
        return self.wanted.out / "repair" / f"{row.agent}-{row.task}-{row.inputs}.json"

    def _repaired(self, submission: Submitted, folder: Path, row: RoundRow) -> Path:
        """Run the operator's command in a copy of the last round. Raises UserError when it fails.

        The rows are Assay's own answer; the command runs on this machine, since the operator typed it.
        """
        command, rows = self.wanted.repair_command, self._repair_file(row).resolve()
        digest = hashlib.sha256(f"{command} {row.inputs}".encode()).hexdigest()[:12]
        name = f"round-{row.round + 1}-{digest}"
        made = self.wanted.out.resolve() / "rounds" / submission.agent / submission.task / name
        if made.exists():
            return made
        part = made.with_name(f"{made.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part, symlinks=True)
        try:
            subprocess.run(  # noqa: S602 - a shell line of the operator's own
                command,
                shell=True,
                cwd=part,
                env={**os.environ, ROWS_VARIABLE: str(rows)},
                timeout=_REPAIR_LIMIT_S,
                check=True,
            )
        except subprocess.SubprocessError as error:
            raise UserError(f"The repair command failed: {error}.", "") from error
        part.rename(made)
        return made


# --- what is printed and written: names and outputs are hostile, so nothing is markup --------


def _cells(one: RoundScore) -> tuple[str, ...]:
    counts = (one.tasks, one.items, one.full, one.half, one.none, one.undecided)
    gain = "" if one.gain is None else f"{one.gain:+.2f}"
    kind = one.kind or "all"
    return (
        one.agent,
        str(one.round),
        kind,
        *map(str, counts),
        f"{one.score:.2f}",
        f"{one.could_be:.2f}",
        gain,
    )


def _write(out: Path, scores: Sequence[RoundScore], rows: Sequence[RoundRow]) -> None:
    items = [
        (row.agent, row.task, str(row.round), item.metric, item.kind,
         "" if item.points is None else str(item.points), item.verdict, item.explanation)
        for row in rows
        for item in row.items
    ]  # fmt: skip
    for name, names, lines in (
        ("scores", _SCORES, [_cells(one) for one in scores]),
        ("items", _ITEMS, items),
    ):
        write_table(out / f"{name}.csv", names, lines)
    if measures.has_statistics("matplotlib"):
        # Each agent's score over the rounds, and what it could be at most.
        figure = measures.library("matplotlib.figure").Figure(figsize=(7, 5), layout="constrained")
        axes = figure.add_subplot(xlabel="round", ylabel="score, percent", ylim=(-2, 102))
        whole = [one for one in scores if one.kind is None]
        for place, agent in enumerate(dict.fromkeys(one.agent for one in whole)):
            own = [one for one in whole if one.agent == agent]
            rounds, color = [one.round for one in own], f"C{place % 10}"
            label = scrub(agent).replace("$", r"\$")
            axes.plot(rounds, [one.score for one in own], marker="o", color=color, label=label)
            axes.plot(rounds, [one.could_be for one in own], linestyle=":", color=color)
        axes.set_xticks(sorted({one.round for one in whole}))
        axes.set_title("Score by round; dotted: if all that is undecided were met")
        if whole:
            axes.legend(loc="lower right")
        figure.savefig(out / "scores.png", dpi=120)
