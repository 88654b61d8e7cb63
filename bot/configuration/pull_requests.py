"""What pull requests are told apart by: those that are judged by themselves, and those that agents open."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from bot.configuration.globs import MOST_GLOBS, Glob


class Closed(BaseModel):
    """A section of the configuration: an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


LabelName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
"""GitHub takes 50 characters; an emoji may count for more than one."""
Globs = Annotated[tuple[Glob, ...], Field(max_length=MOST_GLOBS)]
LabelNames = Annotated[tuple[LabelName, ...], Field(max_length=MOST_GLOBS)]


AgentGlobs = Annotated[tuple[Glob, ...], Field(max_length=10)]


class PathFilter(Closed):
    """Which changed files are worth an evaluation."""

    include: Globs = Field(
        default=(), description="Only changes to these files are judged (`src/**`); empty: to all."
    )
    exclude: Globs = Field(
        default=(), description="Changes to nothing but these files are not judged (`docs/**`)."
    )


class LabelFilter(Closed):
    """What labels of a pull request say."""

    skip: LabelNames = Field(
        default=(),
        description="Not judged with one of these, set by somebody else than the author.",
    )
    ask: LabelNames = Field(
        default=(),
        description="Judged with one of these, set by somebody with write access, whatever else holds.",
    )


class AuthorFilter(Closed):
    """Whose pull requests are left alone."""

    skip: Globs = Field(
        default=(),
        description="Not judged, as long as nobody else pushes (`dependabot[bot]`, `*[bot]`).",
    )


class When(Closed):
    """Which pull requests are judged by themselves; `/judge` asks for any of them."""

    branches: Globs = Field(
        default=(), description="Target branches (`main`, `release/**`); empty: all."
    )
    paths: PathFilter = Field(
        default_factory=PathFilter, description="Which changed files are worth an evaluation."
    )
    labels: LabelFilter = Field(
        default_factory=LabelFilter, description="What labels of a pull request say."
    )
    authors: AuthorFilter = Field(
        default_factory=AuthorFilter, description="Whose pull requests are left alone."
    )
    drafts: bool = Field(default=False, description="Whether drafts are judged too.")


def inside(value: str) -> str:
    """The path, if it stays inside the repository. Raises ValueError."""
    if value.startswith(("/", "~")) or ".." in value.split("/") or "\\" in value:
        raise ValueError("must be a path inside the repository")
    return value


class TrajectorySource(Closed):
    """Where agents leave the log of their work; it is shown as a claim and decides nothing."""

    path: (
        Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(inside)]
        | None
    ) = Field(default=None, description="A file in the head commit (`.assay/trajectory.json`).")
    artifact: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="An artifact that a workflow leaves for the head commit; the App needs the optional "
        "permission `actions: read`.",
    )


class ConfiguredAgent(Closed):
    """A coding agent, and what its pull requests are known by; one pattern that fits is enough."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)] = (
        Field(description="Its name in reports.")
    )
    logins: AgentGlobs = Field(
        default=(), description="Who opens its pull requests (`patchwork[bot]`)."
    )
    branches: AgentGlobs = Field(default=(), description="Its head branches (`patchwork/**`).")
    trailers: AgentGlobs = Field(
        default=(), description="Its commit trailers (`made-with: patchwork**`)."
    )
