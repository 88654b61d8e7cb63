"""Where GitHub is and how its paths are spelled.

githubkit does not quote path parameters (`repos.get("o", "../../user")` would call `/user`), so every
path is built here: owner and name are validated, everything else is quoted.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from bot.errors import UserError

OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})")
NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
PULL_REQUEST_PATH = re.compile(r"/([^/]+)/([^/]+)/pull/([1-9][0-9]{0,9})(?:/.*)?")


@dataclass(frozen=True, slots=True)
class Addresses:
    """The three doors of one GitHub: REST, GraphQL, and the web (which git uses too)."""

    rest: str
    graphql: str
    web: str

    @classmethod
    def of(cls, host: str = "") -> Addresses:
        """github.com for an empty host, else a GitHub Enterprise host or a compatible server's URL."""
        if not host or host in {"github.com", "https://github.com"}:
            api = "https://api.github.com"
            return cls(f"{api}/", f"{api}/graphql", "https://github.com")
        web = (host if "://" in host else f"https://{host}").rstrip("/")
        return cls(f"{web}/api/v3/", f"{web}/api/graphql", web)


@dataclass(frozen=True, slots=True)
class PullRequestAddress:
    """What a pull request's URL says; `host` is what `Addresses.of` takes."""

    host: str
    repository: str
    number: int


def token_for(address: PullRequestAddress, trusted_host: str, token: str) -> str:
    """The token when the address is on github.com or the operator's own host, else none.

    A pasted address must not be able to send the token to whoever owns that host.
    """
    known = {Addresses.of().web, Addresses.of(trusted_host).web}
    return token if Addresses.of(address.host).web in known else ""


def repository_path(repository: str) -> str:
    """`repos/owner/name` for a valid `owner/name`; raises `UserError` for anything else."""
    owner, _, name = repository.partition("/")
    if not OWNER.fullmatch(owner) or not NAME.fullmatch(name):
        raise UserError(f"{repository[:80]!r} is no repository name.", "Write it as owner/name.")
    return f"repos/{owner}/{name}"


def segment(value: str | int) -> str:
    """One path segment, quoted so that it cannot leave its place."""
    quoted = quote(str(value), safe="", errors="replace")
    if quoted in {"", ".", ".."}:
        raise UserError(f"{str(value)!r} cannot stand in an address.")
    return quoted


def parse_pull_request_url(url: str) -> PullRequestAddress:
    """Reads `https://host/owner/name/pull/9`; raises `UserError` when it is something else."""
    match = None
    with suppress(ValueError):  # of a host or a port that cannot be
        parts = urlsplit(url.strip())
        if parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0:
            match = PULL_REQUEST_PATH.fullmatch(parts.path.rstrip("/"))
    if match is None:
        raise UserError(
            f"{url[:120]!r} is no pull request's address.",
            "It looks like https://github.com/owner/name/pull/9.",
        )
    if parts.username or parts.password:
        raise UserError("The address holds credentials.", "Put a token into GITHUB_TOKEN instead.")
    repository = f"{match[1]}/{match[2]}"
    repository_path(repository)
    host = "" if parts.netloc == "github.com" else f"{parts.scheme}://{parts.netloc}"
    return PullRequestAddress(host, repository, int(match[3]))
