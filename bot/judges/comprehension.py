"""Asks a model what else the task's sources demand; what it says is added by rule (`enriched`).

CodeVisionary's requirement comprehension, Agent-as-a-Judge's requirements as a graph. The list that was
made by rule stays whole: the model may add, connect and point at duplicates.
"""

from __future__ import annotations

from bot.judges.agents import Agents
from bot.judges.model.base import Prompt
from bot.task.categories import ASKED
from bot.task.understanding import ComprehensionReply
from bot.values import Requirements, Role, TaskSource

SOURCE_CHARS = 8_000
LISTED_CHARS = 12_000
MOST_SOURCES = 8


async def comprehend_more(
    agents: Agents, sources: tuple[TaskSource, ...], floor: Requirements
) -> ComprehensionReply:
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
    return await agents.session.ask(prompt, ComprehensionReply)


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
