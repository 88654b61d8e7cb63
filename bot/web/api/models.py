"""What the API takes and says; its OpenAPI description is made of these models."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.report.ranking import Rank
from bot.report.repair import RepairRow
from bot.store import EvaluationState
from bot.values import Conclusion
from bot.web.api.problems import Problem
from bot.webhook.patches import MOST_TEXT_CHARACTERS, AgentPatch

MOST_TRAJECTORY_CHARACTERS = 1_000_000
REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}$"


class PostedPatch(AgentPatch):
    """A patch to be judged: one of `diff` and `branch`, and what was asked (`task` or `issue`)."""

    model_config = ConfigDict(extra="forbid", frozen=True, title="PostedPatch")

    repository: Annotated[str, Field(pattern=REPOSITORY, description="The repository: owner/name.")]
    description: str = Field(
        default="",
        max_length=MOST_TEXT_CHARACTERS,
        description="What the patch says of itself, as a pull request would.",
    )
    trajectory: str = Field(
        default="",
        max_length=MOST_TRAJECTORY_CHARACTERS,
        description="The agent's own log; a hint, never proof.",
    )
    plan_of: str = Field(
        default="",
        max_length=200,
        description="Id of an earlier patch for the same base, task and issue, by whose requirements "
        "this one is judged too: then both can be ranked.",
    )


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True)


class Accepted(_Said):
    """The patch is stored and will be judged, or was sent before."""

    id: str
    status: EvaluationState
    status_url: str = Field(description="Ask here how far it is, and for the verdict.")
    events_url: str = Field(description="Hear here what happens, as server-sent events.")


class Progress(_Said):
    """How far an evaluation is: the stage that runs, and its place among `of` stages (0: none yet)."""

    stage: str
    number: int
    of: int


class ReportLinks(_Said):
    """Signed addresses of the full report; whoever holds one may read it."""

    html: str
    json_: str = Field(serialization_alias="json")
    markdown: str
    sarif: str


class PatchStatus(_Said):
    """How a patch stands. `conclusion` and `rows` are there once `status` is `done`.

    `problem` says why it could not be judged. `report` is there for tokens that may see it.
    """

    id: str
    repository: str
    status: EvaluationState
    progress: Progress
    waiting: str = Field(description="Why it waits for the outside; empty where it does not.")
    created_at: str = Field(description="ISO 8601, UTC.")
    updated_at: str
    conclusion: Conclusion | None
    title: str
    met: int = Field(description="Requirements that are met.")
    total: int
    rows: tuple[RepairRow, ...]
    problem: Problem | None
    report: ReportLinks | None


class Ranking(_Said):
    """Patches for one task, the best first; tied ones share a place. `name` is the patch's id."""

    ranks: tuple[Rank, ...]
