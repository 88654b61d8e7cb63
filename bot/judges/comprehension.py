"""Asks a model what else the task's sources demand; what it says is added by rule (`enriched`).

CodeVisionary's requirement comprehension, Agent-as-a-Judge's requirements as a graph. The list that was
made by rule stays whole: the model may add, connect and point at duplicates.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.model.base import Prompt
from bot.task.categories import ASKED
from bot.task.understanding import Edge, Pair, Proposal, Understanding
from bot.values import Category, Requirements, Role, TaskSource

SOURCE_CHARS = 8_000
LISTED_CHARS = 12_000
MOST_SOURCES = 8
MOST_NEW = 24
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]


class NewDemand(BaseModel):
    """A demand that the list lacks."""

    key: Name = Field(description="your name for it: N1, N2, …")
    source: Name
    quotation: Words
    kind: Literal["must", "wish"] = "must"
    category: Literal["behaviour", "keep", "upkeep", "prohibition", "permission"] = "behaviour"
    needs: list[Name] = Field(default_factory=list, max_length=20)


class Needs(BaseModel):
    """What a listed requirement builds on."""

    id: Name
    needs: list[Name] = Field(max_length=20)


class Same(BaseModel):
    """Two listed requirements that demand the same."""

    one: Name
    other: Name


class ComprehensionReply(BaseModel):
    """What the model adds to the list."""

    new: list[NewDemand] = Field(default_factory=list, max_length=MOST_NEW)
    prerequisites: list[Needs] = Field(default_factory=list, max_length=60)
    same: list[Same] = Field(default_factory=list, max_length=30)
    behaviour: list[Name] = Field(default_factory=list, max_length=60)


async def comprehend_more(
    agents: Agents, sources: tuple[TaskSource, ...], floor: Requirements
) -> Understanding:
    """Ask once. Raises Answerless, BudgetSpent or ModelAway; the floor stands without it."""
    read = sources[:MOST_SOURCES]
    prompt = Prompt(
        Role.COMPREHENSION,
        *agents.texts(
            "comprehension",
            sources=[
                agents.delimiter.enclose(
                    f"{source.reference}: {source.trust.value}",
                    f"{source.title}\n\n{source.text}",
                    SOURCE_CHARS,
                )
                for source in read
            ],
            listed=agents.delimiter.enclose("listed", listed_text(floor), LISTED_CHARS),
            names=[source.reference for source in read],
        ),
    )
    reply = await agents.session.ask(prompt, ComprehensionReply)
    edges = [Edge(new.key, need) for new in reply.new for need in new.needs]
    edges += [Edge(one.id, need) for one in reply.prerequisites for need in one.needs]
    return Understanding(
        proposals=tuple(
            Proposal(
                new.key,
                new.quotation,
                new.source,
                Category.BEHAVIOUR if new.category == "permission" else Category(new.category),
                is_wish=new.kind == "wish",
                is_permission=new.category == "permission",
            )
            for new in reply.new
        ),
        edges=tuple(edges),
        duplicates=tuple(Pair(one.one, one.other) for one in reply.same),
        behaviour=tuple(reply.behaviour),
    )


def listed_text(floor: Requirements) -> str:
    """What the task asks for so far, one requirement a line."""
    asked = [one for one in floor.items if one.category in ASKED]
    lines = [
        f"{one.id} ({one.category.value}, {one.origin}"
        f"{', after ' + ' '.join(one.prerequisites) if one.prerequisites else ''}): {one.shown}"
        f"{f' (its title: {one.text})' if one.text not in one.shown else ''}"
        for one in asked
    ]
    return "\n".join((*lines, *(f"{wish.id} (wish): {wish.text}" for wish in floor.preferences)))
