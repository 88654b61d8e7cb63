"""Drafts the rubric of an issue from the issue and base's code; a pull request never gets near it.

There is no way for a diff or a head to come in: what is asked with holds an issue and a reader of one
tree. A rubric that was drafted from a patch would find that patch right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from bot.judges.agents import Agents
from bot.judges.model.base import Answerless, BudgetSpent, Prompt, Tool, Toolbox
from bot.task.linked import Way, pointers
from bot.task.rubrics.form import MOST_CHARACTERS, MOST_ROOT_CHARACTERS, RubricProblem, checked
from bot.text import scrub
from bot.values import CodePlace, Role, Rubric

ISSUE_CHARS = 8_000
EXCERPT_CHARS = 4_000
MOST_PLACES = 6
MOST_DOCUMENTS = 2
MOST_DOCUMENT_LINES = 200
MOST_INTERACTIONS = 10
Entry = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_CHARACTERS)
]
Entries = Annotated[list[Entry], Field(max_length=12)]


@dataclass(frozen=True, slots=True)
class AskedIssue:
    """The issue as it was written; `home` is the repository's address on the web, for its links."""

    number: int
    title: str
    text: str
    home: str = ""


class BaseCode(Protocol):
    """Base's code, read only; there is no head in it."""

    def locate(self, text: str, most: int) -> tuple[CodePlace, ...]:
        """The places that a text is most likely about, the best first."""

    def find(self, name: str) -> tuple[CodePlace, ...]:
        """Where a name is defined."""

    def read(self, path: str, first: int, last: int) -> str:
        """Lines of a file, counted from 1, both included; one sentence where there is none."""


class RubricReply(BaseModel):
    """A rubric as the model writes it."""

    root_cause: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_ROOT_CHARACTERS)
    ]
    requirements: Annotated[list[Entry], Field(min_length=1, max_length=12)]
    acceptable: Entries = Field(default_factory=list)
    unacceptable: Entries = Field(default_factory=list)


class ReadArguments(BaseModel):
    """Which lines of which file of base."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(max_length=500)
    first_line: int = Field(default=1, ge=1)
    last_line: int = Field(default=200, ge=1)


class FindArguments(BaseModel):
    """Which name."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200)


async def draft_rubric(agents: Agents, issue: AskedIssue, base: BaseCode) -> Rubric:
    """Draft one. Raises Answerless for what is no rubric, BudgetSpent or ModelAway."""
    delimiter = agents.delimiter

    async def read(wanted: ReadArguments) -> str:
        text = base.read(wanted.path, wanted.first_line, wanted.last_line)
        return delimiter.enclose(f"{wanted.path}:{wanted.first_line}", text, EXCERPT_CHARS)

    async def find(wanted: FindArguments) -> str:
        places = [f"{one.path}:{one.line} {one.kind} {one.name}" for one in base.find(wanted.name)]
        text = "\n".join(places) or "Nothing of that name is defined."
        return delimiter.enclose(f"definitions of {wanted.name}", text, EXCERPT_CHARS)

    prompt = _prompt(agents, issue, base)
    tools = (
        Tool("read_file", "Reads lines of a file of the code as it is now.", ReadArguments, read),
        Tool("find_definition", "Says where a name is defined.", FindArguments, find),
    )
    try:
        reply = await agents.session.converse(
            prompt, RubricReply, Toolbox(tools, MOST_INTERACTIONS)
        )
    except BudgetSpent:  # of interactions: what it has read must do; of money: this raises again
        reply = await agents.session.ask(prompt, RubricReply)
    try:
        return checked(
            Rubric(
                _line(reply.root_cause),
                *(
                    tuple(dict.fromkeys(_line(entry) for entry in entries))
                    for entries in (reply.requirements, reply.acceptable, reply.unacceptable)
                ),
            )
        )
    except RubricProblem as error:
        raise Answerless(f"The drafted rubric cannot be used: {error}.") from error


def _line(text: str) -> str:
    return " ".join(scrub(text).split())


def _prompt(agents: Agents, issue: AskedIssue, base: BaseCode) -> Prompt:
    words, delimiter = f"{issue.title}\n{issue.text}", agents.delimiter
    # The beginning of each document of base that the issue links.
    documents: list[str] = []
    for pointer in pointers(issue.text, issue.home):
        for path in pointer.places if pointer.way is Way.DOCUMENT else ():
            text = base.read(path, 1, MOST_DOCUMENT_LINES)
            if text.startswith("1: "):
                documents.append(delimiter.enclose(path, text, EXCERPT_CHARS))
                break
    excerpts = [
        delimiter.enclose(
            f"{one.path}:{one.line}",
            base.read(one.path, max(1, one.line - 5), one.line + 60),
            EXCERPT_CHARS,
        )
        for one in base.locate(words, MOST_PLACES)
    ]
    return Prompt(
        Role.RUBRIC,
        *agents.texts(
            "rubric",
            issue=delimiter.enclose(f"issue {issue.number}", words, ISSUE_CHARS),
            excerpts="\n\n".join(excerpts) or "No place in the code was found by its words.",
            documents="\n\n".join(documents[:MOST_DOCUMENTS]),
        ),
    )
