"""`assay compare`: judge several patches for one task by one plan, and rank them."""

from __future__ import annotations

import asyncio
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import click
from pydantic import TypeAdapter
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bot.commands.judge import copy_report, make_folder, request_for
from bot.commands.progress import COLOURS, TerminalProgress, table_console
from bot.commands.services import judge_once
from bot.errors import UserError
from bot.report.machine import read_machine
from bot.report.ranking import Contestant, NotComparable, Rank, ranking
from bot.settings import Settings, load_settings, make_home
from bot.source.local import LocalOrigin
from bot.values import Conclusion, FolderRequest
from sandbox.repository.local_repository import toplevel

MOST_HEADS = 20
_RANKS = TypeAdapter(tuple[Rank, ...])


@dataclass(frozen=True, slots=True)
class CompareCommand:
    """The command line: `heads` are branches or revisions of `repository`."""

    repository: Path
    heads: tuple[str, ...]
    base: str | None
    task: Path
    out: Path


def run(repository: Path, heads: tuple[str, ...], base: str | None, task: Path, out: Path) -> None:
    """Judge each head, print the table, and end with 0 where the best one passes, else with 1."""
    wanted = CompareCommand(repository, tuple(dict.fromkeys(heads)), base, task, out)
    heads = wanted.heads
    if not 2 <= len(heads) <= MOST_HEADS:
        raise UserError(f"Name 2 to {MOST_HEADS} different branches or revisions to compare.")
    settings = load_settings().model_copy(update={"pdf": False})
    make_home(settings.home)
    make_folder(wanted.out)
    with TerminalProgress(Console(stderr=True)) as progress:
        found = asyncio.run(_judged(settings, wanted, progress))
    try:
        ranks = ranking(found)
    except NotComparable as error:
        raise UserError(f"The patches cannot be compared. {error}") from error
    (wanted.out / "ranking.json").write_bytes(_RANKS.dump_json(ranks, indent=2) + b"\n")
    console = table_console()
    table = Table(
        "", "patch", "conclusion", "met", "not met", "why", box=None, padding=(0, 2, 0, 0)
    )
    for one in ranks:
        colour = COLOURS.get(one.conclusion, "yellow")
        table.add_row(
            f"{one.place}{'=' if one.is_tied else ''}",
            escape(one.name),
            f"[{colour}]{one.conclusion}[/]",
            f"{one.met} of {one.total}",
            escape(", ".join(one.unmet)),
            escape(one.reason),
        )
    console.print(table)
    console.print(f"[dim]reports[/dim] {escape(str(wanted.out))}", highlight=False, soft_wrap=True)
    sys.exit(0 if ranks[0].conclusion is Conclusion.SUCCESS else 1)


async def _judged(
    settings: Settings, wanted: CompareCommand, progress: TerminalProgress
) -> tuple[Contestant, ...]:
    """Judge one after the other by the first one's plan. What heads say of themselves demands nothing."""
    folder = await asyncio.to_thread(toplevel, wanted.repository.resolve())
    origin = LocalOrigin(progress.tell, folder, settings.home / "git", counts_claims=False)
    task_text = wanted.task.read_text(encoding="utf-8", errors="replace")
    asked = FolderRequest(folder, task_text=task_text)
    found: list[Contestant] = []
    plan_of = ""
    for number, head in enumerate(wanted.heads, start=1):
        change = await asyncio.to_thread(origin.change, wanted.base, head)
        request = replace(request_for(asked, origin, change), plan_of=plan_of)
        click.echo(f"Judging {head} ({number} of {len(wanted.heads)}).", err=True)
        published = await judge_once(settings, origin, request, count_runs=progress.count)
        name = re.sub(r"[^A-Za-z0-9.]+", "-", head)[:60].strip("-.") or "head"
        place = wanted.out / f"{number}-{name}"
        place.mkdir(exist_ok=True)
        copy_report(settings, published.report_key, place)
        report = read_machine((place / "report.json").read_bytes())
        found.append(Contestant(head, report))
        plan_of = plan_of or (request.id if report.judged else "")
    return tuple(found)
