"""What an agent may send to be judged without a pull request, by `repository_dispatch` or by the API."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.github import Payload
from bot.webhook.decisions import Decision, RefusePatch, StartPatch, place_of

MOST_DIFF_CHARACTERS = 2_000_000
MOST_TEXT_CHARACTERS = 60_000

# What git allows in a branch's name, minus what no tool of ours needs to see.
_REF = re.compile(r"(?!-)[A-Za-z0-9._/+@#=-]{1,200}")
_SHA = re.compile(r"[0-9a-f]{40}")
_BINARY = ("GIT binary patch", "Binary files ")


def is_full_sha(text: str) -> bool:
    """Tell a full commit id from a branch's name."""
    return _SHA.fullmatch(text) is not None


def _check_ref(name: str) -> None:
    broken = ".." in name or "@{" in name or "//" in name or name.endswith(("/", ".lock", "."))
    if name and (broken or not _REF.fullmatch(name)):
        raise ValueError("not the name of a branch")


class AgentPatch(BaseModel):
    """A patch: one of `diff` and `branch`, and what was asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: str = Field(
        default="",
        description="Branch or full commit id that it starts from; empty: the default branch.",
    )
    diff: str = Field(
        default="",
        max_length=MOST_DIFF_CHARACTERS,
        description="Unified diff against base, as `git diff` prints it.",
    )
    branch: str = Field(
        default="", description="Pushed branch of the repository, in place of a diff."
    )
    task: str = Field(
        default="",
        max_length=MOST_TEXT_CHARACTERS,
        description="What was asked, as an issue would say it.",
    )
    issue: Annotated[int, Field(ge=0, lt=2**31, strict=True)] = Field(
        default=0, description="Number of the issue that asks for it; the verdict is posted there."
    )
    agent: str = Field(default="", max_length=100, description="Name of the agent.")
    trajectory: str = Field(
        default="",
        max_length=MOST_TEXT_CHARACTERS,
        description="The agent's own log; a hint, never proof.",
    )

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if bool(self.diff.strip()) == bool(self.branch):
            raise ValueError("give either a unified diff (diff) or a pushed branch (branch)")
        if not self.task.strip() and not self.issue:
            raise ValueError("say what was asked: a text (task) or an issue's number (issue)")
        _check_ref(self.base)
        _check_ref(self.branch)
        # What is compressed inside of it has no known size, and git unpacks it outside of the sandbox.
        if "\0" in self.diff or any(one.startswith(_BINARY) for one in self.diff.split("\n")):
            raise ValueError("the diff has binary files; push a branch and send its name (branch)")
        return self


def agent_patch_dispatched(payload: Payload) -> Decision:
    """An agent asks for a verdict on its work; a wrong payload gets a clear answer."""
    sent = payload.at("client_payload")
    try:
        patch = AgentPatch.model_validate(sent.value)
    except ValidationError as error:
        told = tuple(f"{one.field}: {one.message}".removeprefix(": ") for one in problems(error))
        return RefusePatch(place_of(payload), max(sent.integer("issue"), 0), told)
    return StartPatch(place_of(payload), **patch.model_dump())


class FieldProblem(BaseModel):
    """What is wrong with one field; `field` is empty where it is about the whole."""

    model_config = ConfigDict(frozen=True)

    field: str
    message: str


def problems(error: ValidationError) -> tuple[FieldProblem, ...]:
    """Name each wrong part and why, never its value; at most five."""
    return tuple(
        FieldProblem(
            field=".".join(str(part) for part in one["loc"])[:60],
            message=one["msg"].removeprefix("Value error, "),
        )
        for one in error.errors(include_input=False, include_url=False)[:5]
    )
