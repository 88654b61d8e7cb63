"""What came in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook as it came in. `payload` is the raw JSON text, verified but not interpreted."""

    id: str
    event: str
    action: str
    payload: str


class Trigger(StrEnum):
    """Why an evaluation was started."""

    OPENED = "opened"
    REOPENED = "reopened"
    SYNCHRONIZE = "synchronize"
    READY_FOR_REVIEW = "ready_for_review"
    EDITED = "edited"
    RETARGETED = "retargeted"
    LABELED = "labeled"
    UNLABELED = "unlabeled"
    DRAFTED = "drafted"
    COMMAND = "command"
    RERUN = "rerun"
    MERGE_GROUP = "merge_group"
    AGENT_PATCH = "agent_patch"
    SWEEP = "sweep"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to judge. `repository` is `owner/name` on GitHub, or a host path when LOCAL.

    `number` is the pull request's (0 without one); `issue` the one an agent's patch names.
    `base_ref` is the target branch or revision, `patch` a unified diff when there is no head to fetch.
    """

    id: str
    repository: str
    head_sha: str
    base_sha: str
    base_ref: str
    trigger: Trigger
    number: int = 0
    issue: int = 0
    installation: int = 0
    head_ref: str = ""
    actor: str = ""
    patch: str = ""
    task_text: str = ""
    description: str = ""  # what the change says of itself, where no pull request does
    agent: str = ""
    trajectory: str = ""

    @property
    def has_check_run(self) -> bool:
        """Whether there is a commit on GitHub to hang a check run on: only what was pushed has one."""
        return bool(self.head_sha) and not self.patch
