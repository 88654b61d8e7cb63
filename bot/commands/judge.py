"""`assay judge`: judge a change of a repository on this machine, or a public pull request."""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from bot.commands.wiring import judge_once
from bot.judge import EXIT_CODES
from bot.models import EvaluationRequest, Trigger
from bot.origins.local import LocalOrigin
from bot.report.machine import ReportDocument, read_machine
from bot.settings import Settings, load_settings
from bot.store import open_artifacts

REPORT_FILES = ("report.json", "report.md", "report.html", "report.pdf")


@click.command("judge")
@click.argument("repository", default=".")
@click.option("--base", help="Branch or revision that the change wants into.")
@click.option("--head", default="HEAD", show_default=True, help="Branch or revision to judge.")
@click.option(
    "--task",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with what was asked, as an issue would say it.",
)
@click.option(
    "--description",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with what the pull request says of itself.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("assay-report"),
    show_default=True,
    help="Folder for report.json, .md, .html and .pdf.",
)
@click.option(
    "--sandbox", default="auto", show_default=True, type=click.Choice(("auto", "bubblewrap"))
)
def command(repository: str, base: str | None, head: str, task: Path | None,
            description: Path | None, out: Path, sandbox: str) -> None:  # fmt: skip
    """Judge REPOSITORY (a folder) between --base and --head, or a pull request by its URL.

    Exits with 0 success, 1 failure, 3 a person must decide, 2 usage or set-up error.
    """
    settings = load_settings().model_copy(update={"sandbox": sandbox})
    if repository.startswith(("https://", "http://")):
        raise click.UsageError("judging a pull request by URL is not there yet")
    if base is None:
        raise click.UsageError("--base is needed with a folder, for example --base main")
    request = EvaluationRequest(
        id=f"local-{secrets.token_hex(8)}",
        repository=str(Path(repository).resolve()),
        head_sha="",
        base_sha="",
        base_ref=base,
        head_ref=head,
        trigger=Trigger.LOCAL,
        task_text=task.read_text(errors="replace") if task else "",
        description=description.read_text(errors="replace") if description else "",
    )
    sys.exit(_judge(settings, request, out))


def _judge(settings: Settings, request: EvaluationRequest, out: Path) -> int:
    console = Console(stderr=True)
    with console.status("starting") as status:
        origin = LocalOrigin(
            Path(request.repository), settings.home / "git", _teller(console, status)
        )
        publication = asyncio.run(judge_once(settings, origin, request))
    _copy_report(settings, publication.report_key, out)
    document = read_machine((out / "report.json").read_bytes())
    _print(Console(), document, out)
    return EXIT_CODES[publication.conclusion]


def _copy_report(settings: Settings, key: str, out: Path) -> None:
    artifacts = open_artifacts(settings)
    out.mkdir(parents=True, exist_ok=True)
    for name in REPORT_FILES:
        content = artifacts.get(key, name)
        if content is not None:
            (out / name).write_bytes(content)


def _teller(console: Console, status: Status) -> Callable[[str], None]:
    """Show the stage that runs, and leave a line for each that ended."""
    began: list[tuple[str, float]] = []

    def tell(stage: str) -> None:
        if began:
            ended, start = began.pop()
            console.print(f"[dim]{ended:<12} {time.monotonic() - start:6.1f} s[/dim]")
        began.append((stage, time.monotonic()))
        status.update(stage)

    return tell


def _print(console: Console, document: ReportDocument, out: Path) -> None:
    table = Table(box=None)
    for title in ("", "verdict", "decided by", "requirement"):
        table.add_column(title)
    for row in document.requirements:
        table.add_row(row.id, row.verdict, row.decided_by, escape(row.text[:100]))
    console.print(f"[bold]{document.conclusion}[/bold]: {escape(document.title)}")
    console.print(table)
    for step in document.next_steps[:5]:
        console.print(f"- {escape(step)}")
    console.print(f"Report: {out / 'report.html'}")
