"""A pull request on GitHub read as anybody may read it: `assay judge <pull request URL>`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bot.github import RepositoryReader
from bot.github.client import clone_url
from bot.github.transport import Manners
from bot.models import EvaluationRequest, Publication, Standing, Task
from bot.origins.words import task_of_pull_request
from bot.stages.services import Answer, Code
from sandbox.mirror import Source
from sandbox.models import Checkout


@dataclass(frozen=True, slots=True)
class PublicOrigin:
    """Reads one open or merged pull request; `tell` hears each stage. Nothing is posted."""

    manners: Manners
    reader: RepositoryReader
    tell: Callable[[str], None]
    token: str = ""

    async def code(self, request: EvaluationRequest) -> Code:
        """Name both commits as the pull request had them."""
        url = clone_url(self.manners, request.repository)
        source = Source(url, self.token, allow_http=url.startswith("http://"))
        return Code(source, request.base_sha, request.head_sha)

    async def task(self, request: EvaluationRequest, checkout: Checkout) -> Task:
        """Read the linked issues and the pull request."""
        return await task_of_pull_request(self.reader, request.number)

    async def members(self, request: EvaluationRequest) -> tuple[Standing, ...]:
        """A pull request is no merge group."""
        return ()

    async def announce(self, request: EvaluationRequest, stage: str) -> None:
        """Tell the terminal."""
        self.tell(stage)

    def link(self, request: EvaluationRequest) -> str:
        """No page is served for it."""
        return ""

    async def publish(self, answer: Answer) -> Publication:
        """Say where the report is; the command copies it to where the person wants it."""
        self.tell("publish")
        evaluation = answer.evaluation
        return Publication(evaluation.request.id, evaluation.gate.conclusion, answer.report_key)
