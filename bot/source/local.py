"""A folder of this machine: `assay judge REPO --base … --head …`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.configuration import PolicyContext
from bot.errors import UserError
from bot.services import Announcement, CodeSource
from bot.task.task_file import read_task_file
from bot.values import EvaluationRequest, MemberVerdict, Plan, Publication, Task, TaskSource, Trust
from sandbox.errors import CheckoutError
from sandbox.repository.fetch import fetch, resolve_at_source
from sandbox.repository.local_repository import (
    changed_files,
    commit_work_tree,
    contains,
    default_base,
    lacks_common_history,
)
from sandbox.repository.mirror import UNSHALLOW, RepositorySource, is_own, messages, open_mirror
from sandbox.values import Checkout

_NOTHING_ASKED = (
    "Nothing says what the change should do, so it was only checked that it builds, breaks nothing and "
    "weakens no test. Name a file that says what was asked with --task."
)


@dataclass(frozen=True, slots=True)
class Unposted:
    """The side of an origin that answers; `tell` hears each stage."""

    tell: Callable[[str], None]

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """Whoever runs the command chose the base, and is told nothing that blocks a merge."""
        return PolicyContext()

    async def members(self, request: EvaluationRequest) -> tuple[MemberVerdict, ...]:
        """One change is no merge group."""
        return ()

    async def artifact(
        self, request: EvaluationRequest, name: str, most_bytes: int
    ) -> bytes | None:
        """No workflow is asked: that takes the App."""
        return None

    async def announce(
        self, request: EvaluationRequest, stage: str, plan: Plan | None = None
    ) -> None:
        """Tell the terminal."""
        self.tell(stage)

    def link(self, request: EvaluationRequest) -> str:
        """No page is served for it."""
        return ""

    async def publish(self, answer: Announcement) -> Publication:
        """Say where the report is; the command copies it to where the person wants it."""
        self.tell("publish")
        evaluation = answer.evaluation
        return Publication(evaluation.gate.conclusion, answer.report_key)


@dataclass(frozen=True, slots=True)
class LocalChange:
    """What is judged of a folder: both sides as named, head's commit, and how many files are left out."""

    base: str
    head: str
    head_sha: str
    left_out: int = 0
    is_uncommitted: bool = False


@dataclass(frozen=True, slots=True)
class LocalOrigin(Unposted):
    """Reads a repository on disk; nothing is posted anywhere.

    `git_root` is where mirrors are kept.
    """

    repository: Path
    git_root: Path
    is_submission: bool = False  # a plan's: it has no history that says anything
    counts_claims: bool = True  # whether commit messages say what the change should do

    async def policy_context(self, request: EvaluationRequest) -> PolicyContext:
        """A submission never stands in for the plan that it is judged by."""
        trusted = await asyncio.to_thread(self._is_in_default_branch, request.base_ref)
        return PolicyContext(can_be_mended=not self.is_submission, base_is_trusted=trusted)

    def _is_in_default_branch(self, revision: str) -> bool:
        """Whoever runs the command chose the base, which can still be a stranger's branch."""
        try:
            mirror = open_mirror(self.git_root, RepositorySource(str(self.repository)))
            wanted = resolve_at_source(mirror, revision)
            return contains(self.repository, default_base(self.repository), wanted)
        except CheckoutError:  # no branch is known as the default
            return False

    def change(
        self, base: str | None, head: str | None, *, with_work_tree: bool = False
    ) -> LocalChange:
        """Find what to judge: by default HEAD, against the remote's default branch.

        Raises UserError for what is no repository, an unknown revision, a shallow clone that lacks the
        common history, or a head that adds nothing.
        """
        folder, named = self.repository, head or "HEAD"
        try:
            mirror = open_mirror(self.git_root, RepositorySource(str(folder)))
            wanted = resolve_at_source(mirror, named)
            base = base or default_base(folder)
            target = resolve_at_source(mirror, base)
            if lacks_common_history(folder, target, wanted):
                raise UserError(
                    f"{folder} is a shallow clone: it lacks the history that {base} and "
                    f"{named} have in common.",
                    f"Run in it: {UNSHALLOW}",
                )
            changed = 0 if head else len(changed_files(mirror, folder))
            if with_work_tree and changed:
                fetch(mirror, (wanted,))
                sha = commit_work_tree(mirror, folder, wanted)
                return LocalChange(base, "the work tree", sha, is_uncommitted=True)
            if contains(folder, target, wanted):
                raise UserError(
                    f"{named} has no new commits to judge: {base} has them all.",
                    not_judged(changed) or "Commit the change, or name another --base or --head.",
                )
        except CheckoutError as error:
            raise UserError(error.what, error.next_step) from error
        return LocalChange(base, named, wanted, changed)

    async def code(self, request: EvaluationRequest) -> CodeSource:
        """Name the folder and both revisions."""
        head = request.head_sha or request.head_ref
        return CodeSource(RepositorySource(str(self.repository)), request.base_ref, head)

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
        elif self.is_submission:
            return Task(sources[0].title if sources else "The test plan", tuple(sources))
        elif self.counts_claims and (
            text := await asyncio.to_thread(self._commit_messages, checkout)
        ):
            sources.append(_source("the commit messages", text, Trust.AUTHOR))
        if sources:
            return Task(sources[0].title, tuple(sources))
        return Task("What is not committed", (), (_NOTHING_ASKED,))

    def _commit_messages(self, checkout: Checkout) -> str:
        """What people wrote: a commit that was made of the work tree says nothing."""
        mirror = open_mirror(self.git_root, RepositorySource(str(self.repository)))
        head = checkout.head_sha
        return messages(mirror, checkout.base_sha, f"{head}~1" if is_own(mirror, head) else head)


def not_judged(files: int) -> str:
    """Say that changed files are left out because they are not committed; empty for none."""
    if files == 1:
        return "1 changed file is not judged; `--worktree` judges it."
    return f"{files} changed files are not judged; `--worktree` judges them." if files else ""


def _source(reference: str, text: str, trust: Trust) -> TaskSource:
    if trust is not Trust.AUTHOR and (listed := read_task_file(text, reference, trust)):
        return listed
    title, _, rest = text.strip().partition("\n")
    return TaskSource(reference, title.lstrip("# ").strip(), rest.strip(), trust)
