"""`assay judge`: judge a change of a repository on this machine, or a public pull request."""

from __future__ import annotations

import asyncio
import importlib
import secrets
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bot.commands.asked import COMPARED, OUT, Asked
from bot.commands.once import judge_once
from bot.commands.progress import Progress, print_report
from bot.errors import UserError
from bot.evaluation.bundle import NAME as BUNDLE
from bot.own_folder import make_home, make_own_folder
from bot.report.machine import read_machine
from bot.report.pictures import embedded
from bot.settings import Settings, load_settings
from bot.source.local import Change, LocalOrigin, not_judged
from bot.source.submission import GIVEN, SUBMITTED, Submission, committed
from bot.store import Artifacts, open_artifacts
from bot.values import EvaluationRequest, Publication, Trigger
from bot.verdict.gate import EXIT_CODES
from sandbox.repository.local_repository import toplevel

REPORT_FILES = (
    "report.json",
    "report.md",
    "report.html",
    "report.pdf",
    "report.sarif",
    "plan.json",
)
Judge = Callable[[Settings, str, Progress], Coroutine[Any, Any, Publication]]


def run(asked: Asked) -> None:
    """Judge what the command line names, and end with the conclusion's exit code."""
    settings = load_settings()
    if asked.sandbox:
        settings = settings.model_copy(update={"sandbox": asked.sandbox})
    if asked.no_pdf:
        settings = settings.model_copy(update={"pdf": False})
    make_home(settings.home)
    make_folder(asked.out)
    with Progress(Console(stderr=True)) as progress:
        publication = asyncio.run(_judging(settings, asked, progress))
    copy_report(settings, publication.report_key, asked.out)
    document = read_machine((asked.out / "report.json").read_bytes())
    print_report(Console(), document, _written(asked.out))
    sys.exit(EXIT_CODES[publication.conclusion])


def _judging(
    settings: Settings, asked: Asked, progress: Progress
) -> Coroutine[Any, Any, Publication]:
    """Import what talks to GitHub only for a pull request's address: it takes half a second."""
    if asked.criteria:
        return _judge_submission(settings, asked, progress)
    if not asked.is_address:
        return _judge_folder(settings, asked, progress)
    judge: Judge = importlib.import_module("bot.commands.judge_address").judge_address
    return judge(settings, asked.repository, progress)


async def _judge_submission(settings: Settings, asked: Asked, progress: Progress) -> Publication:
    """Put the given files on one branch and the submission over them on another, and judge that."""
    if asked.criteria is None:
        raise AssertionError("a submission is judged by a test plan")
    plan = asked.criteria.resolve()
    given = (asked.given or plan.parent.parent).resolve()
    wanted = Submission(given, asked.folder, plan)
    with committed(wanted, settings.home.absolute() / "submissions") as repository:
        origin = LocalOrigin(progress.tell, repository, settings.home / "git", is_submission=True)
        change = await asyncio.to_thread(origin.change, GIVEN, SUBMITTED)
        request = _request(asked, origin, change)
        return await judge_once(settings, origin, request, count_runs=progress.count)


async def _judge_folder(settings: Settings, asked: Asked, progress: Progress) -> Publication:
    folder = await asyncio.to_thread(toplevel, asked.folder)
    origin = LocalOrigin(progress.tell, folder, settings.home / "git")
    change = await asyncio.to_thread(
        origin.change, asked.base, asked.head, with_work_tree=asked.worktree
    )
    click.echo(f"Judging {change.head} ({change.head_sha[:10]}) against {change.base}.", err=True)
    if change.left_out:
        click.echo(not_judged(change.left_out), err=True)
    request = _request(asked, origin, change)
    return await judge_once(settings, origin, request, count_runs=progress.count)


def _request(asked: Asked, origin: LocalOrigin, change: Change) -> EvaluationRequest:
    return EvaluationRequest(
        id=f"local-{secrets.token_hex(8)}",
        repository=str(origin.repository),
        head_sha=change.head_sha,
        base_sha="",
        base_ref=change.base,
        head_ref=change.head,
        trigger=Trigger.LOCAL,
        task_text=_read(asked.task),
        description=_read(asked.description),
    )


def _read(path: Path | None) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path else ""


def make_folder(out: Path) -> None:
    """Make a folder for reports before the work begins, so that nobody waits for what cannot be written."""
    if out.name in (OUT, COMPARED):
        make_own_folder(out, "Name a folder for the report with --out.")
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"The report cannot be written to {out}: {error.strerror}.", "Name a folder with --out."
        ) from error


def copy_report(settings: Settings, key: str, out: Path) -> None:
    """Copy a report's files to where a person wants them, and remove an older report's."""
    artifacts = open_artifacts(settings)
    for name in REPORT_FILES:
        content = artifacts.get(key, name)
        if content is None:
            (out / name).unlink(missing_ok=True)  # an older report's
        else:
            (out / name).write_bytes(content)
    if (record := artifacts.get(key, BUNDLE)) is not None:
        (out / BUNDLE).write_bytes(record)
    _copy_pictures(artifacts, key, out)


def _copy_pictures(artifacts: Artifacts, key: str, out: Path) -> None:
    """Put the pictures beside the report, and into its page: there it is read without a server."""
    page = out / "report.html"
    document = read_machine((out / "report.json").read_bytes())
    rows = [row for evidence in document.evidence for row in evidence.pictures]
    for name in (name for row in rows for name in (row.base, row.head, row.difference) if name):
        if (content := artifacts.get(key, name)) is not None:
            (out / name).write_bytes(content)
    page.write_text(embedded(page.read_text(), lambda name: artifacts.get(key, name)))


def _written(out: Path) -> tuple[Path, ...]:
    return tuple(out / name for name in REPORT_FILES if (out / name).exists())
