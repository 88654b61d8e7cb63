"""Answers a person's question about one evaluation, from its evidence alone. It decides nothing.

The question is fenced like the evidence: it may ask anything, and change nothing of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.model.base import Prompt
from bot.values import Role

QUESTION_CHARS = 2_000
TASK_CHARS = 6_000
VERDICTS_CHARS = 8_000
EVIDENCE_CHARS = 24_000
MOST_TOKENS = 1_000
Paragraph = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


class QuestionReply(BaseModel):
    """The answer as the model writes it: paragraphs of plain text, and the evidence that it rests on."""

    paragraphs: Annotated[list[Paragraph], Field(min_length=1, max_length=12)]
    evidence: list[str] = Field(default_factory=list, max_length=40)


@dataclass(frozen=True, slots=True)
class Known:
    """The evaluation as the model reads it: what was asked, each verdict, and each piece of evidence."""

    task: str
    verdicts: str
    evidence: tuple[tuple[str, str], ...]  # (id, what was seen)


async def answer_question(agents: Agents, question: str, known: Known) -> QuestionReply:
    """Ask once. Raises Answerless, BudgetSpent or ModelAway. Only ids that exist stay in the reply."""
    mark = agents.delimiter
    share = EVIDENCE_CHARS // max(1, len(known.evidence))
    pieces = [mark.enclose(f"evidence {id_}", text, share) for id_, text in known.evidence]
    prompt = Prompt(
        Role.ANALYST,
        *agents.texts(
            "question",
            task=mark.enclose("task", known.task, TASK_CHARS),
            verdicts=mark.enclose("verdicts", known.verdicts, VERDICTS_CHARS),
            evidence="\n\n".join(pieces) or "There is no evidence.",
            question=mark.enclose("question", question, QUESTION_CHARS),
            ids=", ".join(id_ for id_, _ in known.evidence) or "(there are none)",
        ),
        about="question",
        most_tokens=MOST_TOKENS,
    )
    reply = await agents.session.ask(prompt, QuestionReply)
    ids = {id_ for id_, _ in known.evidence}
    cited = [one for one in dict.fromkeys(reply.evidence) if one in ids]
    return reply.model_copy(update={"evidence": cited})
