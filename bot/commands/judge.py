"""`assay judge`: judge a change of a repository on this machine, or a public pull request."""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from rich.console import Console

from bot.commands.asked import COMPARED, OUT, JudgeArguments
from bot.commands.judge_folder import (
    REPORT_FILES,
    FolderRequest,
    copy_report,
    judge_folder,
    request_for,
)
from bot.commands.progress import TerminalProgress, print_report
from bot.commands.services import judge_once
from bot.errors import UserError
from bot.report.machine import read_machine
from bot.settings import Settings, load_settings, make_home, make_own_folder
from bot.source.local import LocalOrigin
from bot.source.submission import GIVEN, SUBMITTED, SubmittedFolder, committed
from bot.trajectory.reading import MOST_CHARACTERS
from bot.values import Publication
from bot.verdict.gate import EXIT_CODES

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
        publication = asyncio.run(_judging(settings, asked, progress))
    copy_report(settings, publication.report_key, asked.out)
    document = read_machine((asked.out / "report.json").read_bytes())
    files = tuple(asked.out / name for name in REPORT_FILES)
    print_report(Console(), document, tuple(file for file in files if file.exists()))
    sys.exit(EXIT_CODES[publication.conclusion])


def _judging(
    settings: Settings, asked: JudgeArguments, progress: TerminalProgress
) -> Coroutine[Any, Any, Publication]:
    """Import what talks to GitHub only for a pull request's address: it takes half a second."""
    if asked.criteria:
        return _judge_submission(settings, asked, progress)
    if not asked.is_address:
        return judge_folder(settings, _wanted(asked), progress)
    judge: Judge = importlib.import_module("bot.commands.judge_address").judge_address
    return judge(settings, asked.repository, progress)


async def _judge_submission(
    settings: Settings, asked: JudgeArguments, progress: TerminalProgress
) -> Publication:
    """Put the given files on one branch and the submission over them on another, and judge that."""
    if asked.criteria is None:
        raise AssertionError("a submission is judged by a test plan")
    plan = asked.criteria.resolve()
    given = (asked.given or plan.parent.parent).resolve()
    submission = SubmittedFolder(given, asked.folder, plan)
    with committed(submission, settings.home.absolute() / "submissions") as repository:
        origin = LocalOrigin(progress.tell, repository, settings.home / "git", is_submission=True)
        change = await asyncio.to_thread(origin.change, GIVEN, SUBMITTED)
        request = request_for(_wanted(asked), origin, change)
        return await judge_once(settings, origin, request, count_runs=progress.count)


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
