"""What `.github/assay.yml` can say: a closed schema with a default and a meaning for every key."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator
from pydantic.fields import FieldInfo

from bot.configuration.pull_requests import Closed, ConfiguredAgent, TrajectorySource, When, inside
from sandbox.browser.script import MAX_ACTS, read_script

ShellLine = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


PageName = Annotated[str, StringConstraints(min_length=1, max_length=500)]
MAX_PAGES = 5


class ConfiguredTrigger(StrEnum):
    """What may start an evaluation by itself; `command` alone means `/judge` only."""

    OPENED = "opened"
    SYNCHRONIZE = "synchronize"
    READY_FOR_REVIEW = "ready_for_review"
    COMMAND = "command"


class CheckPolicy(StrEnum):
    """How many check runs a verdict gets."""

    ONE = "one"
    PER_REQUIREMENT = "per_requirement"


class UnverifiedPolicy(StrEnum):
    """What an unverified mandatory requirement does to the check run."""

    BLOCK = "block"
    ALLOW = "allow"


class Weight(StrEnum):
    """Whether a kind of finding only shows or also blocks."""

    ADVISE = "advise"
    BLOCK = "block"


class NetworkPolicy(StrEnum):
    """When code of the pull request may reach the network."""

    NONE = "none"
    BUILD = "build"
    ALWAYS = "always"


class Setup(Closed):
    """How to build, test and serve the project, where detection should not decide."""

    install: ShellLine | None = Field(
        default=None, description="Shell line that installs the project."
    )
    test: ShellLine | None = Field(default=None, description="Shell line that runs the tests.")
    serve: ShellLine | None = Field(default=None, description="Shell line that serves the project.")
    url: Annotated[str, StringConstraints(pattern=r"^https?://", max_length=500)] | None = Field(
        default=None, description="Where the served project answers, http or https."
    )


class ProjectSetup(Closed):
    """How to build and test one of several projects, where detection should not decide."""

    install: ShellLine | None = Field(
        default=None,
        description="Shell line that installs the project, started in its folder; by default "
        "`setup.install`.",
    )
    test: ShellLine | None = Field(
        default=None, description="Shell line that runs its tests, started in its folder."
    )


def readable_script(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines, if the browser can follow them. Raises ScriptError."""
    read_script(lines)
    return lines


class ConfiguredRequirement(Closed):
    """A requirement that applies to every pull request."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]{0,31}$")] = Field(
        description="Stable name in reports: a letter, then letters, digits, `_ . -`."
    )
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)] = (
        Field(description="What must hold, as one sentence.")
    )
    check: ShellLine | None = Field(
        default=None, description="Shell line that exits 0 when it holds; run on base and on head."
    )
    interaction: (
        Annotated[
            tuple[ShellLine, ...],
            Field(min_length=2, max_length=MAX_ACTS),
            AfterValidator(readable_script),
        ]
        | None
    ) = Field(
        default=None,
        description="Instead of `check`: acts in a browser, one a line, run on base and on head.",
    )

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.check and self.interaction:
            raise ValueError("has both a `check` and an `interaction`; keep one")
        return self


class GatePolicy(Closed):
    """How verdicts become the check run's conclusion."""

    unverified: UnverifiedPolicy = Field(
        default=UnverifiedPolicy.BLOCK,
        description="`block`: what could not be verified blocks until a maintainer accepts it; "
        "`allow`: it passes as neutral.",
    )
    lint: Weight = Field(
        default=Weight.ADVISE,
        description="Whether new linter findings block; a file that a parser refuses does anyway.",
    )
    scope: Weight = Field(
        default=Weight.ADVISE, description="Whether changes outside the task block."
    )
    authors_tests: Weight = Field(
        default=Weight.ADVISE,
        description="`block`: what only the pull request's own tests show blocks until a maintainer, or a "
        "panel of models, agrees.",
    )
    unjudged: Weight = Field(
        default=Weight.ADVISE,
        description="`block`: a task with sentences that ask for something and were not judged on their own "
        "(without a model, most of its running text) blocks until a maintainer, or a panel of models, "
        "agrees.",
    )
    min_score: float = Field(
        default=0.0,
        ge=0,
        le=4,
        description="Lowest score, 0 to 4, of the test plan as a whole: then no single item of it is "
        "mandatory; 0 asks for every item. Without a plan: of the kept criteria.",
    )


class JudgePolicy(Closed):
    """How many judges negotiate, where a model is set."""

    count: int = Field(default=3, ge=1, le=9, description="Judges in the panel.")
    rounds: int = Field(
        default=4,
        ge=0,
        le=10,
        description="Most rounds of negotiation; 0: the judges' first opinions count.",
    )
    canary: bool = Field(
        default=True,
        description="Whether the judges are tried first, on what is known; who misses is not asked.",
    )


class RubricPolicy(Closed):
    """When the rubric of an issue binds."""

    approvals: int = Field(
        default=2,
        ge=1,
        le=10,
        description="People with write access, besides the author, who make a rubric golden.",
    )


class EvaluationLimits(Closed):
    """What one evaluation may use."""

    minutes: float = Field(
        default=30.0, gt=0, le=360, description="Most minutes of one evaluation."
    )
    interactions: int = Field(
        default=40, ge=1, le=400, description="Most steps of the judge's agent."
    )
    usd: float = Field(
        default=2.0, ge=0, le=1000, description="Most money for models, in US dollars."
    )
    damage: float = Field(
        default=25.0,
        ge=0,
        le=100,
        description="Most percent of `minutes` for damaged copies and calls outside of tests; 0: neither.",
    )


class SandboxPolicy(Closed):
    """What the sandbox allows."""

    network: NetworkPolicy = Field(
        default=NetworkPolicy.BUILD,
        description="`none`, `build` (while installing only) or `always`.",
    )


class WebPolicy(Closed):
    """Evidence from a browser."""

    enabled: bool = Field(
        default=True, description="Whether changed pages are looked at in a browser."
    )
    pages: Annotated[tuple[PageName, ...], Field(max_length=MAX_PAGES)] = Field(
        default=(),
        description="Which pages: addresses below `setup.url`, else HTML files; by default found.",
    )


def _unique_ids(values: tuple[ConfiguredRequirement, ...]) -> tuple[ConfiguredRequirement, ...]:
    seen: set[str] = set()
    for value in values:
        if value.id in seen:
            raise ValueError(f"the id {value.id} appears twice")
        if re.fullmatch(r"B\d+", value.id):
            raise ValueError(f"the id {value.id} is taken by a baseline requirement")
        seen.add(value.id)
    return values


def _folder(value: str) -> str:
    """The path as other code writes it: `./packages/a/` is `packages/a`."""
    steps = [step for step in inside(value).split("/") if step not in ("", ".")]
    if not steps:
        raise ValueError("must be a folder below the repository's root")
    return "/".join(steps)


class ConfiguredProject(Closed):
    """A folder that is built and tested by itself."""

    path: Annotated[
        str, StringConstraints(min_length=1, max_length=500), AfterValidator(_folder)
    ] = Field(description="Its folder in the repository.")
    setup: ProjectSetup = Field(
        default_factory=ProjectSetup, description="How it is built and tested."
    )


MOST_AGENTS = 20
MOST_LISTED = 50


def _apart(values: tuple[ConfiguredProject, ...]) -> tuple[ConfiguredProject, ...]:
    if len(values) > MOST_LISTED:
        raise ValueError(f"lists {len(values)} projects; {MOST_LISTED} is the most")
    paths = [f"{value.path}/" for value in values]
    for index, path in enumerate(paths):
        for other in range(index):
            if path == paths[other]:
                raise ValueError(f"[{index}] names the same folder as [{other}]")
            if path.startswith(paths[other]) or paths[other].startswith(path):
                raise ValueError(f"[{other}] and [{index}] overlap: one lies inside the other")
    return values


class Configuration(Closed):
    """Everything `.github/assay.yml` can say, with what holds when it says nothing."""

    triggers: tuple[ConfiguredTrigger, ...] = Field(
        default=(
            ConfiguredTrigger.OPENED,
            ConfiguredTrigger.SYNCHRONIZE,
            ConfiguredTrigger.READY_FOR_REVIEW,
        ),
        min_length=1,
        max_length=4,
        description="What starts an evaluation; `[command]` for `/judge` only.",
    )
    when: When = Field(
        default_factory=When,
        description="Which pull requests are judged by themselves; `/judge` asks for any of them.",
    )
    setup: Setup = Field(default_factory=Setup, description="How the project is built and tested.")
    projects: Annotated[tuple[ConfiguredProject, ...], AfterValidator(_apart)] = Field(
        default=(),
        description="The projects of a repository that has several; by default found. Those that a "
        "change touches, and those that use what it touches, are built and tested.",
    )
    requirements: Annotated[
        tuple[ConfiguredRequirement, ...], AfterValidator(_unique_ids), Field(max_length=40)
    ] = Field(default=(), description="Requirements that apply to every pull request.")
    criteria: (
        Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(inside)]
        | None
    ) = Field(
        default=None,
        description="Path of a test plan in PRDBench's format, or of a JSON or YAML file of typed "
        "requirements.",
    )
    gate: GatePolicy = Field(
        default_factory=GatePolicy, description="How verdicts become a conclusion."
    )
    checks: CheckPolicy = Field(
        default=CheckPolicy.ONE,
        description="`per_requirement` adds a check run for each requirement (`assay / R2`), so that some of "
        "them can be required.",
    )
    suggestions: bool = Field(
        default=False,
        description="Whether linters' and formatters' own fixes of what is new become one review with "
        "suggestions to commit: at most ten.",
    )
    judges: JudgePolicy = Field(default_factory=JudgePolicy, description="The panel of judges.")
    rubric: RubricPolicy = Field(
        default_factory=RubricPolicy, description="When the rubric of an issue binds."
    )
    limits: EvaluationLimits = Field(
        default_factory=EvaluationLimits, description="What one evaluation may use."
    )
    sandbox: SandboxPolicy = Field(
        default_factory=SandboxPolicy, description="What the sandbox allows."
    )
    web: WebPolicy = Field(default_factory=WebPolicy, description="Evidence from a browser.")
    agents: Annotated[tuple[ConfiguredAgent, ...], Field(max_length=MOST_AGENTS)] = Field(
        default=(),
        description="Coding agents besides the known ones; the report names who wrote a change.",
    )

    trajectory: TrajectorySource = Field(
        default_factory=TrajectorySource,
        description="Where agents leave the log of their work; it is shown as a claim and decides nothing.",
    )

    @model_validator(mode="after")
    def _one_way_to_test(self) -> Self:
        if self.projects and self.setup.test:
            raise ValueError(
                "has both `setup.test` and `projects`; give each project its own `test`"
            )
        return self


_LISTED = (ConfiguredRequirement, ConfiguredProject, ConfiguredAgent)


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a key that holds keys of its own; None for a plain value."""
    for listed in _LISTED:
        if field.annotation == tuple[listed, ...]:  # type: ignore[valid-type]
            return listed
    annotation = field.annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return None
