"""Sets up a forge from outside: accounts, repositories, apps, and what people do there.

Synchronous, for the demo and the tests; every call raises `httpx.HTTPStatusError` when it is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import httpx

from bot.text.json_reading import Payload

TIMEOUT_S = 120
APP_PERMISSIONS: Mapping[str, str] = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "pull_requests": "write",
    "metadata": "read",
    "merge_queues": "read",
}
APP_EVENTS = (
    "pull_request",
    "issue_comment",
    "check_run",
    "check_suite",
    "merge_group",
    "push",
    "repository_dispatch",
)


@dataclass(frozen=True, slots=True)
class RegisteredApp:
    """An app's ids, its key and its client secret, handed over once."""

    id: int
    slug: str
    private_key: str = field(repr=False)
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Person:
    """An account and its token."""

    login: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewRepository:
    """A repository to make; `collaborators` maps logins to roles."""

    name: str
    private: bool = False
    required_check: str = ""
    fork_of: str = ""
    collaborators: Mapping[str, str] = field(default_factory=dict)


class ForgeOperator:
    """The owner of a forge; `web` is its address, `folder` its state (the key is read there)."""

    def __init__(self, web: str, folder: Path) -> None:
        key = (folder / "control-key").read_text()
        self.web = web
        self._owner = httpx.Client(
            base_url=f"{web}/_forge/", headers={"X-Forge-Key": key}, timeout=TIMEOUT_S
        )
        self._rest = httpx.Client(base_url=f"{web}/api/v3/", timeout=TIMEOUT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._owner.close()
        self._rest.close()

    def control(self, method: str, path: str, **wishes: object) -> Payload:
        """Any call of the owner's door; see `control.py`."""
        return _read(self._owner.request(method, path, json=wishes or None))

    def person(self, login: str) -> Person:
        """Makes an account or a further token for it."""
        reply = self.control("POST", "users", login=login)
        return Person(login, reply.text("token"))

    def repository(self, new: NewRepository) -> Path:
        """Makes a repository; returns its bare folder on disk."""
        reply = self.control(
            "POST",
            "repositories",
            name=new.name,
            private=new.private,
            required_check=new.required_check,
            fork_of=new.fork_of,
            collaborators=dict(new.collaborators),
        )
        return Path(reply.text("git_dir"))

    def app(
        self, name: str, webhook_url: str = "", webhook_secret: str = "", callback_url: str = ""
    ) -> RegisteredApp:
        """Registers an app with Assay's permissions and events."""
        reply = self.control(
            "POST",
            "apps",
            name=name,
            webhook_url=webhook_url,
            webhook_secret=webhook_secret,
            permissions=dict(APP_PERMISSIONS),
            events=list(APP_EVENTS),
            callback_urls=[callback_url] if callback_url else [],
        )
        return RegisteredApp(
            reply.integer("id"),
            reply.text("slug"),
            reply.text("private_key"),
            reply.text("client_id"),
            reply.text("client_secret"),
        )

    def install(self, app: RegisteredApp, account: str, repositories: Sequence[str] = ()) -> int:
        """Installs an app on an account's repositories (none named: all); returns the installation."""
        reply = self.control(
            "POST", "installations", app_id=app.id, account=account, repositories=list(repositories)
        )
        return reply.integer("id")

    def as_person(self, person: Person, method: str, path: str, **wishes: object) -> Payload:
        """A REST call by a person: `as_person(ada, "POST", "repos/o/n/issues", title="x")`."""
        headers = {"Authorization": f"Bearer {person.token}"}
        return _read(self._rest.request(method, path, json=wishes or None, headers=headers))

    def issue(self, person: Person, repository: str, title: str, body: str = "") -> int:
        """Opens an issue; returns its number."""
        path = f"repos/{repository}/issues"
        return self.as_person(person, "POST", path, title=title, body=body).integer("number")

    def pull_request(self, person: Person, repository: str, **wishes: object) -> int:
        """Opens a pull request (`title`, `body`, `head`, `base`, `draft`); returns its number."""
        path = f"repos/{repository}/pulls"
        return self.as_person(person, "POST", path, **wishes).integer("number")


def _read(response: httpx.Response) -> Payload:
    response.raise_for_status()
    return Payload.parse(response.content) if response.content else Payload(None)
