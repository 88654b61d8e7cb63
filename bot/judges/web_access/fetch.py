"""Fetches one address: bounded in size, time, redirects and kinds of content, without cookies or proxies."""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore

from bot.judges.web_access import LookupRefused
from bot.judges.web_access.guard import Guard, GuardedBackend

TEXT_KINDS = ("text/", "application/json", "application/xml", "application/xhtml+xml")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_DEFAULT_PORT = {"http": 80, "https": 443}
_AGENT = "Assay (judges pull requests)"
_MOST_URL_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one fetch may take, all redirects together."""

    most_bytes: int = 1_000_000
    seconds: float = 20.0
    redirects: int = 5


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request: a GET, or a POST of `body` as JSON. Headers are the caller's own."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What came back from the last address of all redirects; `is_cut` says that it was longer."""

    url: str
    status: int
    kind: str
    body: bytes
    is_cut: bool = False

    @property
    def charset(self) -> str:
        """The charset that the content type names, else UTF-8."""
        _, _, rest = self.kind.partition("charset=")
        return rest.split(";")[0].strip().strip("\"'") or "utf-8"

    @property
    def text(self) -> str:
        """The body as text; what is not in its charset is replaced."""
        try:
            return self.body.decode(self.charset, "replace")
        except (LookupError, ValueError):
            return self.body.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches what the guard allows. `verify` is how certificates are checked."""

    guard: Guard
    limits: FetchLimits = FetchLimits()
    verify: ssl.SSLContext = field(default_factory=ssl.create_default_context)

    async def fetch(self, call: HttpRequest) -> Fetched:
        """Fetch, following redirects of a GET. Raises Refused for whatever may not or does not work."""
        url, backend = call.url, GuardedBackend(self.guard)
        try:
            async with (
                asyncio.timeout(self.limits.seconds),
                httpcore.AsyncConnectionPool(self.verify, network_backend=backend) as pool,
            ):
                for _ in range(self.limits.redirects + 1):
                    answered = await self._once(pool, HttpRequest(url, call.headers, call.body))
                    if isinstance(answered, Fetched):
                        return answered
                    if call.body is not None or call.headers:
                        raise LookupRefused(
                            "The host redirects a request that carries credentials."
                        )
                    url = answered
        except TimeoutError as error:
            raise LookupRefused(f"It took longer than {self.limits.seconds:g} seconds.") from error
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            raise LookupRefused("The host does not respond.") from error
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol, zlib.error) as error:
            raise LookupRefused("The host's response cannot be read.") from error
        raise LookupRefused(f"It redirects more than {self.limits.redirects} times.")

    async def _once(self, pool: httpcore.AsyncConnectionPool, call: HttpRequest) -> Fetched | str:
        """One request: what was fetched, or where it redirects to."""
        asked = [
            ("Host", checked_url(call.url).netloc.rpartition("@")[2]),
            ("User-Agent", _AGENT),
            ("Accept", "text/html,application/json;q=0.9,text/*;q=0.8"),
            ("Accept-Encoding", "gzip, identity"),
        ]
        if call.body is not None:
            asked += [("Content-Type", "application/json"), ("Content-Length", str(len(call.body)))]
        async with pool.stream(
            "GET" if call.body is None else "POST",
            call.url,
            headers=[*asked, *call.headers],
            content=call.body,
        ) as response:
            headers = {
                name.decode("latin-1").lower(): value.decode("latin-1")
                for name, value in response.headers
            }
            if response.status in _REDIRECTS and "location" in headers:
                try:
                    return urljoin(call.url, headers["location"])
                except ValueError as error:
                    raise LookupRefused("It redirects to an invalid address.") from error
            kind = headers.get("content-type", "").lower()
            if not kind.startswith(TEXT_KINDS) and "+json" not in kind:
                raise LookupRefused(f"Its content type is {kind[:60] or 'unknown'}, not text.")
            body = await self._body(response.aiter_stream(), headers.get("content-encoding", ""))
        most = self.limits.most_bytes
        return Fetched(call.url, response.status, kind, body[:most], len(body) > most)

    async def _body(self, chunks: AsyncIterator[bytes], encoding: str) -> bytes:
        """At most one byte more than the limit; a bomb is never unpacked beyond it."""
        encoding, unpack = encoding.strip().lower(), None
        if encoding in {"gzip", "x-gzip", "deflate"}:
            unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
        elif encoding not in {"", "identity"}:
            raise LookupRefused("The host's response has an unsupported content encoding.")
        body, most = bytearray(), self.limits.most_bytes + 1
        async for chunk in chunks:
            if unpack is None:
                body += chunk
            else:
                body += unpack.decompress(chunk, most - len(body))
            if len(body) >= most:
                break
        return bytes(body[:most])


def checked_url(url: str) -> SplitResult:
    """The parts of an address that may be asked for. Raises Refused."""
    if len(url) > _MOST_URL_CHARS or not url.isascii() or not url.isprintable() or " " in url:
        raise LookupRefused("The address contains invalid characters.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise LookupRefused("This is not a valid address.") from error
    if parts.scheme not in _DEFAULT_PORT:
        raise LookupRefused("Only http and https addresses can be looked up.")
    if parts.username is not None or parts.password is not None:
        raise LookupRefused("An address with a user name or password cannot be looked up.")
    if not parts.hostname or "\\" in url or port == 0:
        raise LookupRefused("This is not a valid address.")
    return parts
