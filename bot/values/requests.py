"""What came in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.values.observed import Part
from bot.values.opinions import Role
from bot.values.plans import Plan
from bot.values.tasks import Requirements


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook as it came in. `payload` is the raw JSON text, verified but not interpreted."""

    id: str
    event: str
    action: str
    payload: str


STAGES = (
    "checkout",
    "configure",
    "environment",
    "task",
    "plan",
    "observe",
    "damage",
    "deliberate",
    "judge",
    "report",
    "publish",
    "print",
)
"""The stages of an evaluation, in order; `bot.evaluation` says what each does."""


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
    RESUMED = "resumed"
    RERUN = "rerun"
    MERGE_GROUP = "merge_group"
    AGENT_PATCH = "agent_patch"
    SWEEP = "sweep"
    LOCAL = "local"


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to judge. `repository` is `owner/name` on GitHub, or a host path when LOCAL.

    `number` is the pull request's (0 without one); `issue` the one an agent's patch names. Without a
    `head_sha`, `head_ref` is judged, and no check run is put on it. With `plan_of`, an evaluation's id,
    it is judged by that one's requirements and by the steps that judges proposed there.
    `base_ref` is the target branch or revision, `patch` a unified diff when there is no head to fetch.
    `without` are the parts that are off: only a measurement on this machine may name any.
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
    plan_of: str = ""
    is_uncommitted: bool = False  # head is a work tree: its commit is in Assay's own mirror alone
    without: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        if self.without and self.trigger is not Trigger.LOCAL:
            raise ValueError("what is judged for GitHub or the API is judged with everything")

    @property
    def has_check_run(self) -> bool:
        """Whether there is a commit on GitHub to hang a check run on: only what was pushed has one."""
        return bool(self.head_sha) and not self.patch

    @property
    def speaks_for_commit(self) -> bool:
        """Whether its verdict is the commit's: whoever sends a patch says himself what is asked of it."""
        return self.trigger is not Trigger.AGENT_PATCH

    def check_name(self, name: str) -> str:
        """Return its check run's name: no required one where it does not speak for the commit."""
        return name if self.speaks_for_commit else f"{name} (patch)"


# --- what an evaluation is going to look at and to cost, told before anything runs ----------------


@dataclass(frozen=True, slots=True)
class ExpectedCalls:
    """What one role may ask: calls at least and at most, and the tokens of one call."""

    role: Role
    fewest: int
    most: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ExpectedPrice:
    """The calls of one role with its model; US dollars, None where nobody knows the model's price."""

    calls: ExpectedCalls
    model: str
    usd_fewest: float | None
    usd_most: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The plan and its price. `prices` is empty where no model is set: then it costs nothing.

    `usd` and `interactions` are the limits that hold whatever is expected; `planning_usd` is what the
    forecast itself took.
    """

    requirements: Requirements
    plan: Plan
    digest: str
    prices: tuple[ExpectedPrice, ...]
    usd: float
    interactions: int
    minutes: float
    planning_usd: float | None = None

    @property
    def usd_fewest(self) -> float | None:
        """The least it may cost; None where a price is unknown."""
        return whole_sum(one.usd_fewest for one in self.prices)

    @property
    def usd_most(self) -> float | None:
        """The most it may cost, the limit included; None where a price is unknown."""
        most = whole_sum(one.usd_most for one in self.prices)
        return None if most is None else min(most, self.usd)


def whole_sum(parts: Iterable[float | None]) -> float | None:
    """Return the sum; None where a part is not known."""
    found = list(parts)
    known = [part for part in found if part is not None]
    return sum(known) if len(known) == len(found) else None


@dataclass(frozen=True, slots=True)
class ReadableRepository:
    """A repository that a person can read, as GitHub says, and the installation that covers it.

    The installation tells a repository from an older one of the same name with another owner.
    """

    installation: int
    name: str
    is_administered: bool = False


@dataclass(frozen=True, slots=True)
class IssueReference:
    """One issue that a pull request names; `repository` is `owner/name`."""

    repository: str
    number: int


@dataclass(frozen=True, slots=True)
class FolderRequest:
    """What to judge of a folder (HEAD against the remote's default branch), and the texts about it."""

    folder: Path
    base: str | None = None
    head: str | None = None
    with_work_tree: bool = False
    task_text: str = ""
    description: str = ""
    trajectory: str = ""
