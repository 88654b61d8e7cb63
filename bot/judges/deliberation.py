"""Puts judges on every requirement that oracles leave to them, in parallel and each for itself.

A panel is CodeVisionary's stage 2: three judges, blind opinions, then up to four rounds of negotiation at
temperature 0.7. Unlike the paper's code, judges can withdraw, no agreement is `unverified`, and the
dissent is shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from bot.configuration import JudgePolicy
from bot.judges.agents import Agents
from bot.judges.analyst import Analysed, Assignment, analyse
from bot.judges.canary import try_judges
from bot.judges.citations import failing_on_head, words_to_judges
from bot.judges.material import Material
from bot.judges.model.base import Answerless, ModelProblem, Prompt
from bot.judges.opinion import (
    TEMPERATURE,
    Explained,
    OpinionReply,
    PanelQuestion,
    blind_opinions,
    facts_text,
    ids_text,
    no_opinion,
    opinion_of,
)
from bot.judges.weighing import deciding_steps, is_for_judges
from bot.text import Delimiter
from bot.values import (
    Act,
    Deliberation,
    Evidence,
    Opinion,
    PanelResult,
    Requirement,
    Requirements,
    Role,
    Round,
    Statement,
    Verdict,
    VerdictOutcome,
)
from sandbox.concurrently import concurrently


async def hold_deliberation(
    agents: Agents,
    requirements: Requirements,
    found: tuple[Verdict, ...],
    material: Material,
    policy: JudgePolicy,
) -> Deliberation:
    """Let analysts and panels look at what is theirs; a budget that is spent ends in `unverified`."""
    assigned = [
        Assignment(requirement, verdict, material)
        for requirement, verdict in zip(requirements.items, found, strict=True)
        if is_for_judges(requirement, verdict)
    ]
    undecided = [one for one in assigned if one.found.outcome is VerdictOutcome.UNVERIFIED]
    # One analyst a requirement, all at the same time; none sees what another came to.
    acting = agents.acting
    done = await concurrently(*(analyse(agents, acting, one) for one in assigned)) if acting else []
    analysed = {one.analysis.requirement_id: one for one in done}
    left = []
    for one in undecided:
        own = analysed.get(one.requirement.id)
        taken = (*material.evidence, *own.evidence) if own else ()
        # Where a step that fails on head decides already, nobody is paid to talk about it.
        if not (own and deciding_steps(one.requirement, one.found, own.analysis, taken)):
            left.append(one)
    canary = await try_judges(agents, policy) if left and policy.canary else None
    if canary and not canary.is_passed:
        # Judges who missed it contribute nothing but what it cost.
        problem = f"The judges' opinions count for nothing. {' '.join(canary.failures)}"
        return Deliberation(canary=canary, usage=agents.session.usage, problem=problem)
    panels = await concurrently(
        *(_panel_on(agents, one, analysed.get(one.requirement.id), policy) for one in left)
    )
    return Deliberation(
        evidence=tuple(piece for one in analysed.values() for piece in one.evidence),
        analyses=tuple(one.analysis for one in analysed.values()),
        panels=tuple(panels),
        canary=canary,
        usage=agents.session.usage,
    )


async def _panel_on(
    agents: Agents, one: Assignment, own: Analysed | None, policy: JudgePolicy
) -> PanelResult:
    requirement, material = one.requirement, one.material
    if own:  # what its analyst saw can be cited too; what it thinks is not told
        material = replace(material, evidence=(*own.evidence, *material.evidence))
    try:
        return await ask_panel(agents, PanelQuestion(requirement, material), policy)
    except ModelProblem as error:
        return PanelResult(requirement.id, VerdictOutcome.UNVERIFIED, error.why)


async def ask_panel(agents: Agents, question: PanelQuestion, policy: JudgePolicy) -> PanelResult:
    """Ask every judge blind, then let them negotiate. Raises BudgetSpent or ModelAway.

    Where what they read speaks to judges, "satisfied" is for a person.
    """
    first = Round(0, (), await blind_opinions(agents, question, policy.count))
    rounds = await negotiate(agents, question, first, policy.rounds)
    counted = count_votes(question.requirement, question.shown, rounds)
    spoken = question.material.words_to_judges or words_to_judges(facts_text(agents, question))
    return held_back(counted, spoken) if spoken else counted


# --- counts a panel: outcomes need a majority of all its judges, and a fact outweighs any majority


UNSATISFIED, UNVERIFIED = VerdictOutcome.UNSATISFIED, VerdictOutcome.UNVERIFIED


def count_votes(
    requirement: Requirement, evidence: tuple[Evidence, ...], rounds: tuple[Round, ...]
) -> PanelResult:
    """What the last round comes to. Judges without an opinion still count in the denominator.

    A single judge who names a step that fails on head is right, whatever the others think.
    """
    opinions = rounds[-1].opinions
    counting = [one for one in opinions if one.counts]
    for one in counting:
        if one.outcome is UNSATISFIED and (
            facts := failing_on_head(requirement, one.evidence_ids, evidence)
        ):
            reason = f"{facts[0]} fails on head, which no vote outweighs. {one.reason}"
            cited = (*facts, *(id_ for id_ in one.evidence_ids if id_ not in facts))
            by_fact = replace(one, reason=reason, evidence_ids=cited)
            return _told(requirement, rounds, UNSATISFIED, by_fact)
    votes = {outcome: [o for o in counting if o.outcome is outcome] for outcome in VerdictOutcome}
    best = max(votes.values(), key=len)
    if len(best) * 2 <= len(opinions):
        return _told(requirement, rounds, UNVERIFIED, None)
    cited = tuple(dict.fromkeys(id_ for one in best for id_ in one.evidence_ids))
    return _told(requirement, rounds, best[0].outcome, replace(best[0], evidence_ids=cited))


def held_back(result: PanelResult, words: str) -> PanelResult:
    """The result where something that the judges read told them what to say: never satisfied."""
    if result.outcome is not VerdictOutcome.SATISFIED:
        return result
    return replace(
        result,
        outcome=UNVERIFIED,
        is_agreed=False,
        reason=f'What the judges read speaks to judges: "{words}". So their opinions on it do not count.',
    )


def _told(
    requirement: Requirement,
    rounds: tuple[Round, ...],
    outcome: VerdictOutcome,
    spokesman: Opinion | None,
) -> PanelResult:
    opinions = rounds[-1].opinions
    counting = [one for one in opinions if one.counts]
    problems = [one.problem for one in opinions if one.problem]
    reason = spokesman.reason if spokesman else "The judges did not agree."
    if spokesman is None and len(problems) * 2 >= len(opinions):
        few = f"Too few of the {len(opinions)} judges have an opinion that counts."
        reason = f"{few} {problems[0]}"
    scores = [one.scores.mean for one in counting if one.scores]
    return PanelResult(
        requirement_id=requirement.id,
        outcome=outcome,
        reason=reason,
        evidence_ids=spokesman.evidence_ids if spokesman else (),
        score=round(sum(scores) / len(scores), 2) if scores else None,
        is_agreed=spokesman is not None,
        rounds=rounds,
        dissent=tuple(one for one in counting if one.outcome is not outcome),
    )


# --- lets a panel's judges answer one another until they agree (CodeVisionary, section III-C) -----


WITHDRAWN = "It withdrew its opinion."
OPINIONS_CHARS = 12_000
REASON_CHARS = 700
"""Of one reason or explanation in another judge's prompt."""


class Remark(BaseModel):
    """What a judge does about another judge's opinion."""

    judge: int = Field(ge=1, le=9)
    act: Literal["agree", "query", "disagree"]
    explanation: Explained


class RoundReply(BaseModel):
    """A judge's acts in one round as the model writes them; "change" brings the new opinion."""

    explanation: Explained
    own: Literal["maintain", "change", "withdraw"]
    opinion: OpinionReply | None = None
    others: list[Remark] = Field(default_factory=list, max_length=8)

    @model_validator(mode="after")
    def _a_change_is_told(self) -> RoundReply:
        if self.own == "change" and self.opinion is None:
            raise ValueError('"change" needs the new opinion')
        return self


async def negotiate(
    agents: Agents, question: PanelQuestion, first: Round, most_rounds: int
) -> tuple[Round, ...]:
    """All rounds, the blind one first, until the judges agree or there were `most_rounds`.

    Raises BudgetSpent or ModelAway.
    """
    rounds = [first]
    while len(rounds) <= most_rounds:
        last = rounds[-1]
        taking_part = [one for one in last.opinions if takes_part(one)]
        if len({one.outcome if one.counts else None for one in taking_part}) < 2:
            break  # nobody is left to talk to, or all who take part stand the same
        answered = await concurrently(*(_turn(agents, question, last, one) for one in taking_part))
        moved = {opinion.judge: opinion for opinion, _ in answered}
        rounds.append(
            Round(
                last.number + 1,
                tuple(statement for _, said in answered for statement in said),
                tuple(moved.get(one.judge, one) for one in last.opinions),
            )
        )
    return tuple(rounds)


def takes_part(opinion: Opinion) -> bool:
    """Whether a judge can still speak: it was understood, and it did not withdraw."""
    return opinion.scores is not None


async def _turn(
    agents: Agents, question: PanelQuestion, last: Round, own: Opinion
) -> tuple[Opinion, tuple[Statement, ...]]:
    others = tuple(one.judge for one in last.opinions if one.judge != own.judge and takes_part(one))
    prompt = Prompt(
        Role.PANEL,
        *agents.texts(
            "panel_round",
            facts=facts_text(agents, question),
            opinions=opinions_text(last, agents.delimiter),
            ids=ids_text(question),
            judge=own.judge,
            others=", ".join(map(str, others)),
        ),
        temperature=TEMPERATURE,
        sample=own.judge,
        about=question.about,
    )
    try:
        reply = await agents.session.ask(prompt, reply_to(others))
    except Answerless as error:
        return no_opinion(own.judge, error.why), ()
    moved = own
    if reply.own == "withdraw":
        moved = no_opinion(own.judge, WITHDRAWN)
    elif reply.own == "change" and reply.opinion is not None:
        moved = opinion_of(own.judge, reply.opinion, question)
    return moved, (
        Statement(own.judge, Act(reply.own), 0, reply.explanation),
        *(Statement(own.judge, Act(one.act), one.judge, one.explanation) for one in reply.others),
    )


def reply_to(others: tuple[int, ...]) -> type[RoundReply]:
    """The reply of a judge who may speak of these others, once each."""

    class ReplyToOthers(RoundReply):
        __doc__ = RoundReply.__doc__

        @field_validator("others")
        @classmethod
        def _others_are_there(cls, remarks: list[Remark]) -> list[Remark]:
            named = [one.judge for one in remarks]
            if len(set(named)) != len(named) or not set(named) <= set(others):
                raise ValueError(f"remarks are about the judges {others}, one each")
            return remarks

    return ReplyToOthers


def opinions_text(last: Round, delimiter: Delimiter) -> str:
    """How all judges stand and what they said of one another; it is no more believed than a diff."""
    lines = []
    for judge in last.opinions:
        if not takes_part(judge) or judge.scores is None:
            lines.append(f"Judge {judge.judge}: has no opinion.")
            continue
        points = (judge.scores.correctness, judge.scores.functionality, judge.scores.clarity)
        cited = ", ".join(judge.evidence_ids) or "nothing"
        doubt = f" It does not count: {judge.problem}" if judge.problem else ""
        lines.append(
            f"Judge {judge.judge}: {judge.outcome.value}, by {cited}; "
            f"scores {', '.join(map(str, points))}.{doubt}\n  {judge.reason[:REASON_CHARS]}"
        )
    lines += [
        f"Judge {one.judge} to judge {one.about}: {one.act.value}. {one.explanation[:REASON_CHARS]}"
        for one in last.statements
        if one.about
    ]
    return delimiter.enclose("opinions of the judges", "\n".join(lines), OPINIONS_CHARS)
