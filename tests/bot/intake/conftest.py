"""A desk with all around it: a real job store, real records, GitHub in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.engine import EngineClient, EngineOptions, migrate
from bot.intake.desk import Desk
from bot.intake.handle import handle
from bot.models import Delivery, EvaluationRequest
from bot.steps import run_in_process
from bot.store import EvaluationRecord, Records
from tests.bot.intake.pretended_github import PretendedGitHub, PretendedRepository


@dataclass
class Office:
    """A desk with all around it, and short ways to ask what happened."""

    desk: Desk
    hello: PretendedRepository
    records: Records
    jobs: EngineClient

    async def take(self, delivery: Delivery) -> None:
        await handle(self.desk, delivery, run_in_process)

    @property
    def latest(self) -> EvaluationRecord:
        """The newest evaluation of all."""
        return self.records.recent(1)[0]

    def request(self) -> EvaluationRequest:
        found = self.records.request(self.latest.id)
        assert found
        return found


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    options = EngineOptions(f"sqlite:///{tmp_path / 'engine.db'}", tmp_path)
    migrate(options)
    jobs, github = EngineClient(options), PretendedGitHub()
    with Records(f"sqlite:///{tmp_path / 'records.db'}") as records:
        records.migrate()
        desk = Desk(github, records, jobs, lambda name: f"https://assay.example/{name}", "Assay")
        yield Office(desk, github.hello, records, jobs)
    jobs.close()
