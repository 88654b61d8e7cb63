"""Puts judges on every requirement that oracles leave to them, in parallel and each for itself."""

from __future__ import annotations

from bot.agents.canary import try_judges
from bot.agents.chambers import Chambers
from bot.agents.dossier import Dossier
from bot.agents.opinion import Question
from bot.agents.panel import ask_panel
from bot.configuration import JudgePolicy
from bot.judge.weighing import is_for_judges
from bot.llm.base import ModelProblem
from bot.models import (
    CanaryResult,
    Deliberation,
    PanelResult,
    Requirement,
    Requirements,
    Verdict,
    VerdictOutcome,
)
from sandbox.concurrently import concurrently


async def hold_deliberation(
    chambers: Chambers,
    requirements: Requirements,
    found: tuple[Verdict, ...],
    dossier: Dossier,
    policy: JudgePolicy,
) -> Deliberation:
    """Let analysts and panels look at what is theirs; a budget that is spent ends in `unverified`."""
    undecided = [
        requirement
        for requirement, verdict in zip(requirements.items, found, strict=True)
        if is_for_judges(requirement, verdict) and verdict.outcome is VerdictOutcome.UNVERIFIED
    ]
    canary = await try_judges(chambers, policy) if undecided and policy.canary else None
    if canary and not canary.is_passed:
        return _not_believed(chambers, canary)
    panels = await concurrently(
        *(_panel_on(chambers, requirement, dossier, policy) for requirement in undecided)
    )
    return Deliberation(panels=tuple(panels), canary=canary, usage=chambers.session.usage)


def _not_believed(chambers: Chambers, canary: CanaryResult) -> Deliberation:
    """What judges who missed the canary contribute: nothing, and what it cost."""
    problem = f"The judges' opinions count for nothing. {' '.join(canary.failures)}"
    return Deliberation(canary=canary, usage=chambers.session.usage, problem=problem)


async def _panel_on(
    chambers: Chambers, requirement: Requirement, dossier: Dossier, policy: JudgePolicy
) -> PanelResult:
    question = Question(requirement, dossier, dossier.about(requirement))
    try:
        return await ask_panel(chambers, question, policy)
    except ModelProblem as error:
        return PanelResult(requirement.id, VerdictOutcome.UNVERIFIED, error.why)
