"""People sign in by the App: GitHub's web flow with PKCE, and what a person's token lets them read.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from contextlib import suppress
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import httpx

from bot.errors import Transient, UserError
from bot.github.addresses import Addresses, segment
from bot.github.base import NotThere
from bot.github.transport import (
    Anonymous,
    CredentialsRefused,
    Manners,
    Pace,
    Transport,
    failure_of,
    unreachable,
)
from bot.settings import Settings
from bot.text.json_reading import Payload
from bot.values import ReadableRepository

__all__ = ["CredentialsRefused", "SignIn", "UserToken", "open_sign_in"]


@dataclass(frozen=True, slots=True)
class UserToken:
    """A person's token; `lasts_s` is 0 where GitHub sets no end."""

    value: str = field(repr=False)
    lasts_s: float = 0.0


class SignIn:
    """The App as people sign in to it. Every method may raise `Transient`; its repr shows no secret."""

    def __init__(self, manners: Manners, client_id: str, client_secret: str) -> None:
        self._manners = replace(manners, pace=Pace(0.0))  # nothing here creates content
        self._client_id = client_id
        self._secret = client_secret

    def __repr__(self) -> str:
        return f"SignIn(client_id={self._client_id!r})"

    def address(self, back: str, state: str, verifier: str) -> str:
        """Return the page of GitHub that asks the person; it leads to `back` with `code` and `state`."""
        hashed = hashlib.sha256(verifier.encode()).digest()
        query = {
            "client_id": self._client_id,
            "redirect_uri": back,
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(hashed).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        return f"{self._manners.addresses.web}/login/oauth/authorize?{urlencode(query)}"

    async def token(self, code: str, back: str, verifier: str) -> UserToken:
        """Exchange a code. Raises UserError when it is not good, or not any more."""
        wishes = {
            "client_id": self._client_id,
            "client_secret": self._secret,
            "code": code,
            "redirect_uri": back,
            "code_verifier": verifier,
        }
        # The web's door, which is no part of the REST API. A code is good once: sent once.
        what, manners = "sign-in", self._manners
        try:
            async with (
                asyncio.timeout(manners.timeout_s * 2),
                httpx.AsyncClient(timeout=manners.timeout_s) as client,
            ):
                reply = await client.post(
                    f"{manners.addresses.web}/login/oauth/access_token",
                    data=wishes,
                    headers={"Accept": "application/json", "User-Agent": "assay"},
                )
        except (TimeoutError, httpx.HTTPError) as error:
            raise unreachable(what, error) from None
        if not reply.is_success:
            raise failure_of(what, reply)
        try:
            answer = Payload.parse(reply.content)
        except ValueError:
            raise Transient(f"{what}: GitHub's reply is no JSON.") from None
        value = answer.text("access_token")
        if not value:
            raise _refused(answer.text("error"))
        return UserToken(value, float(answer.integer("expires_in")))

    async def login(self, token: str) -> str:
        """Return who it is. Raises CredentialsRefused when the token has ended."""
        async with self._as_user(token) as transport:
            return (await transport.get("user")).text("login")

    async def readable(self, token: str) -> tuple[ReadableRepository, ...]:
        """List what the person can read of what the App sees. Raises CredentialsRefused likewise."""
        async with self._as_user(token) as transport:
            replies = await transport.pages("user/installations", "installations")
            open_ones = [one.integer("id") for one in replies if not one.has("suspended_at")]
            found = await asyncio.gather(*(_readable_in(transport, one) for one in open_ones))
        return tuple(one for several in found for one in several)

    async def end(self, token: str) -> None:
        """Have GitHub end the token; one that has ended already is fine."""
        pair = f"{self._client_id}:{self._secret}".encode()
        by_app = Anonymous(base64.b64encode(pair).decode(), "Basic")
        with suppress(UserError):
            async with Transport(self._manners, by_app) as transport:
                path = f"applications/{segment(self._client_id)}/token"
                await transport.write("DELETE", path, {"access_token": token})

    def _as_user(self, token: str) -> Transport:
        return Transport(self._manners, Anonymous(token))


async def _readable_in(transport: Transport, installation: int) -> list[ReadableRepository]:
    path = f"user/installations/{installation:d}/repositories"
    try:
        replies = await transport.pages(path, "repositories")
    except NotThere:  # taken away between the two questions
        return []
    return [
        ReadableRepository(installation, one.text("full_name"), one.flag("permissions", "admin"))
        for one in replies
    ]


def _refused(error: str) -> UserError:
    if error == "incorrect_client_credentials":
        return UserError(
            "GitHub does not accept the App's client secret.",
            "Tell the operator: GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET must be the App's.",
        )
    if error == "redirect_uri_mismatch":
        return UserError(
            "GitHub does not know this Assay's address.",
            "Tell the operator: the App's callback URL must be ASSAY_PUBLIC_URL/login/callback.",
        )
    return UserError(
        "GitHub did not accept the sign-in; its code was used or is too old.", "Sign in again."
    )


def open_sign_in(settings: Settings, longest_s: float) -> SignIn | None:
    """Connect as the App, and wait for no answer longer than `longest_s`; None without its secret."""
    secret = settings.client_secret.get_secret_value()
    if not (settings.client_id and secret):
        return None
    timeout_s = min(settings.github_timeout_s, longest_s)
    manners = Manners(Addresses.of(settings.ghe_host), timeout_s)
    return SignIn(manners, settings.client_id, secret)
