"""The small values that GitHub's client speaks in, and its errors; nothing here imports the transport."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from bot.errors import UserError
from bot.values import Conclusion
from bot.values.conclusions import Annotation

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
