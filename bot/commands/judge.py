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
    judge_submission,
)
from bot.commands.progress import TerminalProgress, print_report
from bot.errors import UserError
from bot.report.machine import read_machine
from bot.settings import Settings, load_settings, make_home, make_own_folder
from bot.source.submission import SubmittedFolder
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
