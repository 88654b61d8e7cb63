"""Turns what went wrong at GitHub into `Transient` or `UserError` with the way out.

Rate limits: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

from __future__ import annotations

import re
import time

import httpx

from bot.errors import AssayError, Transient, UserError
from bot.github.base import NotThere
from bot.text.json_reading import Payload

LONGEST_WAIT_S = 3700.0  # a primary limit resets within the hour
SECONDARY_WAIT_S = 60.0  # GitHub's advice where it names no time
SERVER_WAIT_S = 10.0
MESSAGE_CHARACTERS = 300


class CredentialsRefused(UserError):
    """GitHub answered 401; an installation token is dropped and asked for once more."""


def failure_of(what: str, response: httpx.Response) -> AssayError:
    """The error for one reply that is not 2xx; `what` names the request for people."""
    status = response.status_code
    said = f"{what}: GitHub answered {status}"
    if status == 429 or (status == 403 and _is_rate_limit(response)):
        return Transient(f"{said} (rate limit).", _wait_s(response, SECONDARY_WAIT_S))
    if status >= 500:
        return Transient(f"{said}.", _wait_s(response, SERVER_WAIT_S))
    if status == 409:
        return Transient(f"{said}, {_message(response)}", SERVER_WAIT_S)
    return _refusal_of(said, response)


def graphql_failure_of(what: str, reply: Payload) -> AssayError | None:
    """The error that a GraphQL reply holds (GitHub sends it with status 200), or None."""
    errors = reply.items("errors")
    if not errors:
        return None
    kind, message = errors[0].text("type"), _clean(errors[0].text("message"))
    said = f"{what}: GitHub answered {kind or 'an error'}, {message}"
    if kind in {"RATE_LIMIT", "RATE_LIMITED"}:
        return Transient(said, SECONDARY_WAIT_S)
    if kind == "NOT_FOUND":
        return NotThere(said)
    if kind in {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        return UserError(said, "Grant the App the permissions of app.yml.")
    # Without a type it is "Something went wrong while executing your query", GitHub's own 5xx.
    return UserError(said) if kind else Transient(said, SERVER_WAIT_S)


def unreachable(what: str, error: BaseException) -> Transient:
    """GitHub did not answer in time or at all; the reason's text could hold addresses only."""
    late = isinstance(error, TimeoutError | httpx.TimeoutException)
    said = "did not answer in time" if late else "cannot be reached"
    return Transient(f"{what}: GitHub {said} ({type(error).__name__}).", SERVER_WAIT_S)


def _refusal_of(said: str, response: httpx.Response) -> UserError:
    status = response.status_code
    if status == 401:
        return CredentialsRefused(
            f"{said}.", "Check APP_ID, PRIVATE_KEY and this machine's clock, or GITHUB_TOKEN."
        )
    if status == 403:
        return UserError(f"{said}, {_message(response)}", _permission_hint(response))
    if status in {404, 410}:
        return NotThere(
            f"{said}, {_message(response)}",
            "It was deleted or moved, or the App is not installed on this repository.",
        )
    if status == 422:
        return UserError(f"{said}, {_message(response)}")
    return UserError(f"{said}, {_message(response)}", "Run `assay doctor` to see what is wrong.")


def _is_rate_limit(response: httpx.Response) -> bool:
    if "retry-after" in response.headers or response.headers.get("x-ratelimit-remaining") == "0":
        return True
    return "rate limit" in _message(response).lower()


def _wait_s(response: httpx.Response, otherwise_s: float) -> float:
    retry_after = response.headers.get("retry-after", "")
    if retry_after.isascii() and retry_after.isdigit():
        return min(max(float(retry_after[:9]), 1.0), LONGEST_WAIT_S)
    reset = response.headers.get("x-ratelimit-reset", "")
    spent = response.headers.get("x-ratelimit-remaining") == "0"
    if spent and reset.isascii() and reset.isdigit():
        return min(max(float(reset[:12]) - time.time(), 1.0), LONGEST_WAIT_S)
    return otherwise_s


def _permission_hint(response: httpx.Response) -> str:
    needed = _clean(response.headers.get("x-accepted-github-permissions", ""))
    wanted = f" ({needed})" if needed else ""
    return f"Grant the App the permissions of app.yml{wanted} and accept them in the installation."


def _message(response: httpx.Response) -> str:
    try:
        reply = Payload.parse(response.content)
    except ValueError:
        return "without a readable reason."
    details = [error.text("message") or error.text("code") for error in reply.items("errors")]
    return _clean(" ".join([reply.text("message"), *details]))


def _clean(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\s]+", " ", text)[:MESSAGE_CHARACTERS].strip()
