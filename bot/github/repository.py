"""One repository over one transport: the real `Repository` and `RepositoryReader`."""

from __future__ import annotations

from bot.github import checks, comments, merge_groups, permissions, pulls, sweep
from bot.github.addresses import repository_path
from bot.github.base import (
    AppInfo,
    ChangedPaths,
    CheckReport,
    CheckRun,
    Comment,
    Issue,
    IssueReference,
    LabelSet,
    Permission,
    PullRequest,
    Reaction,
)
from bot.github.comments import MarkedText
from bot.github.transport import Transport


class ReadOnlyRepository:
    """Reads one repository; without a token GitHub answers only what is public, and no GraphQL."""

    def __init__(self, transport: Transport, name: str, *, has_token: bool) -> None:
        self._transport = transport
        self._root = repository_path(name)
        self._name = name
        self._has_token = has_token

    @property
    def name(self) -> str:
        """`owner/name`."""
        return self._name

    async def pull_request(self, number: int) -> PullRequest:
        """One pull request, or `NotThere`."""
        return await pulls.pull_request(self._transport, self._root, number)

    async def issue(self, number: int) -> Issue:
        """One issue, or `NotThere`."""
        return await pulls.issue(self._transport, self._root, number)

    async def closing_issues(self, number: int) -> tuple[IssueReference, ...]:
        """The issues that GitHub says this pull request closes; empty without a token."""
        if not self._has_token:
            return ()
        return await pulls.closing_issues(self._transport, self._name, number)

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue or pull request, oldest first; none is the app's own."""
        return await comments.comments(self._transport, self._root, number, None)

    async def branch_sha(self, branch: str) -> str:
        """The commit at a branch's tip, or `NotThere`."""
        return await pulls.branch_sha(self._transport, self._root, branch)

    async def default_branch(self) -> str:
        """The branch that new work starts from."""
        return (await self._transport.get(self._root)).text("default_branch")

    async def is_protected(self, branch: str) -> bool:
        """Whether a branch has a protection rule."""
        return await pulls.is_protected(self._transport, self._root, branch)

    async def file(self, path: str, revision: str) -> bytes | None:
        """A file of at most 1 MB at a branch or commit; None when there is none."""
        return await pulls.file(self._transport, self._root, path, revision)


class InstalledRepository(ReadOnlyRepository):
    """One repository seen through an installation of the app; see `base.Repository`."""

    def __init__(self, transport: Transport, name: str, app: AppInfo) -> None:
        super().__init__(transport, name, has_token=True)
        self._app = app

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue or pull request, oldest first."""
        return await comments.comments(self._transport, self._root, number, self._app)

    async def permission(self, login: str) -> Permission:
        """What a user may do here, asked of GitHub; NONE for a stranger."""
        return await permissions.permission(self._transport, self._root, login)

    async def is_first_time_contributor(self, pull_request: PullRequest) -> bool:
        """Whether the author has neither merged anything here before nor may write."""
        return await permissions.is_first_time_contributor(
            self._transport, self._root, pull_request
        )

    async def changed_paths(self, pull_request: PullRequest) -> ChangedPaths:
        """The files that a pull request's head changes."""
        return await pulls.changed_paths(self._transport, self._root, pull_request)

    async def labels_set(self, number: int) -> tuple[LabelSet, ...]:
        """The labels of an issue or pull request, each with whoever set it last."""
        return await pulls.labels_set(self._transport, self._root, number)

    async def unchecked_pull_requests(self, check_name: str) -> tuple[PullRequest, ...]:
        """Open, non-draft pull requests whose head has no check run of this app (the sweep)."""
        return await sweep.unchecked_pull_requests(
            self._transport, self._root, check_name, self._app
        )

    async def pull_requests_of(self, sha: str) -> tuple[PullRequest, ...]:
        """The open pull requests that GitHub knows to hold a commit; a fork's may be missing."""
        return await pulls.pull_requests_of(self._transport, self._root, sha)

    async def merge_group_members(self, head_ref: str, head_sha: str) -> tuple[int, ...]:
        """The numbers of the pull requests that a merge group's head holds."""
        return await merge_groups.merge_group_members(
            self._transport, self._name, head_ref, head_sha
        )

    async def react(self, comment: int, reaction: Reaction) -> None:
        """Puts a reaction on a comment; twice is once."""
        await comments.react(self._transport, self._root, comment, reaction)

    async def put_comment(self, number: int, marker: str, body: str) -> Comment:
        """Creates or updates the app's one comment that holds the hidden `marker`."""
        text = MarkedText(marker, body)
        return await comments.put_comment(self._transport, self._root, number, text, self._app)

    async def put_check_run(self, report: CheckReport, known: int = 0) -> CheckRun:
        """Creates or updates the check run of (head sha, name, external id)."""
        return await checks.put_check_run(self._transport, self._root, report, known, self._app)

    async def check_runs(self, sha: str, name: str) -> tuple[CheckRun, ...]:
        """This app's check runs of that name on a commit, newest first."""
        return await checks.check_runs(self._transport, self._root, sha, name, self._app)
