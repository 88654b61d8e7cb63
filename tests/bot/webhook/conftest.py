"""A adapters with all around it: a real job store, real records, GitHub in memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.errors import AssayError, UserError
from bot.evaluation.rubrics import Branch, RubricRule
from bot.judges.rubric_drafting import AskedIssue
from bot.queue import EngineClient, EngineOptions
from bot.report.model import ReportView
from bot.steps import run_in_process
from bot.store import EvaluationRecord, Store
from bot.values import (
    Answered,
    Delivery,
    Evaluation,
    EvaluationRequest,
    Forecast,
    Question,
    Rubric,
)
from bot.webhook.adapters import Adapters
from bot.webhook.handle import handle
from tests.bot.webhook.pretended_github import PretendedGitHub, PretendedRepository


@dataclass
class PretendedDrafter:
    """Drafts what a test wrote; `asked` are the drafts that were really made."""

    drafted: Rubric | UserError = field(default_factory=lambda: UserError("No model is set."))
    needed: int = 2
    path: str = ""
    asked: list[tuple[Branch, AskedIssue]] = field(default_factory=list)
    meanwhile: Callable[[], None] = field(default=lambda: None)

    async def rule(self, branch: Branch, issue: int) -> RubricRule:
        return RubricRule(self.needed, self.path)

    async def draft(self, branch: Branch, issue: AskedIssue) -> Rubric:
        self.asked.append((branch, issue))
        self.meanwhile()
        if isinstance(self.drafted, UserError):
            raise self.drafted
        return self.drafted


@dataclass
class PretendedForesight:
    """Foresees what a test wrote; `asked` are the evaluations that were planned."""

    told: Forecast | AssayError = field(default_factory=lambda: UserError("No plan.", "Wait."))
    asked: list[EvaluationRequest] = field(default_factory=list)

    async def __call__(self, request: EvaluationRequest) -> Forecast:
        self.asked.append(request)
        if isinstance(self.told, AssayError):
            raise self.told
        return self.told


class NoVerdicts:
    """Nothing was ever judged here."""

    async def evaluation(self, request: EvaluationRequest) -> Evaluation:
        raise UserError("This commit has no verdict to decide about.")

    has_model = False

    async def answer(self, request: EvaluationRequest, question: Question) -> Answered:
        raise UserError("This commit has no verdict to decide about.")

    async def shown(self, request: EvaluationRequest) -> ReportView:
        raise UserError("This commit has no verdict to decide about.")

    async def conclude_again(self, request: EvaluationRequest) -> Evaluation:
        return await self.evaluation(request)


@dataclass
class Office:
    """A adapters with all around it, and short ways to ask what happened."""

    adapters: Adapters
    hello: PretendedRepository
    records: Store
    jobs: EngineClient
    drafter: PretendedDrafter
    foresight: PretendedForesight

    async def take(self, delivery: Delivery) -> None:
        await handle(self.adapters, delivery, run_in_process)

    @property
    def latest(self) -> EvaluationRecord:
        """The newest evaluation of all."""
        return self.records.recent(1)[0]

    def request(self) -> EvaluationRequest:
        found = self.records.request(self.latest.id)
        assert found
        return found


@pytest.fixture
def office(tmp_path: Path, empty_job_store: Path, empty_records: Path) -> Iterator[Office]:
    options = EngineOptions(f"sqlite:///{tmp_path / 'engine.db'}", tmp_path)
    for store in (empty_job_store, empty_records):
        shutil.copy(store, tmp_path)
    jobs, github = EngineClient(options), PretendedGitHub()
    with Store(f"sqlite:///{tmp_path / 'records.db'}") as records:
        drafter, foresight = PretendedDrafter(), PretendedForesight()

        def link(name: str) -> str:
            return f"https://assay.example/{name}"

        adapters = Adapters(github, records, jobs, link, "Assay", drafter, foresight, NoVerdicts())
        yield Office(adapters, github.hello, records, jobs, drafter, foresight)
    jobs.close()
