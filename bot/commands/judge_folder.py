"""Judge a folder of this machine, for whoever asks: `assay judge`, or an agent of `assay mcp`."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import click

from bot.commands.services import judge_once
from bot.evaluation.recording import BUNDLE_NAME as BUNDLE
from bot.report.machine import read_machine
from bot.report.pictures import embedded
from bot.settings import Settings
from bot.source.local import LocalChange, LocalOrigin, not_judged
from bot.source.submission import GIVEN, SUBMITTED, SubmittedFolder, committed
from bot.store import open_artifacts
from bot.values import EvaluationRequest, Publication, Trigger
from sandbox.repository.local_repository import toplevel

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
        ...

    def count(self, ended: int, of: int) -> None:
        """Hear that some of the test runs have ended."""
        ...


@dataclass(frozen=True, slots=True)
class FolderRequest:
    """What to judge: by default HEAD against the remote's default branch, and the texts about it."""

    folder: Path
    base: str | None = None
    head: str | None = None
    with_work_tree: bool = False
    task_text: str = ""
    description: str = ""
    trajectory: str = ""


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
