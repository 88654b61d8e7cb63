"""Installation tokens: asked for by the app's key, kept for an hour, dropped when refused.

githubkit's own exchange is not used: it parses the reply with the typed models (1.3-2 s at first use)
and goes on using a revoked token until it expires.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

from bot.errors import Transient, UserError
from bot.github.base import AccessToken, NotThere
from bot.github.transport import AppKey, JsonBody, Manners, app_transport

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
        value, expires = reply.text("token"), reply.text("expires_at")
        if not value:
            raise Transient("GitHub's reply holds no installation token.")
        return AccessToken(value, _unix_s(expires))


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


def _unix_s(expires_at: str) -> float:
    try:
        moment = datetime.fromisoformat(expires_at)
    except ValueError:
        return time.time() + REFRESH_BEFORE_S
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
