"""One evaluation as the dashboard's tables show it."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bot.store import EvaluationRecord, ListedEvaluation
from bot.web.api.standing import progress_of
from bot.web.pages import unsigned


@dataclass(frozen=True, slots=True)
class Row:
    """One evaluation as a list shows it."""

    listed: ListedEvaluation

    @property
    def record(self) -> EvaluationRecord:
        """What is known of it."""
        return self.listed.record

    @property
    def agent(self) -> str:
        """Who wrote the change, if it is a known agent."""
        return self.listed.facts.agent

    @property
    def address(self) -> str:
        """Its page."""
        return unsigned(self.record.id)

    @property
    def stage(self) -> tuple[int, int]:
        """The number of the stage, and of how many."""
        progress = progress_of(self.record)
        return progress.number, progress.of

    @property
    def began(self) -> str:
        """When it came in (UTC)."""
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.record.created_s))
