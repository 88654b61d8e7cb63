"""What the stages are given: the adapters, wired once by a command, and the seam to the asker."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.configuration import PolicyContext
from bot.judges.model import OpenSession, no_models
from bot.judges.web_access import Web
from bot.report.checks import CheckText, RequirementCheck
from bot.settings import Settings
from bot.store import Artifacts, Store
from bot.text import Delimiter, delimiter_of
from bot.values import Evaluation, EvaluationRequest, MemberVerdict, Plan, Publication, Task
from bot.values.conclusions import Annotation, Review
from sandbox.base import Limits, Network, Sandbox
from sandbox.repository.mirror import RepositorySource
from sandbox.toolchains.ecosystem import BuildRequest
from sandbox.values import Checkout, Recipe, Side


@dataclass(frozen=True, slots=True)
class CodeSource:
    """Where git fetches both sides from; `target` is the branch or revision that head wants into."""

    source: RepositorySource
    target: str
    head: str


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is told: the whole evaluation, where its report is, and the texts for the forge.

    `each` are the requirements' own check runs, and `review` holds fixes, where the repository asks for them.
    """

    evaluation: Evaluation
    report_key: str
    comment: str
    check: CheckText
    annotations: tuple[Annotation, ...]
    each: tuple[RequirementCheck, ...] = ()
    review: Review | None = None


class Origin(Protocol):
    """Where a request comes from and where its answer goes: GitHub, or a folder of this machine.

    Every method may raise `Transient`, `UserError`, or `Superseded` when nobody wants the answer.
    """

    async def code(self, request: EvaluationRequest) -> CodeSource:
        """Say where the code is, with a fresh short-lived token where one is needed."""

    async def task(self, request: EvaluationRequest, checkout: Checkout) -> Task:
        """Collect what was asked, most trusted first."""

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """Say what stands around the target branch's configuration."""

    async def members(self, request: EvaluationRequest) -> tuple[MemberVerdict, ...]:
        """Say how the members of a merge group stand; empty for anything else."""

    async def artifact(
        self, request: EvaluationRequest, name: str, most_bytes: int
    ) -> bytes | None:
        """Return the ZIP archive of that name that a workflow left for head; None without one."""

    async def announce(
        self, request: EvaluationRequest, stage: str, plan: Plan | None = None
    ) -> None:
        """Tell whoever waits that a stage has begun, and show the plan that it follows."""

    def home(self, request: EvaluationRequest) -> str:
        """Return the repository's address on the web; empty for a folder of this machine."""

    def link(self, request: EvaluationRequest) -> str:
        """Return the address of the report page; empty where none is served."""

    async def publish(self, answer: Announcement) -> Publication:
        """Bring the answer to where the request came from; done twice is done once."""


@dataclass(frozen=True, slots=True)
class Services:
    """The adapters of one evaluation; no report shows any of the `secrets`.

    `mark_key` makes the marks round hostile text in prompts. `web` looks things up for judges; None
    where the operator does not allow it. `count_runs` hears how many of the test runs have ended.
    """

    settings: Settings
    sandbox: Sandbox
    store: Store
    artifacts: Artifacts
    origin: Origin
    secrets: tuple[str, ...] = ()
    open_session: OpenSession = no_models
    mark_key: bytes = b""
    web: Web | None = None
    count_runs: Callable[[int, int], None] = lambda _ended, _of: None

    def evaluation_folder(self, request: EvaluationRequest) -> Path:
        """Return the evaluation's own folder, which goes when it is over."""
        return self.settings.home.absolute() / "evaluations" / evaluation_key(request.id)


def evaluation_key(evaluation_id: str) -> str:
    """Return a file name for an evaluation, whatever characters its id has."""
    return hashlib.sha256(evaluation_id.encode()).hexdigest()[:32]


def run_delimiter(services: Services, checkout: Checkout) -> Delimiter:
    """Return the mark round hostile text in every prompt about these two commits."""
    return delimiter_of(services.mark_key, f"{checkout.base_sha} {checkout.head_sha}")


def acting_key(request: EvaluationRequest, checkout: Checkout) -> str:
    """Return what names the steps that judges take in one evaluation."""
    return f"{evaluation_key(request.id)} {checkout.base_sha} {checkout.head_sha}"


def layers_home(services: Services) -> Path:
    """Return where built environments are kept: one folder a driver, whose images may differ."""
    return services.settings.home.absolute() / "built" / services.sandbox.name


def build_request(
    services: Services, request: EvaluationRequest, checkout: Checkout, side: Side, recipe: Recipe
) -> BuildRequest:
    """Return what building one side asks for, with the usual limits and network."""
    is_base = side is Side.BASE
    sha = checkout.base_sha if is_base else checkout.head_sha
    return BuildRequest(
        side=side,
        tree=Path(checkout.base_tree if is_base else checkout.head_tree),
        recipe=recipe,
        version=checkout.base_version if is_base else checkout.head_version,
        repository=request.repository,
        sha="-".join((sha, *(one.path for one in checkout.missing_submodules))),
        state=layers_home(services),
        limits=Limits(),
        network=Network.BUILD,
    )
