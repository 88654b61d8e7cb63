"""Puts judges on every requirement that oracles leave to them, in parallel and each for itself.

A panel is CodeVisionary's stage 2: three judges, blind opinions, then up to four rounds of negotiation at
temperature 0.7. Unlike the paper's code, judges can withdraw, no agreement is `unverified`, and the
dissent is shown.
"""

from __future__ import annotations

from dataclasses import replace

from bot.configuration import JudgePolicy
from bot.judges.analyst import Analysed, Assignment, analyse
from bot.judges.canary import try_judges
from bot.judges.chambers import Chambers
from bot.judges.dossier import Dossier
from bot.judges.model.base import ModelProblem
from bot.judges.negotiation import negotiate
from bot.judges.opinion import Question, blind_opinions, facts_text
from bot.judges.votes import count_votes, held_back
from bot.judges.weighing import deciding_steps, is_for_judges
from bot.judges.words_to_judges import words_to_judges
from bot.values import (
    CanaryResult,
    Deliberation,
    PanelResult,
    Requirement,
    Requirements,
    Round,
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
    assigned = [
        Assignment(requirement, verdict, dossier)
        for requirement, verdict in zip(requirements.items, found, strict=True)
        if is_for_judges(requirement, verdict)
    ]
    undecided = [one for one in assigned if one.found.outcome is VerdictOutcome.UNVERIFIED]
    canary = await try_judges(chambers, policy) if undecided and policy.canary else None
    if canary and not canary.is_passed:
        return _not_believed(chambers, canary)
    analysed = await _analyses(chambers, assigned)
    panels = await concurrently(
        *(
            _panel_on(chambers, one.requirement, _with_own(dossier, analysed, one), policy)
            for one in undecided
            if not _is_decided(one, analysed.get(one.requirement.id))
        )
    )
    return Deliberation(
        evidence=tuple(piece for one in analysed.values() for piece in one.evidence),
        analyses=tuple(one.analysis for one in analysed.values()),
        panels=tuple(panels),
        canary=canary,
        usage=chambers.session.usage,
    )


def _is_decided(one: Assignment, analysed: Analysed | None) -> bool:
    """Whether a step that fails on head decides already: nobody is paid to talk about it."""
    if analysed is None:
        return False
    taken = (*one.dossier.evidence, *analysed.evidence)
    return bool(deciding_steps(one.found, analysed.analysis, taken))


def _not_believed(chambers: Chambers, canary: CanaryResult) -> Deliberation:
    """What judges who missed the canary contribute: nothing, and what it cost."""
    problem = f"The judges' opinions count for nothing. {' '.join(canary.failures)}"
    return Deliberation(canary=canary, usage=chambers.session.usage, problem=problem)


async def _analyses(chambers: Chambers, assigned: list[Assignment]) -> dict[str, Analysed]:
    """One analyst a requirement, all at the same time; none sees what another came to."""
    if chambers.acting is None:
        return {}
    done = await concurrently(*(analyse(chambers, chambers.acting, one) for one in assigned))
    return {one.analysis.requirement_id: one for one in done}


def _with_own(dossier: Dossier, analysed: dict[str, Analysed], one: Assignment) -> Dossier:
    """What the requirement's own analyst saw can be cited too; what it thinks is not told."""
    own = analysed.get(one.requirement.id)
    return replace(dossier, evidence=(*own.evidence, *dossier.evidence)) if own else dossier


async def _panel_on(
    chambers: Chambers, requirement: Requirement, dossier: Dossier, policy: JudgePolicy
) -> PanelResult:
    question = Question(requirement, dossier, dossier.about(requirement))
    try:
        return await ask_panel(chambers, question, policy)
    except ModelProblem as error:
        return PanelResult(requirement.id, VerdictOutcome.UNVERIFIED, error.why)


async def ask_panel(chambers: Chambers, question: Question, policy: JudgePolicy) -> PanelResult:
    """Ask every judge blind, then let them negotiate. Raises BudgetSpent or ModelAway.

    Where what they read speaks to judges, "satisfied" is for a person.
    """
    first = Round(0, (), await blind_opinions(chambers, question, policy.count))
    rounds = await negotiate(chambers, question, first, policy.rounds)
    counted = count_votes(question.requirement, question.shown, rounds)
    spoken = question.dossier.words_to_judges or words_to_judges(facts_text(chambers, question))
    return held_back(counted, spoken) if spoken else counted
