"""Sends one request to GitHub: time limits, retries of reads, the pace of writes, errors.

The only file that imports githubkit. Its own retry is off because it sends a POST again on 5xx (two
comments), its sleeping on rate limits is off (a primary limit sleeps 50 minutes), its HTTP cache is
off (a write must be seen by the next read) and its typed replies are not used (they reject GitHub's own).
"""

from __future__ import annotations

import asyncio
import functools
import random
import re
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import httpx
from githubkit import AppAuthStrategy, GitHub, UnauthAuthStrategy
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed

from bot.errors import AssayError, Transient, UserError
from bot.github.addresses import Addresses
from bot.github.base import NotThere, Unprocessable
from bot.text.json_reading import Payload

READ_ATTEMPTS = 3
DOWNLOAD_S = 120.0
MOST_PAGES = 50  # of 100 things each: nothing that Assay lists is longer
JsonBody = dict[str, object]


class Pace:
    """Keeps content-creating writes apart, for the whole process and across event loops."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next_s = 0.0
        self._lock = threading.Lock()

    async def wait(self) -> None:
        """Sleeps until this write's turn has come."""
        with self._lock:
            now_s = time.monotonic()
            turn_s = max(now_s, self._next_s)
            self._next_s = turn_s + self._seconds
        await asyncio.sleep(turn_s - now_s)


@dataclass(frozen=True, slots=True)
class Manners:
    """How to treat one GitHub: where it is, how long to wait for it, how fast to write."""

    addresses: Addresses
    timeout_s: float = 15.0
    retry_pause_s: float = 0.5
    pace: Pace = field(default_factory=lambda: Pace(1.0))


class Credential(Protocol):
    """Gives the Authorization header of a request."""

    async def header(self) -> str:
        """The header's value; empty for none."""

    def refused(self) -> bool:
        """Told of a 401; says whether another try with a new header makes sense."""


class Anonymous:
    """No credential, or one that never changes (a personal token, an app's client secret)."""

    def __init__(self, token: str = "", kind: str = "Bearer") -> None:
        self._header = f"{kind} {token}" if token else ""

    async def header(self) -> str:
        """The fixed header."""
        return self._header

    def refused(self) -> bool:
        """A fixed token does not get better."""
        return False


@dataclass(frozen=True, slots=True)
class AppKey:
    """An app's identity. The cache keeps its JWT for minutes: reading the key takes 0.1 s."""

    app_id: str
    private_key: str = field(repr=False)
    cache: MemCacheStrategy = field(default_factory=MemCacheStrategy, repr=False)


class Transport:
    """One connection pool to one GitHub under one credential; enter it inside the job."""

    def __init__(self, manners: Manners, credential: Credential, app: AppKey | None = None) -> None:
        self._manners = manners
        self._credential = credential
        auth: BaseAuthStrategy
        auth = AppAuthStrategy(app.app_id, app.private_key) if app else UnauthAuthStrategy()
        self._client = GitHub(
            auth,
            base_url=manners.addresses.rest,
            timeout=manners.timeout_s,
            user_agent="assay",
            ssl_verify=_certificates(),
            http_cache=False,
            auto_retry=False,
            # The default one is shared by the whole process and does not know the base URL.
            cache_strategy=app.cache if app else MemCacheStrategy(),
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()  # type: ignore[no-untyped-call]
        return self

    async def __aexit__(self, *raised: Any) -> None:
        await self._client.__aexit__(*raised)

    async def get(self, path: str, **parameters: str | int) -> Payload:
        """One thing; tried again a little on 5xx and broken connections."""
        return _json(await self._read("GET", path, parameters, None), path)

    async def download(self, path: str, most_bytes: int) -> bytes:
        """A file that GitHub keeps elsewhere; the credential stays with GitHub.

        Raises UserError above `most_bytes`.
        """
        header, what = await self._credential.header(), f"GET {path}"
        try:
            async with asyncio.timeout(DOWNLOAD_S):
                headers = {"Authorization": header} if header else None
                reply = await self._client.arequest("GET", path, headers=headers, stream=True)
                found = bytearray()
                async for part in reply.raw_response.aiter_bytes():
                    found += part
                    if len(found) > most_bytes:
                        break
                await reply.raw_response.aclose()
        except GitHubException as error:
            raise _translated(what, error) from None
        except (TimeoutError, httpx.HTTPError) as error:
            raise unreachable(what, error) from None
        if len(found) > most_bytes:
            raise UserError(f"{what}: it has more than {most_bytes // 1_000_000} MB.")
        return bytes(found)

    async def pages(self, path: str, *keys: str, **parameters: str | int) -> tuple[Payload, ...]:
        """All elements of a list (under `keys` of each reply), 100 a page, at most 50 pages."""
        found: list[Payload] = []
        for page in range(1, MOST_PAGES + 1):
            query = {**parameters, "per_page": 100, "page": page}
            response = await self._read("GET", path, query, None)
            found += _json(response, path).items(*keys)
            # The address in Link is not followed: it could lead the token elsewhere.
            if "next" not in response.links:
                break
        return tuple(found)

    async def write(self, method: str, path: str, body: JsonBody) -> Payload:
        """A request that changes something: sent once, a second after the last one."""
        await self._manners.pace.wait()
        return _json(await self._send(method, path, {}, _sendable(body)), path)

    async def exchange(self, path: str, body: JsonBody) -> Payload:
        """A POST that creates no content (a token for a key); sent at once, and again if it broke."""
        return _json(await self._read("POST", path, {}, body), path)

    async def graphql(self, what: str, query: str, variables: JsonBody) -> Payload:
        """The `data` of a query; `what` names it for people. Queries only read, so they are retried."""
        body: JsonBody = {"query": query, "variables": variables}
        response = await self._read("POST", self._manners.addresses.graphql, {}, body)
        reply = _json(response, what)
        if failure := graphql_failure_of(what, reply):
            raise failure
        return reply.at("data")

    async def _read(
        self, method: str, path: str, query: dict[str, str | int], body: JsonBody | None
    ) -> httpx.Response:
        for attempt in range(1, READ_ATTEMPTS):
            try:
                return await self._send(method, path, query, body)
            except _WorthRepeating:
                # Jitter is no secret: it keeps many workers from coming back together.
                pause_s = self._manners.retry_pause_s * 2**attempt * random.random()  # noqa: S311
                await asyncio.sleep(pause_s)
        return await self._send(method, path, query, body)

    async def _send(
        self, method: str, path: str, query: dict[str, str | int], body: JsonBody | None
    ) -> httpx.Response:
        try:
            return await self._send_once(method, path, query, body)
        except CredentialsRefused:
            # 401 means that nothing was done, so even a write may be sent again.
            if not self._credential.refused():
                raise
        return await self._send_once(method, path, query, body)

    async def _send_once(
        self, method: str, path: str, query: dict[str, str | int], body: JsonBody | None
    ) -> httpx.Response:
        header = await self._credential.header()
        what = f"{method} {path.rpartition('/')[2] if '://' in path else path}"
        try:
            # httpx's limits are per read; a reply that drips needs a limit of the whole.
            async with asyncio.timeout(self._manners.timeout_s * 2):
                reply = await self._client.arequest(
                    method,
                    path,
                    params=query or None,
                    json=body,
                    headers={"Authorization": header} if header else None,
                )
        except TimeoutError as error:
            raise unreachable(what, error) from None
        except GitHubException as error:
            raise _translated(what, error) from None
        except ValueError:
            # githubkit reads Retry-After as a number; GitHub's proxies may send a date.
            raise Transient(f"{what}: GitHub's rate limit.", SECONDARY_WAIT_S) from None
        return reply.raw_response


class _WorthRepeating(Transient):
    """A read that may succeed at once: the server stumbled or the connection broke."""


def _translated(what: str, error: GitHubException) -> Exception:
    if isinstance(error, RequestFailed):
        response = error.response.raw_response
        failure = failure_of(what, response)
        if response.status_code >= 500 and isinstance(failure, Transient):
            return _WorthRepeating(failure.what, failure.retry_after_s)
        return failure
    cause = error.exc if isinstance(error, RequestError) else error
    if isinstance(cause, httpx.TimeoutException):
        return unreachable(what, cause)  # already waited long; the engine tries again later
    if isinstance(cause, httpx.HTTPError):
        failure = unreachable(what, cause)
        return _WorthRepeating(failure.what, failure.retry_after_s)
    return UserError(
        f"{what}: the App's credentials cannot be used ({type(cause).__name__}).",
        "PRIVATE_KEY must be the PEM file that GitHub gave, PRIVATE_KEY_PATH its path.",
    )


def _sendable(body: JsonBody) -> JsonBody:
    """The body without lone surrogates: JSON can escape half a character, UTF-8 cannot hold it."""

    def plain(value: object) -> object:
        if isinstance(value, str):
            return value.encode(errors="replace").decode()
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        return value

    return {key: plain(value) for key, value in body.items()}


def _json(response: httpx.Response, what: str) -> Payload:
    if not response.content:
        return Payload(None)
    try:
        return Payload.parse(response.content)
    except ValueError:
        raise Transient(f"{what}: GitHub's reply is no JSON.", SERVER_WAIT_S) from None


@functools.cache
def _certificates() -> ssl.SSLContext:
    """The trusted certificates; reading them takes 30 ms, so once for all connections."""
    return httpx.create_ssl_context()


def app_transport(manners: Manners, key: AppKey) -> Transport:
    """The app speaking as itself (an RS256 JWT of nine minutes) instead of as an installation."""
    return Transport(manners, Anonymous(), key)


# --- turns what went wrong at GitHub into `Transient` or `UserError` with the way out -------------


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
    headers = response.headers
    is_limited = "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0"
    is_limited = is_limited or "rate limit" in _message(response).lower()
    if status == 429 or (status == 403 and is_limited):
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
        needed = _clean(response.headers.get("x-accepted-github-permissions", ""))
        wanted = f" ({needed})" if needed else ""
        return UserError(
            f"{said}, {_message(response)}",
            f"Grant the App the permissions of app.yml{wanted} and accept them in the installation.",
        )
    if status in {404, 410}:
        return NotThere(
            f"{said}, {_message(response)}",
            "It was deleted or moved, or the App is not installed on this repository.",
        )
    if status == 422:
        return Unprocessable(f"{said}, {_message(response)}")
    return UserError(f"{said}, {_message(response)}", "Run `assay doctor` to see what is wrong.")


def _wait_s(response: httpx.Response, otherwise_s: float) -> float:
    retry_after = response.headers.get("retry-after", "")
    if retry_after.isascii() and retry_after.isdigit():
        return min(max(float(retry_after[:9]), 1.0), LONGEST_WAIT_S)
    reset = response.headers.get("x-ratelimit-reset", "")
    spent = response.headers.get("x-ratelimit-remaining") == "0"
    if spent and reset.isascii() and reset.isdigit():
        return min(max(float(reset[:12]) - time.time(), 1.0), LONGEST_WAIT_S)
    return otherwise_s


def _message(response: httpx.Response) -> str:
    try:
        reply = Payload.parse(response.content)
    except ValueError:
        return "without a readable reason."
    details = [error.text("message") or error.text("code") for error in reply.items("errors")]
    return _clean(" ".join([reply.text("message"), *details]))


def _clean(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f\s]+", " ", text)[:MESSAGE_CHARACTERS].strip()
