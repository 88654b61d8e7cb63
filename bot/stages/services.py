"""What the stages are given: the adapters, wired once by a command, and the seam to the asker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bot.configuration import Configuration
from bot.models import Evaluation, EvaluationRequest, Publication, Task
from bot.settings import Settings
from bot.store import Store
from sandbox.base import Sandbox
from sandbox.mirror import Source


@dataclass(frozen=True, slots=True)
class Code:
    """Where git fetches both sides from; `target` is the branch or revision that head wants into."""

    source: Source
    target: str
    head: str


@dataclass(frozen=True, slots=True)
class Standing:
    """What another evaluation of the repository last concluded, for the members of a merge group."""

    number: int
    conclusion: str
    url: str = ""


class Origin(Protocol):
    """Where a request comes from and where its answer goes: GitHub, or a folder of this machine.

    Every method may raise `Transient`, `UserError`, or `Superseded` when nobody wants the answer.
    """

    async def code(self, request: EvaluationRequest) -> Code:
        """Say where the code is, with a fresh short-lived token where one is needed."""
        ...

    async def task(self, request: EvaluationRequest, configuration: Configuration) -> Task:
        """Collect what was asked, most trusted first."""
        ...

    async def members(self, request: EvaluationRequest) -> tuple[Standing, ...]:
        """Say how the members of a merge group stand; empty for anything else."""
        ...

    async def announce(self, request: EvaluationRequest, stage: str) -> None:
        """Tell whoever waits that a stage has begun."""
        ...

    async def publish(self, evaluation: Evaluation, report_key: str) -> Publication:
        """Bring the answer to where the request came from; done twice is done once."""
        ...


@dataclass(frozen=True, slots=True)
class Services:
    """The adapters of one evaluation."""

    settings: Settings
    sandbox: Sandbox
    store: Store
    origin: Origin
