"""Who may use the API: whoever brings a token that is valid, for its own repository."""

from __future__ import annotations

import time
from http import HTTPStatus
from typing import Protocol

from flask import Request

from bot.store import ApiToken
from bot.web.api.problems import ApiProblem, refusal

_MAKE_ONE = "Ask the operator for a token: `assay token create --repository owner/name`."


class Tokens(Protocol):
    """Who knows the tokens. May raise `Transient`."""

    def token_of(self, secret: str) -> ApiToken | None:
        """Find the token that somebody sent, also one that has ended."""
        ...


def bearer(request: Request, tokens: Tokens) -> ApiToken:
    """Return the valid token of a request. Raises ApiProblem (401) where there is none."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise _unauthorized("The header `Authorization: Bearer …` is missing.", "")
    token = tokens.token_of(secret.strip())
    if token is None:
        raise _unauthorized("The token is not known.", "invalid_token")
    if token.revoked_s is not None:
        raise _unauthorized("The token was revoked.", "invalid_token")
    if not token.is_valid(time.time()):
        day = time.strftime("%Y-%m-%d", time.gmtime(token.expires_s))
        raise _unauthorized(f"The token expired on {day}.", "invalid_token")
    return token


def _unauthorized(what: str, error: str) -> ApiProblem:
    challenge = f'Bearer error="{error}"' if error else "Bearer"
    headers = {"WWW-Authenticate": challenge}
    return refusal(HTTPStatus.UNAUTHORIZED, "No valid token", f"{what} {_MAKE_ONE}", headers)


def check_covers(token: ApiToken, repository: str) -> None:
    """Raise ApiProblem (403) unless the token is for this repository."""
    if not token.covers(repository):
        raise refusal(
            HTTPStatus.FORBIDDEN,
            "A token of another repository",
            f"This token is for {token.repository}, and for no other repository.",
        )
