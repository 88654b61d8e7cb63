"""`assay judge`: judge a change of a repository on this machine, or a public pull request."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.status import Status
from rich.table import Table

from bot.judge import EXIT_CODES
from bot.models import EvaluationRequest, Publication, Trigger
from bot.origins.local import LocalOrigin
from bot.report import ReportDocument
from bot.settings import Settings
from bot.stages import evaluate
from bot.stages.services import Origin, Services
from bot.steps import run_in_process
from bot.store import open_artifacts, open_records
from sandbox import open_sandbox

REPORT_FILES = ("report.json", "report.md", "report.html", "report.pdf")


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked on the command line."""

    out: Path
    sandbox: str


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
    settings = Settings()
    options = Options(out, sandbox)
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
    sys.exit(_judge(settings, request, options))


def _judge(settings: Settings, request: EvaluationRequest, options: Options) -> int:
    console = Console(stderr=True)
    with console.status("starting") as status:
        origin = LocalOrigin(
            Path(request.repository), settings.home / "git", _teller(console, status)
        )
        publication = asyncio.run(judge_once(settings, options.sandbox, origin, request))
    with open_artifacts(settings) as artifacts:
        options.out.mkdir(parents=True, exist_ok=True)
        for name in REPORT_FILES:
            content = artifacts.get(publication.report_key, name)
            if content is not None:
                (options.out / name).write_bytes(content)
    document = ReportDocument.model_validate_json((options.out / "report.json").read_bytes())
    _print(Console(), document, options.out)
    return EXIT_CODES[publication.conclusion]


async def judge_once(
    settings: Settings, sandbox: str, origin: Origin, request: EvaluationRequest
) -> Publication:
    """Run one evaluation here and now, without an engine."""
    with ExitStack() as stack:
        services = Services(
            settings=settings,
            sandbox=open_sandbox(sandbox, settings.home / "sandbox"),
            store=stack.enter_context(open_records(settings)),
            artifacts=stack.enter_context(open_artifacts(settings)),
            origin=origin,
        )
        return await evaluate(request, services, run_in_process)
