"""What is judged for the terminal only: nothing is posted, no page is served."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.configuration import PolicyContext
from bot.services import Answer
from bot.values import EvaluationRequest, Plan, Publication, Standing


@dataclass(frozen=True, slots=True)
class Unposted:
    """The side of an origin that answers; `tell` hears each stage."""

    tell: Callable[[str], None]

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """Whoever runs the command chose the base, and is told nothing that blocks a merge."""
        return PolicyContext()

    async def members(self, request: EvaluationRequest) -> tuple[Standing, ...]:
        """One change is no merge group."""
        return ()

    async def announce(
        self, request: EvaluationRequest, stage: str, plan: Plan | None = None
    ) -> None:
        """Tell the terminal."""
        self.tell(stage)

    def link(self, request: EvaluationRequest) -> str:
        """No page is served for it."""
        return ""

    async def publish(self, answer: Answer) -> Publication:
        """Say where the report is; the command copies it to where the person wants it."""
        self.tell("publish")
        evaluation = answer.evaluation
        return Publication(evaluation.request.id, evaluation.gate.conclusion, answer.report_key)
