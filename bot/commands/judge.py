"""`assay judge`: judge a change of a repository on this machine, or a public pull request."""

from __future__ import annotations

import asyncio
import importlib
import secrets
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Protocol

import click
from rich.console import Console

from bot.commands.asked import COMPARED, OUT, JudgeArguments
from bot.commands.progress import TerminalProgress, print_report
from bot.commands.services import judge_once
from bot.errors import UserError
from bot.evaluation.recording import BUNDLE_NAME as BUNDLE
from bot.report.machine import read_machine
from bot.report.pictures import embedded
from bot.settings import Settings, load_settings, make_home, make_own_folder
from bot.source.local import LocalChange, LocalOrigin, not_judged
from bot.source.submission import GIVEN, SUBMITTED, SubmittedFolder, committed
from bot.store import open_artifacts
from bot.trajectory.reading import MOST_CHARACTERS
from bot.values import EvaluationRequest, FolderRequest, Publication, Trigger
from bot.verdict.gate import EXIT_CODES
from sandbox.repository.local_repository import toplevel

Judge = Callable[[Settings, str, TerminalProgress], Coroutine[Any, Any, Publication]]


def run(asked: JudgeArguments) -> None:
    """Judge what the command line names, and end with the conclusion's exit code."""
    settings = load_settings()
    if asked.sandbox:
        settings = settings.model_copy(update={"sandbox": asked.sandbox})
    if asked.no_pdf:
        settings = settings.model_copy(update={"pdf": False})
    make_home(settings.home)
    make_folder(asked.out)
    with TerminalProgress(Console(stderr=True)) as progress:
        judging: Coroutine[Any, Any, Publication]
        if asked.criteria:
            plan = asked.criteria.resolve()
            given = (asked.given or plan.parent.parent).resolve()
            submitted = SubmittedFolder(given, asked.folder, plan)
            judging = judge_submission(settings, submitted, _wanted(asked), progress)
        elif asked.is_address:
            # Only here is imported what talks to GitHub: it takes half a second.
            judge: Judge = importlib.import_module("bot.commands.judge_address").judge_address
            judging = judge(settings, asked.repository, progress)
        else:
            judging = judge_folder(settings, _wanted(asked), progress)
        publication = asyncio.run(judging)
    copy_report(settings, publication.report_key, asked.out)
    document = read_machine((asked.out / "report.json").read_bytes())
    files = tuple(asked.out / name for name in REPORT_FILES)
    print_report(Console(), document, tuple(file for file in files if file.exists()))
    sys.exit(EXIT_CODES[publication.conclusion])


def _wanted(asked: JudgeArguments) -> FolderRequest:
    return FolderRequest(
        folder=asked.folder,
        base=asked.base,
        head=asked.head,
        with_work_tree=asked.worktree,
        task_text=_read(asked.task),
        description=_read(asked.description),
        trajectory=_read(asked.trajectory, MOST_CHARACTERS + 1),
    )


def _read(path: Path | None, most_characters: int = -1) -> str:
    if path is None:
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(most_characters)


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


REPORT_FILES = (
    "report.json",
    "report.md",
    "report.html",
    "report.pdf",
    "report.sarif",
    "plan.json",
)


class Listener(Protocol):
    """Whoever waits for a judgement."""

    def tell(self, stage: str) -> None:
        """Hear that a stage begins."""

    def count(self, ended: int, of: int) -> None:
        """Hear that some of the test runs have ended."""


async def judge_folder(
    settings: Settings, wanted: FolderRequest, listener: Listener
) -> Publication:
    """Judge the change, and say on stderr which one it is. Raises as `judge_once` does."""
    folder = await asyncio.to_thread(toplevel, wanted.folder)
    origin = LocalOrigin(listener.tell, folder, settings.home / "git")
    change = await asyncio.to_thread(
        origin.change, wanted.base, wanted.head, with_work_tree=wanted.with_work_tree
    )
    click.echo(f"Judging {change.head} ({change.head_sha[:10]}) against {change.base}.", err=True)
    if change.left_out:
        click.echo(not_judged(change.left_out), err=True)
    request = request_for(wanted, origin, change)
    return await judge_once(settings, origin, request, count_runs=listener.count)


async def judge_submission(
    settings: Settings,
    submitted: SubmittedFolder,
    wanted: FolderRequest,
    listener: Listener | None = None,
) -> Publication:
    """Put the given files on one branch and the submission over them on another, and judge that."""
    tell = listener.tell if listener else lambda _stage: None
    with committed(submitted, settings.home.absolute() / "submissions") as repository:
        origin = LocalOrigin(tell, repository, settings.home / "git", is_submission=True)
        change = await asyncio.to_thread(origin.change, GIVEN, SUBMITTED)
        request = request_for(wanted, origin, change)
        count = listener.count if listener else None
        return await judge_once(settings, origin, request, count_runs=count)


def request_for(
    wanted: FolderRequest, origin: LocalOrigin, change: LocalChange
) -> EvaluationRequest:
    """Return the request for a change that was found."""
    return EvaluationRequest(
        id=f"local-{secrets.token_hex(8)}",
        repository=str(origin.repository),
        head_sha=change.head_sha,
        base_sha="",
        base_ref=change.base,
        head_ref=change.head,
        trigger=Trigger.LOCAL,
        task_text=wanted.task_text,
        description=wanted.description,
        trajectory=wanted.trajectory,
        is_uncommitted=change.is_uncommitted,
    )


def copy_report(settings: Settings, key: str, out: Path) -> None:
    """Copy a report's files and pictures to a folder, and take away those of an older report."""
    artifacts = open_artifacts(settings)
    for name in REPORT_FILES:
        content = artifacts.get(key, name)
        if content is None:
            (out / name).unlink(missing_ok=True)  # an older report's
        else:
            (out / name).write_bytes(content)
    if (record := artifacts.get(key, BUNDLE)) is not None:
        (out / BUNDLE).write_bytes(record)
    # The pictures stand beside the report, and in its page: there it is read without a server.
    page = out / "report.html"
    document = read_machine((out / "report.json").read_bytes())
    rows = [row for evidence in document.evidence for row in evidence.pictures]
    for picture in (name for row in rows for name in (row.base, row.head, row.difference) if name):
        if (content := artifacts.get(key, picture)) is not None:
            (out / picture).write_bytes(content)
    page.write_text(embedded(page.read_text(), lambda name: artifacts.get(key, name)))
