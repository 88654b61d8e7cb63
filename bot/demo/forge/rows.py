"""What the forge remembers, as frozen values; times are Unix seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class User:
    """A person, an organisation, or an app's bot (`slug[bot]`)."""

    id: int
    login: str
    type: str = "User"


@dataclass(frozen=True, slots=True)
class Collaborator:
    """Somebody's role in a repository: admin, maintain, write, triage or read."""

    login: str
    role: str


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """One repository; its git data is on disk. `required_check` blocks the merge box."""

    id: int
    name: str  # owner/name
    private: bool
    default_branch: str
    fork_of: str = ""
    required_check: str = ""
    collaborators: tuple[Collaborator, ...] = ()
    protected: tuple[str, ...] = ()  # branches

    @property
    def owner(self) -> str:
        """The part before the slash."""
        return self.name.partition("/")[0]

    @property
    def short_name(self) -> str:
        """The part after the slash."""
        return self.name.partition("/")[2]


@dataclass(frozen=True, slots=True)
class AppRow:
    """A registered app. Only the public half of its key, and its client secret's digest, are kept."""

    id: int
    slug: str
    name: str
    owner: str
    public_key: str
    webhook_url: str
    webhook_secret: str
    permissions: tuple[tuple[str, str], ...]
    events: tuple[str, ...]
    created_at_s: float
    client_secret_digest: str = ""
    callback_urls: tuple[str, ...] = ()

    @property
    def client_id(self) -> str:
        """What the app is called where people sign in."""
        return f"Iv1.{self.id:016x}"


@dataclass(frozen=True, slots=True)
class InstallationRow:
    """An app on an account; no `repositories` means all of the account's."""

    id: int
    app_id: int
    account: str
    repositories: tuple[str, ...] = ()
    suspended: bool = False
    created_at_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token by its digest: an installation's (with limits and an end) or a user's.

    `app_id` is set where a user signed in through that app.
    """

    digest: str
    installation: int = 0
    login: str = ""
    repositories: tuple[str, ...] = ()
    permissions: tuple[tuple[str, str], ...] = ()
    expires_at_s: float = 0.0
    revoked: bool = False
    app_id: int = 0


@dataclass(frozen=True, slots=True)
class PullPart:
    """What an issue has more when it is a pull request."""

    head_repository: str
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    draft: bool = False
    merged: bool = False
    merge_sha: str = ""


@dataclass(frozen=True, slots=True)
class IssueRow:
    """An issue or a pull request; both count their numbers together."""

    id: int
    repository: str
    number: int
    title: str
    body: str
    author: str
    created_at_s: float
    updated_at_s: float
    state: str = "open"
    labels: tuple[str, ...] = ()
    pull: PullPart | None = None


@dataclass(frozen=True, slots=True)
class CommentRow:
    """A comment; `app_id` is the app that wrote it, 0 for a person."""

    id: int
    repository: str
    number: int
    author: str
    body: str
    created_at_s: float
    updated_at_s: float
    app_id: int = 0


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One remark of a check run on lines of a file."""

    path: str
    start_line: int
    end_line: int
    level: str
    message: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ActionRow:
    """One button of a check run."""

    label: str
    description: str
    identifier: str


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check run; annotations only grow."""

    id: int
    repository: str
    app_id: int
    name: str
    head_sha: str
    started_at_s: float
    external_id: str = ""
    details_url: str = ""
    status: str = "queued"
    conclusion: str = ""
    completed_at_s: float = 0.0
    title: str = ""
    summary: str = ""
    text: str = ""
    annotations: tuple[AnnotationRow, ...] = ()
    actions: tuple[ActionRow, ...] = ()


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One webhook delivery; `status` is the receiver's last answer, 0 before and -1 without one."""

    id: str
    app_id: int
    event: str
    action: str
    payload: str
    status: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class SignInRow:
    """The code of a user who said yes; exchanged once for a token. The challenge is PKCE's (S256)."""

    code: str
    app_id: int
    login: str
    redirect_uri: str
    challenge: str
    expires_at_s: float
