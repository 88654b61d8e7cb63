"""An agent's patch, sent by `repository_dispatch` with the action `agent-patch`."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.github import Payload
from bot.webhook.decisions import Decision, RefusePatch, StartPatch, place_of

# What git allows in a branch's name, minus what no tool of ours needs to see.
_REF = re.compile(r"(?!-)[A-Za-z0-9._/+@#=-]{1,200}")
_SHA = re.compile(r"[0-9a-f]{40}")


def is_full_sha(text: str) -> bool:
    """Tell a full commit id from a branch's name."""
    return _SHA.fullmatch(text) is not None


def _check_ref(name: str) -> None:
    broken = ".." in name or "@{" in name or "//" in name or name.endswith(("/", ".lock", "."))
    if name and (broken or not _REF.fullmatch(name)):
        raise ValueError("not the name of a branch")


class AgentPatch(BaseModel):
    """The client payload: one of `diff` and `branch`, and what was asked."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: str = ""
    diff: str = ""
    branch: str = ""
    task: str = Field(default="", max_length=60_000)
    issue: Annotated[int, Field(ge=0, lt=2**31, strict=True)] = 0
    agent: str = Field(default="", max_length=100)
    trajectory: str = Field(default="", max_length=60_000)

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if bool(self.diff.strip()) == bool(self.branch):
            raise ValueError("give either a unified diff (diff) or a pushed branch (branch)")
        if not self.task.strip() and not self.issue:
            raise ValueError("say what was asked: a text (task) or an issue's number (issue)")
        _check_ref(self.base)
        _check_ref(self.branch)
        return self


def agent_patch_dispatched(payload: Payload) -> Decision:
    """An agent asks for a verdict on its work; a wrong payload gets a clear answer."""
    sent = payload.at("client_payload")
    try:
        patch = AgentPatch.model_validate(sent.value)
    except ValidationError as error:
        return RefusePatch(place_of(payload), max(sent.integer("issue"), 0), _problems(error))
    return StartPatch(
        place=place_of(payload),
        base=patch.base,
        diff=patch.diff,
        branch=patch.branch,
        task=patch.task,
        issue=patch.issue,
        agent=patch.agent,
        trajectory=patch.trajectory,
    )


def _problems(error: ValidationError) -> tuple[str, ...]:
    """Name each wrong part and why, never its value; at most five."""
    told = []
    for one in error.errors(include_input=False, include_url=False)[:5]:
        where = ".".join(str(part) for part in one["loc"])[:60]
        why = one["msg"].removeprefix("Value error, ")
        told.append(f"{where}: {why}" if where else why)
    return tuple(told)
