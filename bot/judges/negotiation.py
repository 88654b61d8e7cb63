"""Lets a panel's judges answer one another until they agree (CodeVisionary, section III-C).

In a round every judge sees how all stood after the last one, as data, and acts: on its own opinion
(maintain, change, withdraw) and on the others' (agree, query, disagree). Each act is explained.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from bot.judges.chambers import Chambers
from bot.judges.model.base import Answerless, Prompt
from bot.judges.opinion import (
    TEMPERATURE,
    Explained,
    OpinionReply,
    Question,
    facts_text,
    ids_text,
    no_opinion,
    opinion_of,
)
from bot.templates import render_text
from bot.text import Delimiter
from bot.values import Act, Opinion, Role, Round, Statement
from sandbox.concurrently import concurrently

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
    chambers: Chambers, question: Question, first: Round, most_rounds: int
) -> tuple[Round, ...]:
    """All rounds, the blind one first, until the judges agree or there were `most_rounds`.

    Raises BudgetSpent or ModelAway.
    """
    rounds = [first]
    while len(rounds) <= most_rounds and _is_worth_talking(rounds[-1].opinions):
        rounds.append(await _round(chambers, question, rounds[-1]))
    return tuple(rounds)


def _is_worth_talking(opinions: tuple[Opinion, ...]) -> bool:
    """Whether two judges or more take part, one of them has an opinion, and not all have the same."""
    taking_part = [one for one in opinions if takes_part(one)]
    stands = {one.outcome if one.counts else None for one in taking_part}
    return len(taking_part) > 1 and stands != {None} and len(stands) > 1


def takes_part(opinion: Opinion) -> bool:
    """Whether a judge can still speak: it was understood, and it did not withdraw."""
    return opinion.scores is not None


async def _round(chambers: Chambers, question: Question, last: Round) -> Round:
    answered = await concurrently(
        *(_turn(chambers, question, last, one) for one in last.opinions if takes_part(one))
    )
    moved = {opinion.judge: opinion for opinion, _ in answered}
    return Round(
        last.number + 1,
        tuple(statement for _, said in answered for statement in said),
        tuple(moved.get(one.judge, one) for one in last.opinions),
    )


async def _turn(
    chambers: Chambers, question: Question, last: Round, own: Opinion
) -> tuple[Opinion, tuple[Statement, ...]]:
    others = tuple(one.judge for one in last.opinions if one.judge != own.judge and takes_part(one))
    prompt = Prompt(
        role=Role.PANEL,
        system=render_text("prompts/panel_round.system.txt.j2"),
        user=render_text(
            "prompts/panel_round.user.txt.j2",
            facts=facts_text(chambers, question),
            standing=standing_text(last, chambers.delimiter),
            mark=chambers.delimiter.word,
            ids=ids_text(question),
            judge=own.judge,
            others=", ".join(map(str, others)),
        ),
        temperature=TEMPERATURE,
        sample=own.judge,
        about=question.about,
    )
    try:
        reply = await chambers.session.ask(prompt, reply_to(others))
    except Answerless as error:
        return no_opinion(own.judge, error.why), ()
    return _moved(own, reply, question), _statements(own.judge, reply)


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


def _moved(own: Opinion, reply: RoundReply, question: Question) -> Opinion:
    if reply.own == "withdraw":
        return no_opinion(own.judge, WITHDRAWN)
    if reply.own == "change" and reply.opinion is not None:
        return opinion_of(own.judge, reply.opinion, question)
    return own


def _statements(judge: int, reply: RoundReply) -> tuple[Statement, ...]:
    return (
        Statement(judge, Act(reply.own), 0, reply.explanation),
        *(Statement(judge, Act(one.act), one.judge, one.explanation) for one in reply.others),
    )


def standing_text(last: Round, delimiter: Delimiter) -> str:
    """How all judges stand and what they said of one another; it is no more believed than a diff."""
    lines = [_standing(one) for one in last.opinions]
    lines += [_said(one) for one in last.statements if one.about]
    return delimiter.enclose("opinions of the judges", "\n".join(lines), OPINIONS_CHARS)


def _standing(one: Opinion) -> str:
    if not takes_part(one) or one.scores is None:
        return f"Judge {one.judge}: has no opinion."
    scores = f"{one.scores.correctness}, {one.scores.functionality}, {one.scores.clarity}"
    cited = ", ".join(one.evidence_ids) or "nothing"
    doubt = f" It does not count: {one.problem}" if one.problem else ""
    return (
        f"Judge {one.judge}: {one.outcome.value}, by {cited}; scores {scores}.{doubt}\n"
        f"  {one.reason[:REASON_CHARS]}"
    )


def _said(one: Statement) -> str:
    about = f"judge {one.about}"
    return f"Judge {one.judge} to {about}: {one.act.value}. {one.explanation[:REASON_CHARS]}"
