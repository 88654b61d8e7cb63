"""One judge's opinion of one requirement: what it is asked, what it may answer, when that counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.citations import citation_problem
from bot.judges.material import (
    Material,
    claimed_text,
    evidence_text,
    requirement_text,
    shared_text,
    shown_evidence,
)
from bot.judges.model.base import Answerless, Prompt
from bot.templates import render_text
from bot.values import TRIAL, Evidence, Opinion, Requirement, Role, Scores, VerdictOutcome
from sandbox.concurrently import concurrently

TEMPERATURE = 0.7
Points = Annotated[int, Field(ge=0, le=4)]
Explained = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
EvidenceId = Annotated[str, StringConstraints(strip_whitespace=True, max_length=80)]


class OpinionReply(BaseModel):
    """A judge's opinion as the model writes it."""

    reason: Explained
    evidence: list[EvidenceId] = Field(default_factory=list, max_length=20)
    outcome: Literal["satisfied", "unsatisfied", "unverified"]
    correctness: Points
    functionality: Points
    clarity: Points


@dataclass(frozen=True, slots=True)
class PanelQuestion:
    """One requirement before the panel."""

    requirement: Requirement
    material: Material
    is_trial: bool = False

    @property
    def about(self) -> str:
        """What the record calls it; the trial's requirement is nobody's."""
        return TRIAL if self.is_trial else self.requirement.id

    @property
    def shown(self) -> tuple[Evidence, ...]:
        """The evidence that the judges see; nothing else can be cited."""
        return shown_evidence(self.material.about(self.requirement))


async def blind_opinions(
    agents: Agents, question: PanelQuestion, count: int
) -> tuple[Opinion, ...]:
    """Ask every judge without what the others say. Raises BudgetSpent or ModelAway."""

    async def asked(prompt: Prompt) -> Opinion:
        try:
            reply = await agents.session.ask(prompt, OpinionReply)
        except Answerless as error:
            return no_opinion(prompt.sample, error.why)
        return opinion_of(prompt.sample, reply, question)

    return tuple(await concurrently(*map(asked, blind_prompts(agents, question, count))))


def blind_prompts(agents: Agents, question: PanelQuestion, count: int) -> tuple[Prompt, ...]:
    """What each judge is asked; judges with the same model look from different sides."""
    texts = agents.texts("panel", facts=facts_text(agents, question), ids=ids_text(question))
    prompts = [
        Prompt(
            Role.PANEL,
            *texts,
            temperature=TEMPERATURE,
            sample=judge,
            about=question.about,
        )
        for judge in range(1, count + 1)
    ]
    if len({agents.session.endpoint(one) for one in prompts}) > 1:
        return tuple(prompts)
    sides = render_text("prompts/panel_sides.txt.j2").splitlines()
    return tuple(
        replace(one, user=f"{one.user}\n{sides[(one.sample - 1) % len(sides)]}") for one in prompts
    )


def opinion_of(judge: int, reply: OpinionReply, question: PanelQuestion) -> Opinion:
    """The reply as an opinion; one whose citations do not hold does not count."""
    outcome = VerdictOutcome(reply.outcome)
    cited = tuple(dict.fromkeys(reply.evidence))
    scores = Scores(reply.correctness, reply.functionality, reply.clarity)
    problem = citation_problem(
        question.requirement, outcome, cited, question.shown, question.material.around
    )
    return Opinion(judge, outcome, reply.reason, cited, scores, problem)


def no_opinion(judge: int, why: str) -> Opinion:
    """What is left of a judge that cannot be read, or that withdrew: it takes no further part."""
    return Opinion(judge, VerdictOutcome.UNVERIFIED, "", problem=why)


def facts_text(agents: Agents, question: PanelQuestion) -> str:
    """Task, change, evidence and requirement, each enclosed; what requirements share comes first."""
    delimiter = agents.delimiter
    parts = (
        shared_text(question.material, delimiter),
        evidence_text(question.shown, delimiter),
        claimed_text(question.material, question.requirement, delimiter),
        requirement_text(question.requirement, delimiter),
    )
    return "\n\n".join(filter(None, parts))


def ids_text(question: PanelQuestion) -> str:
    """The ids that may be cited; they are made by the plan and by analysts, never by what is judged."""
    return ", ".join(one.id for one in question.shown) or "(there are none)"
