"""What Assay says to GitHub, as two protocols and the small values they speak in.

Nothing here imports the transport. `GitHub` is the app as a whole; `Repository` is one repository seen
through one installation, entered inside the job that uses it:

    async with github.repository("octo/hello", installation=7) as repository:
        pull_request = await repository.pull_request(9)

Every method raises `Transient` (rate limit, 5xx, hang: try again later) or `UserError` (refused, with
the way out); its subclass `NotThere` says that the thing does not exist or may not be seen.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.errors import UserError
from bot.values import Conclusion, IssueReference
from bot.values.conclusions import Annotation, Review

BELONGING = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""The `author_association` of people who may have write access; nobody else has it."""


class NotThere(UserError):
    """GitHub answered 404 or 410: deleted, never there, or out of the app's sight."""


class Unprocessable(UserError):
    """GitHub answered 422: what was sent is not what it takes."""


# --- what is read -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PullRequest:
    """One pull request. `head_repository` is empty when the fork was deleted."""

    number: int
    title: str
    body: str
    state: str  # "open" or "closed"
    draft: bool
    author: str
    author_association: str
    head_sha: str
    head_ref: str
    head_repository: str
    base_sha: str
    base_ref: str
    base_repository: str
    labels: tuple[str, ...] = ()
    merged: bool = False
    changed_files: int = 0

    @property
    def from_fork(self) -> bool:
        """Whether the head lives outside the repository that it wants to change."""
        return self.head_repository != self.base_repository

    @property
    def is_open(self) -> bool:
        """Whether it can still be merged."""
        return self.state == "open"


@dataclass(frozen=True, slots=True)
class Issue:
    """One issue, or the issue side of a pull request."""

    number: int
    title: str
    body: str
    author: str
    author_association: str
    is_pull_request: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment of an issue or a pull request; times are ISO 8601. `own` says that this app wrote it."""

    id: int
    body: str
    own: bool
    url: str = ""
    updated_at: str = ""


class Permission(StrEnum):
    """What a user may do in a repository; `maintain` counts as write."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    ADMIN = "admin"

    @property
    def can_write(self) -> bool:
        """Whether the user may push, and so may command the app."""
        return self in {Permission.WRITE, Permission.ADMIN}

    @property
    def can_triage(self) -> bool:
        """Whether the user may set labels."""
        return self.can_write or self is Permission.TRIAGE


class Reaction(StrEnum):
    """How a comment is answered without words."""

    EYES = "eyes"  # seen
    ROCKET = "rocket"  # started
    CONFUSED = "confused"  # not understood or not allowed


@dataclass(frozen=True, slots=True)
class LabelSet:
    """A label that a pull request has, and who set it last."""

    label: str
    by: str
    by_bot: bool


@dataclass(frozen=True, slots=True)
class ChangedPaths:
    """The files that a pull request changes, old names too; GitHub lists at most 3,000 of them."""

    paths: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Installation:
    """One installation of the app on an account."""

    id: int
    suspended: bool = False


@dataclass(frozen=True, slots=True)
class AppInfo:
    """The registered app as GitHub knows it. `permissions` are (name, level) pairs."""

    id: int
    slug: str
    name: str
    url: str
    permissions: tuple[tuple[str, str], ...]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppCredentials:
    """What the manifest flow hands over, once; the secrets stay out of the repr."""

    app_id: int
    slug: str
    url: str
    private_key: str = field(repr=False)
    webhook_secret: str = field(repr=False)
    client_id: str = ""
    client_secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token for git fetch; `expires_at_s` is a Unix time. The value stays out of the repr."""

    value: str = field(repr=False)
    expires_at_s: float


# --- check runs -------------------------------------------------------------------------------


class CheckStatus(StrEnum):
    """The three states that an app may set."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class CheckAction:
    """A button on the check run: label ≤ 20, description ≤ 40, identifier ≤ 20 characters."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check run shall say. `external_id` is the evaluation id, the key that finds it again.

    `conclusion` is for COMPLETED only. Without `actions` (None) the check run keeps those it has. Too long
    titles, summaries, texts and labels are cut.
    """

    name: str
    head_sha: str
    external_id: str
    status: CheckStatus
    title: str
    summary: str
    conclusion: Conclusion | None = None
    text: str = ""
    details_url: str = ""
    annotations: tuple[Annotation, ...] = ()
    actions: tuple[CheckAction, ...] | None = ()


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One check run as GitHub has it; `conclusion` is empty until it is completed."""

    id: int
    head_sha: str
    external_id: str
    status: str
    conclusion: str
    annotations: int = 0
    title: str = ""


# --- the protocols ----------------------------------------------------------------------------


class RepositoryReader(Protocol):
    """What can be read of one repository; all that `assay judge <pull request URL>` needs."""

    @property
    def name(self) -> str:
        """`owner/name`."""

    async def pull_request(self, number: int) -> PullRequest:
        """One pull request, or `NotThere`."""

    async def issue(self, number: int) -> Issue:
        """One issue, or `NotThere`."""

    async def closing_issues(self, number: int) -> tuple[IssueReference, ...]:
        """The issues that GitHub says this pull request closes; empty without a token."""

    async def comments(self, number: int) -> tuple[Comment, ...]:
        """All comments of an issue or pull request, oldest first."""

    async def branch_sha(self, branch: str) -> str:
        """The commit at a branch's tip, or `NotThere`."""

    async def default_branch(self) -> str:
        """The branch that new work starts from."""

    async def is_protected(self, branch: str) -> bool:
        """Whether a branch has a protection rule."""

    async def file(self, path: str, revision: str) -> bytes | None:
        """A file of at most 1 MB at a branch or commit; None when there is none."""


class Repository(RepositoryReader, Protocol):
    """One repository seen through one installation. Writes look first, so all may be repeated."""

    async def permission(self, login: str) -> Permission:
        """What a user may do here, asked of GitHub; NONE for a stranger."""

    async def is_first_time_contributor(self, pull_request: PullRequest) -> bool:
        """Whether the author has neither merged anything here before nor may write."""

    async def changed_paths(self, pull_request: PullRequest) -> ChangedPaths:
        """The files that a pull request's head changes."""

    async def labels_set(self, number: int) -> tuple[LabelSet, ...]:
        """The labels of an issue or pull request, each with whoever set it last."""

    async def unchecked_pull_requests(self, check_name: str) -> tuple[PullRequest, ...]:
        """Open, non-draft pull requests whose head has no check run of this app (the sweep)."""

    async def pull_requests_of(self, sha: str) -> tuple[PullRequest, ...]:
        """The open pull requests that GitHub knows to hold a commit; a fork's may be missing."""

    async def merged_with(self, sha: str) -> tuple[PullRequest, ...]:
        """The merged pull requests that brought a commit of the default branch."""

    async def commit_messages(self, number: int) -> tuple[str, ...]:
        """The messages of a pull request's commits, oldest first; GitHub lists at most 250."""

    async def merge_group_members(self, head_ref: str, head_sha: str) -> tuple[int, ...]:
        """The numbers of the pull requests that a merge group's head holds, first in line first."""

    async def react(self, comment: int, reaction: Reaction) -> None:
        """Puts a reaction on a comment; twice is once."""

    async def put_comment(self, number: int, marker: str, body: str) -> Comment:
        """Creates or updates the app's one comment that holds the hidden `marker`.

        `marker` is an HTML comment such as `<!-- assay:report -->`, put in front where `body` lacks
        it. Other people's comments never count, whatever they contain; a deleted one is made anew.
        """

    async def suggest(self, number: int, head_sha: str, review: Review) -> int:
        """Puts the suggestions that do not stand yet into one review; returns how many those were.

        One that GitHub does not take is left out.
        """

    async def artifact(self, name: str, head_sha: str, most_bytes: int) -> bytes | None:
        """A workflow's newest ZIP archive of that name; None when no run for the commit has one.

        Raises UserError above `most_bytes`, and where the app lacks the optional `actions: read`.
        """

    async def put_check_run(self, report: CheckReport, known: int = 0) -> CheckRun:
        """Creates or updates the check run of (head sha, name, external id); `known` is its id if known.

        Annotations go in batches of 50 and only those that GitHub does not have yet. A check run that is
        completed does not go back to `queued` or `in_progress`.
        """

    async def check_runs(self, sha: str, name: str) -> tuple[CheckRun, ...]:
        """This app's check runs of that name on a commit, newest first."""


class GitHub(Protocol):
    """The app as a whole: who it is, where it is installed, and the way to one repository."""

    def repository(
        self, name: str, installation: int = 0
    ) -> AbstractAsyncContextManager[Repository]:
        """One repository through an installation (0: looked up); enter it inside the job."""

    async def installations(self) -> tuple[Installation, ...]:
        """Where the app is installed."""

    async def installation_repositories(self, installation: int) -> tuple[str, ...]:
        """The repositories (`owner/name`) that one installation may see."""

    async def installation_of(self, repository: str) -> int:
        """The installation that covers a repository, or `NotThere`."""

    async def clone_token(self, installation: int, repository: str) -> AccessToken:
        """A token that may read the contents of this one repository, for git fetch (≤ 1 hour)."""

    def clone_url(self, repository: str) -> str:
        """Where git fetches the repository from; holds no credentials."""
