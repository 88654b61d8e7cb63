"""A panel of judges for one requirement that no oracle decides: blind opinions, then negotiation.

CodeVisionary's stage 2: three judges, up to four rounds, temperature 0.7. Unlike the paper's code,
no agreement is `unverified`, and the dissent is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.agents.chambers import Chambers
from bot.agents.dossier import Dossier, evidence_text, shared_text
from bot.configuration import JudgePolicy
from bot.judge.citations import citation_problem
from bot.llm.base import Answerless, Prompt
from bot.models import (
    Evidence,
    Opinion,
    PanelResult,
    Requirement,
    Role,
    Round,
    Scores,
    VerdictOutcome,
)
from bot.templates import render_text
from sandbox.concurrently import concurrently

TEMPERATURE = 0.7
REQUIREMENT_CHARS = 4_500
Points = Annotated[int, Field(ge=0, le=4)]
Explained = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class OpinionReply(BaseModel):
    """A judge's opinion as the model writes it."""

    reason: Explained
    evidence: list[str] = Field(default_factory=list, max_length=20)
    outcome: Literal["satisfied", "unsatisfied", "unverified"]
    correctness: Points
    functionality: Points
    clarity: Points


@dataclass(frozen=True, slots=True)
class Question:
    """One requirement before the panel, with the evidence that may be cited."""

    requirement: Requirement
    dossier: Dossier
    evidence: tuple[Evidence, ...]


async def ask_panel(chambers: Chambers, question: Question, policy: JudgePolicy) -> PanelResult:
    """Ask every judge blind, then let them negotiate. Raises BudgetSpent or ModelAway."""
    opinions = await concurrently(
        *(_blind(chambers, question, judge) for judge in range(1, policy.count + 1))
    )
    return conclude_panel(question.requirement, (Round(0, (), tuple(opinions)),))


async def _blind(chambers: Chambers, question: Question, judge: int) -> Opinion:
    prompt = Prompt(
        role=Role.PANEL,
        system=render_text("prompts/panel.system.txt.j2"),
        user=_question_text(chambers, question),
        temperature=TEMPERATURE,
        sample=judge,
    )
    try:
        reply = await chambers.session.ask(prompt, OpinionReply)
    except Answerless as error:
        return Opinion(judge, VerdictOutcome.UNVERIFIED, "", problem=error.why)
    return opinion_of(judge, reply, question)


def opinion_of(judge: int, reply: OpinionReply, question: Question) -> Opinion:
    """The reply as an opinion; one whose citations do not hold does not count."""
    outcome = VerdictOutcome(reply.outcome)
    cited = tuple(dict.fromkeys(reply.evidence))
    scores = Scores(reply.correctness, reply.functionality, reply.clarity)
    problem = citation_problem(outcome, cited, question.evidence)
    return Opinion(judge, outcome, reply.reason, cited, scores, problem)


def _question_text(chambers: Chambers, question: Question) -> str:
    delimiter, requirement = chambers.delimiter, question.requirement
    text = f"{requirement.id} ({requirement.origin}): {requirement.text}\n{requirement.detail}"
    return render_text(
        "prompts/panel.user.txt.j2",
        shared=shared_text(question.dossier, delimiter),
        evidence=evidence_text(question.evidence, delimiter),
        requirement=delimiter.enclose("requirement", text, REQUIREMENT_CHARS),
        mark=delimiter.word,
        ids=", ".join(one.id for one in question.evidence) or "(there are none)",
    )


def conclude_panel(requirement: Requirement, rounds: tuple[Round, ...]) -> PanelResult:
    """Outcomes need a majority of all judges, scores are averaged over the opinions that count."""
    opinions = rounds[-1].opinions
    counting = [one for one in opinions if one.counts]
    scores = [one.scores.mean for one in counting if one.scores]
    votes = {outcome: [o for o in counting if o.outcome is outcome] for outcome in VerdictOutcome}
    best = max(votes.values(), key=len)
    is_agreed = len(best) * 2 > len(opinions)
    outcome = best[0].outcome if is_agreed else VerdictOutcome.UNVERIFIED
    return PanelResult(
        requirement_id=requirement.id,
        outcome=outcome,
        reason=best[0].reason if is_agreed else "The judges did not agree.",
        evidence_ids=tuple(dict.fromkeys(id_ for one in best for id_ in one.evidence_ids)),
        score=round(sum(scores) / len(scores), 2) if scores else None,
        is_agreed=is_agreed,
        rounds=rounds,
        dissent=tuple(one for one in counting if one.outcome is not outcome),
    )
