"""A pull request on GitHub read as anybody may read it: `assay judge <pull request URL>`.

Apart from `local`: it loads GitHub's client, which judging a folder does not need.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bot.configuration import PolicyContext
from bot.github import BELONGING, Issue
from bot.github.client import clone_url, open_public
from bot.github.transport import Manners
from bot.services import CodeSource
from bot.source.local import Unposted
from bot.source.repository import policy_context, task_of_pull_request
from bot.values import EvaluationRequest, Task
from sandbox.repository.mirror import RepositorySource
from sandbox.values import Checkout

if TYPE_CHECKING:
    from bot.github.repository import RepositoryReader


@dataclass(frozen=True, slots=True)
class PublicOrigin(Unposted):
    """Reads one open or merged pull request; nothing is posted."""

    manners: Manners
    reader: RepositoryReader
    token: str = ""

    async def code(self, request: EvaluationRequest) -> CodeSource:
        """Name both commits as the pull request had them."""
        url = clone_url(self.manners, request.repository)
        source = RepositorySource(url, self.token, allow_http=url.startswith("http://"))
        return CodeSource(source, request.base_sha, request.head_sha)

    def home(self, request: EvaluationRequest) -> str:
        """Return the repository's page."""
        return clone_url(self.manners, request.repository).removesuffix(".git")

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """Ask GitHub, as anybody may."""
        opened = partial(open_public, self.manners, token=self.token)
        return await policy_context(opened, request.repository, request.base_ref)

    async def task(self, request: EvaluationRequest, checkout: Checkout) -> Task:
        """Read the linked issues and the pull request."""
        return await task_of_pull_request(self.reader, request.number, _belongs_here)


async def _belongs_here(issue: Issue) -> bool:
    """Who may write is not told to anybody; who belongs to the repository is."""
    return issue.author_association in BELONGING
