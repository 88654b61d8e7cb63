"""The Critic (AgentEval): proposes criteria from a task and two examples, and merges doubles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints
from rapidfuzz import fuzz

from bot.judges.agents import Agents
from bot.judges.model.base import Answerless, Prompt
from bot.values import Criterion, Role
from sandbox.concurrently import concurrently

TASK_CHARS, EXAMPLE_CHARS, PAIRS_CHARS = 6_000, 12_000, 12_000
MOST_CRITERIA = 12
SAME_ABOVE, UNLIKE_BELOW = 90.0, 45.0
"""Likeness in percent: above it two criteria are the same, below it they are not, between a model says."""
_MOST_PAIRS = 30

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]


class ProposedCriterion(BaseModel):
    """One criterion as the model writes it; values from worst to best."""

    name: Short
    description: Words
    accepted_values: list[Short] = Field(min_length=2, max_length=6)


class CriticReply(BaseModel):
    """The Critic's criteria."""

    criteria: list[ProposedCriterion] = Field(min_length=1, max_length=MOST_CRITERIA)


class SameReply(BaseModel):
    """The numbers of the pairs whose criteria say the same."""

    same: list[int] = Field(default_factory=list, max_length=_MOST_PAIRS)


@dataclass(frozen=True, slots=True)
class Brief:
    """What criteria are made for: the task, and a solution of it each way."""

    task: str
    good: str
    bad: str


async def propose_criteria(agents: Agents, brief: Brief, samples: int) -> tuple[Criterion, ...]:
    """Ask `samples` times, and merge what says the same. Raises ModelProblem when nobody answers."""
    enclose = agents.delimiter.enclose
    prompt = Prompt(
        Role.CRITIC,
        *agents.texts(
            "critic",
            task=enclose("task", brief.task, TASK_CHARS),
            good=enclose("good example", brief.good, EXAMPLE_CHARS),
            bad=enclose("bad example", brief.bad, EXAMPLE_CHARS),
        ),
        temperature=0.7,
    )

    async def asked(sample: int) -> CriticReply | Answerless:
        try:
            return await agents.session.ask(replace(prompt, sample=sample), CriticReply)
        except Answerless as error:
            return error

    replies = await concurrently(*map(asked, range(samples)))
    read = [one for one in replies if isinstance(one, CriticReply)]
    if not read:
        raise next(one for one in replies if isinstance(one, Answerless))
    found = []
    for proposed in (one for reply in read for one in reply.criteria):
        values = {one.casefold(): one for one in reversed(proposed.accepted_values)}
        accepted = tuple(reversed(values.values()))
        if len(accepted) >= 2:  # else it grades nothing
            found.append(Criterion(proposed.name, proposed.description, accepted))
    return await merge_criteria(agents, tuple(found))


async def merge_criteria(agents: Agents, criteria: tuple[Criterion, ...]) -> tuple[Criterion, ...]:
    """One criterion for each thing that is said, the first of its kind, in the order given."""
    pairs = list(combinations(range(len(criteria)), 2))
    likeness: dict[tuple[int, int], float] = {}
    for pair in pairs:  # of names, or of the whole texts, whichever is closer; in percent
        one, other = (criteria[number] for number in pair)
        names = fuzz.token_sort_ratio(one.name.casefold(), other.name.casefold())
        texts = (f"{c.name} {c.description}".casefold() for c in (one, other))
        likeness[pair] = max(names, fuzz.token_sort_ratio(*texts))
    same = {pair for pair in pairs if likeness[pair] >= SAME_ABOVE}
    gone = {later for _, later in same}
    doubtful = [
        pair
        for pair in pairs
        if UNLIKE_BELOW <= likeness[pair] < SAME_ABOVE and gone.isdisjoint(pair)
    ]
    asked = sorted(doubtful, key=lambda pair: (-likeness[pair], pair))[:_MOST_PAIRS]
    same |= await _said_same(agents, criteria, asked)
    gone = {later for _, later in same}
    return tuple(one for number, one in enumerate(criteria) if number not in gone)[:MOST_CRITERIA]


async def _said_same(
    agents: Agents, criteria: tuple[Criterion, ...], pairs: list[tuple[int, int]]
) -> set[tuple[int, int]]:
    """Those of the pairs that the model says are the same; none where it cannot be read."""
    if not pairs:
        return set()
    told = [f"{one.name}: {one.description}"[:170] for one in criteria]
    shown = "\n\n".join(
        f"Pair {number}\n{told[one]}\n{told[other]}"
        for number, (one, other) in enumerate(pairs, start=1)
    )
    prompt = Prompt(
        Role.CRITIC,
        *agents.texts(
            "critic_merge",
            pairs=agents.delimiter.enclose("pairs of criteria", shown, PAIRS_CHARS),
        ),
    )
    try:
        reply = await agents.session.ask(prompt, SameReply)
    except Answerless:
        return set()
    return {pairs[number - 1] for number in reply.same if 1 <= number <= len(pairs)}
