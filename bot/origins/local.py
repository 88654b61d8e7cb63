"""A folder of this machine: `assay judge REPO --base … --head …`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.errors import UserError
from bot.models import EvaluationRequest, Task, TaskSource, Trust
from bot.origins.unposted import Unposted
from bot.stages.services import Code
from bot.task_file import read_task_file
from sandbox.errors import CheckoutError
from sandbox.fetch import contains_at_source, resolve_at_source
from sandbox.mirror import Source, messages, open_mirror
from sandbox.models import Checkout


@dataclass(frozen=True, slots=True)
class LocalOrigin(Unposted):
    """Reads a repository on disk; nothing is posted anywhere.

    `git_root` is where mirrors are kept.
    """

    repository: Path
    git_root: Path
    is_submission: bool = False  # a plan's: it has no history that says anything

    def check(self, base: str, head: str) -> None:
        """Raise UserError for what is no repository, an unknown revision, or a head that adds nothing."""
        try:
            mirror = open_mirror(self.git_root, Source(str(self.repository)))
            target, wanted = resolve_at_source(mirror, base), resolve_at_source(mirror, head)
            is_contained = contains_at_source(mirror, target, wanted)
        except CheckoutError as error:
            raise UserError(error.what, error.next_step) from error
        if is_contained:
            raise UserError(
                f"{base} holds all of {head} already: there is nothing to judge.",
                "Commit the change, or name another --base or --head; only what is committed counts.",
            )

    async def code(self, request: EvaluationRequest) -> Code:
        """Name the folder and both revisions."""
        return Code(Source(str(self.repository)), request.base_ref, request.head_ref)

    def home(self, request: EvaluationRequest) -> str:
        """A folder is nowhere on the web."""
        return ""

    async def task(self, request: EvaluationRequest, checkout: Checkout) -> Task:
        """Return the --task text as asked, and the --description (else the commits) as claimed."""
        sources = []
        if request.task_text.strip():
            asked = _source("the task", request.task_text, Trust.ASKER)
            sources.append(replace(asked, issue=request.issue))
        if request.description.strip():
            sources.append(_source("the description", request.description, Trust.AUTHOR))
        elif not self.is_submission:
            text = await asyncio.to_thread(self._commit_messages, checkout)
            sources.append(_source("the commit messages", text, Trust.AUTHOR))
        title = sources[0].title if sources else "The test plan"
        return Task(title, tuple(sources))

    def _commit_messages(self, checkout: Checkout) -> str:
        mirror = open_mirror(self.git_root, Source(str(self.repository)))
        return messages(mirror, checkout.base_sha, checkout.head_sha)


def _source(reference: str, text: str, trust: Trust) -> TaskSource:
    if trust is not Trust.AUTHOR and (listed := read_task_file(text, reference, trust)):
        return listed
    title, _, rest = text.strip().partition("\n")
    return TaskSource(reference, title.lstrip("# ").strip(), rest.strip(), trust)
