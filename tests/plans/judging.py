"""Judges submissions by test plans, as `assay judge FOLDER --criteria FILE` does."""

from __future__ import annotations

import asyncio
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.commands.services import judge_once
from bot.report.machine import ReportDocument, read_machine
from bot.settings import Settings
from bot.source.local import LocalOrigin
from bot.source.submission import GIVEN, SUBMITTED, SubmittedFolder, committed
from bot.store import open_artifacts
from bot.values import EvaluationRequest, Trigger
from tests.plans.faults import Fault

HERE = Path(__file__).parent
_PLACES = [folder / "shared/data/prdbench" for folder in HERE.parents[2:]]
DATA = next((place for place in _PLACES if place.is_dir()), _PLACES[0])
PLAN = "evaluation/detailed_test_plan.json"


@dataclass(frozen=True, slots=True)
class Item:
    """What a report says of one item."""

    verdict: str
    points: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A report, and its items by the number that begins their metric ("2.1.1a")."""

    document: ReportDocument
    rows: bytes

    @property
    def items(self) -> dict[str, Item]:
        assert self.document.plan is not None
        verdicts = {row.id: row for row in self.document.requirements}
        return {
            item.metric.split(maxsplit=1)[0]: Item(
                verdicts[item.requirement_id].verdict, item.points, item.explanation
            )
            for item in self.document.plan.items
        }


def given_files(task: str, folder: Path, *more: Path) -> Path:
    """Copy what a task gives, and what our own tests add to it; skips where the data is not."""
    if not (DATA / task / PLAN).exists():
        pytest.skip(f"the shared data is not here: {DATA / task}")
    given = folder / "given"
    for source in (DATA / task, *more):
        shutil.copytree(source, given, dirs_exist_ok=True)
    return given


def with_fault(submission: Path, fault: Fault, folder: Path) -> Path:
    """Copy a submission and put one fault into it."""
    spoiled = folder / "spoiled"
    shutil.copytree(submission, spoiled)
    file = spoiled / fault.file
    if fault.new is None:
        file.unlink()
        return spoiled
    text = file.read_text()
    assert text.count(fault.old) == 1, f"{fault.name}: {text.count(fault.old)} places"
    file.write_text(text.replace(fault.old, fault.new))
    return spoiled


def judged(settings: Settings, given: Path, submission: Path, plan: str = PLAN) -> Judged:
    """Judge a submission in this process."""
    wanted = SubmittedFolder(given, submission, given / plan)
    with committed(wanted, settings.home / "submissions") as repository:
        origin = LocalOrigin(lambda _: None, repository, settings.home / "git", is_submission=True)
        request = EvaluationRequest(
            id=f"local-{secrets.token_hex(8)}",
            repository=str(repository),
            head_sha="",
            base_sha="",
            base_ref=GIVEN,
            head_ref=SUBMITTED,
            trigger=Trigger.LOCAL,
        )
        publication = asyncio.run(judge_once(settings, origin, request))
    artifacts = open_artifacts(settings)
    report = artifacts.get(publication.report_key, "report.json")
    assert report is not None
    rows = artifacts.get(publication.report_key, "plan.json")
    return Judged(read_machine(report), rows or b"")


def settings_in(folder: Path) -> Settings:
    """Settings with a home of their own, without PDF, which has its own tests."""
    return Settings(home=folder / "home", chromium=str(folder / "none"), pdf=False)
