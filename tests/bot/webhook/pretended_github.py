"""GitHub in memory, behind the protocols: what was said to it is kept for the tests to look at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from bot.errors import Transient
from bot.github import (
    AccessToken,
    AppInfo,
    ChangedPaths,
    CheckReport,
    CheckRun,
    CheckStatus,
    Comment,
    Installation,
    Issue,
    LabelSet,
    NotThere,
    Permission,
    PullRequest,
    Reaction,
)
from bot.values import IssueReference

PULL_REQUEST = PullRequest(
    number=9,
    title="Fix it",
    body="",
    state="open",
    draft=False,
    author="contributor",
    author_association="CONTRIBUTOR",
    head_sha="a" * 40,
    head_ref="fix",
    head_repository="octo/hello",
    base_sha="b" * 40,
    base_ref="main",
    base_repository="octo/hello",
)


@dataclass
class PretendedRepository:
    """One repository. `away` makes every call fail as if GitHub were down."""

    name: str = "octo/hello"
    pull_requests: dict[int, PullRequest] = field(default_factory=lambda: {9: PULL_REQUEST})
    permissions: dict[str, Permission] = field(
        default_factory=lambda: {"maintainer": Permission.WRITE}
    )
    branches: dict[str, str] = field(default_factory=lambda: {"main": "b" * 40})
    first_timers: set[str] = field(default_factory=set)
    unchecked: tuple[int, ...] = ()
    reactions: list[tuple[int, Reaction]] = field(default_factory=list)
    comments_put: dict[tuple[int, str], str] = field(default_factory=dict)
    edited_at: str = ""
    foreign_comments: list[Comment] = field(default_factory=list)
    issues: dict[int, Issue] = field(default_factory=dict)
    closes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    checks: dict[str, CheckReport] = field(default_factory=dict)
    protected: set[str] = field(default_factory=set)
    files: dict[tuple[str, str], bytes] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
    complete: bool = True
    on_paths: Callable[[], None] = lambda: None
    labels: tuple[LabelSet, ...] = ()
    away: bool = False

    def _answer(self) -> None:
        if self.away:
            raise Transient("GitHub answers 503")

    async def pull_request(self, number: int) -> PullRequest:
        self._answer()
        if number not in self.pull_requests:
            raise NotThere(f"there is no pull request {number}")
        return self.pull_requests[number]

    async def issue(self, number: int) -> Issue:
        self._answer()
        if number not in self.issues:
            raise NotThere(f"there is no issue {number}")
        return self.issues[number]

    async def closing_issues(self, number: int) -> tuple[IssueReference, ...]:
        self._answer()
        return tuple(IssueReference(self.name, one) for one in self.closes.get(number, ()))

    async def comments(self, number: int) -> tuple[Comment, ...]:
        self._answer()
        own = [
            Comment(
                index,
                f"{marker}\n{body}",
                own=True,
                updated_at=self.edited_at,
            )
            for index, ((place, marker), body) in enumerate(self.comments_put.items(), start=1)
            if place == number
        ]
        return (*self.foreign_comments, *own)

    async def branch_sha(self, branch: str) -> str:
        self._answer()
        if branch not in self.branches:
            raise NotThere(f"there is no branch {branch}")
        return self.branches[branch]

    async def permission(self, login: str) -> Permission:
        self._answer()
        return self.permissions.get(login, Permission.NONE)

    async def is_first_time_contributor(self, pull_request: PullRequest) -> bool:
        return pull_request.author in self.first_timers

    async def default_branch(self) -> str:
        return "main"

    async def is_protected(self, branch: str) -> bool:
        return branch in self.protected

    async def file(self, path: str, revision: str) -> bytes | None:
        self._answer()
        branch = next((name for name, sha in self.branches.items() if sha == revision), revision)
        return self.files.get((branch, path))

    async def changed_paths(self, pull_request: PullRequest) -> ChangedPaths:
        self.on_paths()
        return ChangedPaths(self.paths, self.complete)

    async def labels_set(self, number: int) -> tuple[LabelSet, ...]:
        return self.labels

    async def unchecked_pull_requests(self, check_name: str) -> tuple[PullRequest, ...]:
        self._answer()
        return tuple(self.pull_requests[number] for number in self.unchecked)

    async def pull_requests_of(self, sha: str) -> tuple[PullRequest, ...]:
        self._answer()
        return tuple(one for one in self.pull_requests.values() if one.head_sha == sha)

    async def merged_with(self, sha: str) -> tuple[PullRequest, ...]:
        return tuple(one for one in self.pull_requests.values() if one.merged)

    async def commit_messages(self, number: int) -> tuple[str, ...]:
        self._answer()
        return ()

    async def merge_group_members(self, head_ref: str, head_sha: str) -> tuple[int, ...]:
        raise NotImplementedError

    async def react(self, comment: int, reaction: Reaction) -> None:
        self._answer()
        if (comment, reaction) not in self.reactions:
            self.reactions.append((comment, reaction))

    async def put_comment(self, number: int, marker: str, body: str) -> Comment:
        self._answer()
        self.comments_put[number, marker] = body
        whole = body if marker in body else f"{marker}\n{body}"
        return Comment(len(self.comments_put), whole, own=True)

    async def put_check_run(self, report: CheckReport, known: int = 0) -> CheckRun:
        self._answer()
        before = self.checks.get(report.external_id)
        if before is None or before.status is not CheckStatus.COMPLETED:
            self.checks[report.external_id] = report
        number = 1 + list(self.checks).index(report.external_id)
        conclusion = report.conclusion.value if report.conclusion else ""
        status = report.status.value
        return CheckRun(number, report.head_sha, report.external_id, status, conclusion)

    async def check_runs(self, sha: str, name: str) -> tuple[CheckRun, ...]:
        found = [
            CheckRun(number, sha, key, one.status.value, one.conclusion or "")
            for number, (key, one) in enumerate(self.checks.items(), start=1)
            if one.head_sha == sha
        ]
        return tuple(reversed(found))

    def push(self, number: int, sha: str) -> None:
        """Move a pull request's head."""
        self.pull_requests[number] = replace(self.pull_requests[number], head_sha=sha)


@dataclass
class PretendedGitHub:
    """The app, installed on one repository."""

    hello: PretendedRepository = field(default_factory=PretendedRepository)
    organization: PretendedRepository | None = None

    @asynccontextmanager
    async def repository(
        self, name: str, installation: int = 0
    ) -> AsyncIterator[PretendedRepository]:
        known = {one.name: one for one in (self.hello, self.organization) if one}
        if name not in known:
            raise NotThere(f"{name} is not there")
        yield known[name]

    async def app(self) -> AppInfo:
        raise NotImplementedError

    async def installations(self) -> tuple[Installation, ...]:
        return (Installation(7), Installation(8, suspended=True))

    async def installation_repositories(self, installation: int) -> tuple[str, ...]:
        assert installation == 7
        return ("octo/hello", "octo/unreachable")

    async def installation_of(self, repository: str) -> int:
        return 7

    async def clone_token(self, installation: int, repository: str) -> AccessToken:
        raise NotImplementedError

    def clone_url(self, repository: str) -> str:
        return f"https://github.example/{repository}.git"
