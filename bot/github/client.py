"""The App at GitHub: `GitHubApp` with its key, `open_public` without one, the manifest exchange."""

from __future__ import annotations

import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from bot.errors import Transient, UserError
from bot.github.addresses import Addresses, repository_path, segment
from bot.github.base import (
    AccessToken,
    AppCredentials,
    AppInfo,
    Installation,
    NotThere,
)
from bot.github.credentials import private_key
from bot.github.repository import Repository, RepositoryReader
from bot.github.transport import (
    Anonymous,
    AppKey,
    JsonBody,
    Manners,
    Pace,
    Transport,
    app_transport,
)
from bot.settings import Settings

REFRESH_BEFORE_S = 600.0  # no token is used in its last ten minutes: a fetch may take some


class InstallationTokens:
    """Mints and remembers tokens, one for each installation. Secrets stay out of every repr."""

    def __init__(self, manners: Manners, key: AppKey) -> None:
        self._manners = manners
        self._key = key
        self._known: dict[int, AccessToken] = {}

    async def token(self, installation: int) -> AccessToken:
        """A token with everything the installation was granted, valid for ten minutes at least."""
        known = self._known.get(installation)
        if known is None or known.expires_at_s - time.time() < REFRESH_BEFORE_S:
            known = await self._mint(installation, {})
            self._known[installation] = known
        return known

    def forget(self, installation: int) -> None:
        """Drops a token that GitHub refused."""
        self._known.pop(installation, None)

    async def clone_token(self, installation: int, repository: str) -> AccessToken:
        """A token that can do no more than read this repository's contents."""
        name = repository.partition("/")[2]
        return await self._mint(
            installation, {"repositories": [name], "permissions": {"contents": "read"}}
        )

    async def _mint(self, installation: int, limits: JsonBody) -> AccessToken:
        path = f"app/installations/{installation:d}/access_tokens"
        try:
            async with app_transport(self._manners, self._key) as transport:
                # No content is created, so it does not wait for its turn among the writes.
                reply = await transport.exchange(path, limits)
        except NotThere as error:
            raise UserError(
                "The App is no longer installed here.", "Install it again, or check APP_ID."
            ) from error
        value = reply.text("token")
        if not value:
            raise Transient("GitHub's reply holds no installation token.")
        try:
            moment = datetime.fromisoformat(reply.text("expires_at"))
        except ValueError:
            return AccessToken(value, time.time() + REFRESH_BEFORE_S)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return AccessToken(value, moment.timestamp())


class InstallationCredential:
    """The Authorization header of one installation."""

    def __init__(self, tokens: InstallationTokens, installation: int) -> None:
        self._tokens = tokens
        self._installation = installation

    async def header(self) -> str:
        """A fresh enough token."""
        return f"Bearer {(await self._tokens.token(self._installation)).value}"

    def refused(self) -> bool:
        """Drops the token: it was revoked, a new one may work."""
        self._tokens.forget(self._installation)
        return True


class GitHubApp:
    """The App as a whole: who it is, where it is installed, and the way to one repository.

    Holds the private key; its repr shows the app's id only.
    """

    def __init__(self, manners: Manners, app_id: str, private_key: str) -> None:
        if not app_id or "PRIVATE KEY" not in private_key:
            raise UserError(
                "APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH) are not set.", "Run `assay setup`."
            )
        self._manners = manners
        self._key = AppKey(app_id, private_key)
        self._tokens = InstallationTokens(manners, self._key)
        self._info: AppInfo | None = None

    def __repr__(self) -> str:
        return f"GitHubApp(app_id={self._key.app_id!r}, web={self._manners.addresses.web!r})"

    @asynccontextmanager
    async def repository(self, name: str, installation: int = 0) -> AsyncIterator[Repository]:
        """One repository through an installation (0: looked up); enter it inside the job."""
        repository_path(name)
        app = await self.app()
        number = installation or await self.installation_of(name)
        credential = InstallationCredential(self._tokens, number)
        async with Transport(self._manners, credential) as transport:
            yield Repository(transport, name, app)

    async def app(self) -> AppInfo:
        """The registered app itself; asked once."""
        if self._info is None:
            async with self._as_app() as transport:
                reply = await transport.get("app")
                self._info = AppInfo(
                    id=reply.integer("id"),
                    slug=reply.text("slug"),
                    name=reply.text("name"),
                    url=reply.text("html_url"),
                    permissions=reply.pairs("permissions"),
                    events=tuple(event.text() for event in reply.items("events")),
                )
        return self._info

    async def installations(self) -> tuple[Installation, ...]:
        """Where the app is installed."""
        async with self._as_app() as transport:
            replies = await transport.pages("app/installations")
        return tuple(
            Installation(reply.integer("id"), reply.has("suspended_at")) for reply in replies
        )

    async def installation_repositories(self, installation: int) -> tuple[str, ...]:
        """The repositories (`owner/name`) that one installation may see."""
        credential = InstallationCredential(self._tokens, installation)
        async with Transport(self._manners, credential) as transport:
            replies = await transport.pages("installation/repositories", "repositories")
        return tuple(reply.text("full_name") for reply in replies)

    async def installation_of(self, repository: str) -> int:
        """The installation that covers a repository, or `NotThere`."""
        async with self._as_app() as transport:
            reply = await transport.get(f"{repository_path(repository)}/installation")
        return reply.integer("id")

    async def clone_token(self, installation: int, repository: str) -> AccessToken:
        """A token that may read the contents of this one repository, for git fetch (≤ 1 hour)."""
        repository_path(repository)
        number = installation or await self.installation_of(repository)
        return await self._tokens.clone_token(number, repository)

    def clone_url(self, repository: str) -> str:
        """Where git fetches the repository from; holds no credentials."""
        return clone_url(self._manners, repository)

    def _as_app(self) -> Transport:
        return app_transport(self._manners, self._key)


def open_app(settings: Settings, longest_s: float = math.inf) -> GitHubApp:
    """Connect as the App, and wait for no answer longer than `longest_s`.

    Raises UserError when it is not registered or its key cannot be read.
    """
    return GitHubApp(
        Manners(
            Addresses.of(settings.ghe_host),
            timeout_s=min(settings.github_timeout_s, longest_s),
            pace=Pace(settings.write_pause_s),
        ),
        settings.app_id,
        private_key(settings),
    )


@asynccontextmanager
async def open_public(
    manners: Manners, name: str, token: str = ""
) -> AsyncIterator[RepositoryReader]:
    """A repository read without the app, as anybody (60 requests an hour) or by a personal token."""
    async with Transport(manners, Anonymous(token)) as transport:
        yield RepositoryReader(transport, name, has_token=bool(token))


async def convert_manifest(manners: Manners, code: str) -> AppCredentials:
    """Exchanges the code of the manifest flow for the app's credentials; works once, for an hour.

    https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
    """
    async with Transport(manners, Anonymous()) as transport:
        reply = await transport.write("POST", f"app-manifests/{segment(code)}/conversions", {})
    return AppCredentials(
        app_id=reply.integer("id"),
        slug=reply.text("slug"),
        url=reply.text("html_url"),
        private_key=reply.text("pem"),
        webhook_secret=reply.text("webhook_secret"),
        client_id=reply.text("client_id"),
        client_secret=reply.text("client_secret"),
    )


def clone_url(manners: Manners, repository: str) -> str:
    """Where git fetches a repository from; holds no credentials."""
    path = repository_path(repository).removeprefix("repos/")
    return f"{manners.addresses.web}/{path}.git"
