"""Who is asking, and what they may: app JWTs, installation tokens, users' tokens; and the refusals."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace

import jwt

from bot.demo.forge.rows import AppRow, InstallationRow, RepositoryRow, TokenRow
from bot.demo.forge.state import State, covers, digest


class Refused(Exception):
    """A reply that is not 2xx; `errors` are GitHub's details of a 422."""

    def __init__(
        self, status: int, message: str, errors: tuple[dict[str, str], ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.permissions_hint = hint


def not_found() -> Refused:
    """What GitHub says of all that is not there or not to be seen."""
    return Refused(404, "Not Found")


def invalid(resource: str, field: str, message: str) -> Refused:
    """A 422 that names the field and the reason."""
    detail = {"resource": resource, "field": field, "code": "custom", "message": message}
    return Refused(422, "Validation Failed", (detail,))


LEVELS = {"none": 0, "read": 1, "triage": 1, "write": 2, "maintain": 2, "admin": 3}
LONGEST_JWT_S = 600
CLOCK_SKEW_S = 60


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks: an installation of an app, a user, or nobody (both empty)."""

    app: AppRow | None = None
    installation: InstallationRow | None = None
    token: TokenRow | None = None
    login: str = ""

    @property
    def name(self) -> str:
        """The login that writings are signed with."""
        return f"{self.app.slug}[bot]" if self.app else self.login


def app_of_jwt(state: State, header: str) -> AppRow:
    """The app that signed a JWT (RS256; iss, iat and exp checked); raises `Refused`."""
    value = _credential(header)
    try:
        issuer = str(jwt.decode(value, options={"verify_signature": False}).get("iss", ""))
    except jwt.InvalidTokenError:
        raise Refused(401, "A JSON web token could not be decoded") from None
    app = state.get(AppRow, issuer)
    if app is None:
        raise Refused(404, "Integration not found")
    try:
        claims = jwt.decode(
            value,
            app.public_key,
            algorithms=["RS256"],
            options={"require": ["iss", "iat", "exp"], "verify_iss": False},
        )
    except jwt.ExpiredSignatureError:
        raise Refused(401, "'Expiration time' claim ('exp') must be in the future") from None
    except jwt.ImmatureSignatureError:
        raise Refused(401, "'Issued at' claim ('iat') must be in the past") from None
    except jwt.InvalidTokenError:
        raise Refused(401, "A JSON web token could not be decoded") from None
    if claims["exp"] - time.time() > LONGEST_JWT_S + CLOCK_SKEW_S:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
    return app


def principal_of(state: State, header: str) -> Principal:
    """Who a request's Authorization header stands for; 401 for a token that is no good (any more)."""
    if not header:
        return Principal()
    row = state.token(_credential(header))
    if row is None or row.revoked or (row.expires_at_s and row.expires_at_s < time.time()):
        raise Refused(401, "Bad credentials")
    if not row.installation:
        return Principal(token=row, login=row.login)
    installation = state.get(InstallationRow, row.installation)
    app = state.get(AppRow, installation.app_id) if installation else None
    if installation is None or app is None:
        raise Refused(401, "Bad credentials")
    if installation.suspended:
        raise Refused(403, "This installation has been suspended")
    return Principal(app, installation, row)


def require(principal: Principal, repository: RepositoryRow | None, need: str) -> RepositoryRow:
    """The repository when `need` ("issues:write") is granted, else 401, 403 or 404 as GitHub does."""
    if repository is None or not may_see(principal, repository):
        raise not_found()
    name, _, level = need.partition(":")
    if principal.token is None and level != "read":
        raise Refused(401, "Requires authentication")
    if principal.app and principal.token:
        granted = LEVELS[dict(principal.token.permissions).get(name, "none")]
        public_read = level == "read" and not repository.private
        in_reach = _in_reach(principal, repository)
        if not public_read and (granted < LEVELS[level] or not in_reach):
            hint = f"{name}={level}"
            raise Refused(403, "Resource not accessible by integration", hint=hint)
    elif principal.token and principal.token.app_id and level != "read":
        raise Refused(403, "Resource not accessible by integration")
    else:
        # Whoever can see a repository may open and comment.
        least = "read" if name in {"issues", "pull_requests"} else level
        if LEVELS[role_of(repository, principal.login)] < LEVELS[least]:
            raise Refused(403, "Must have push access to the repository")
    return repository


def may_see(principal: Principal, repository: RepositoryRow) -> bool:
    """Whether the repository exists as far as the asker can tell."""
    if not repository.private:
        return True
    if principal.app:
        return _in_reach(principal, repository)
    return LEVELS[role_of(repository, principal.login)] >= LEVELS["read"]


def permissions_of(role: str) -> dict[str, bool]:
    """What a role may, as GitHub lists it."""
    ladder = ("read", "triage", "write", "maintain", "admin")
    rank = ladder.index(role) if role in ladder else -1
    names = ("pull", "triage", "push", "maintain", "admin")
    return {name: rank >= step for step, name in enumerate(names)}


def role_of(repository: RepositoryRow, login: str) -> str:
    """A user's role: admin for the owner, read for anybody on public ones, none else."""
    if login and login.lower() == repository.owner.lower():
        return "admin"
    for collaborator in repository.collaborators:
        if collaborator.login.lower() == login.lower():
            return collaborator.role
    return "none" if repository.private else "read"


def mint(state: State, token: TokenRow, prefix: str = "ghs") -> str:
    """A new secret that stands for `token`; only its digest is kept."""
    value = f"{prefix}_{secrets.token_hex(18)}"
    state.put(digest(value), replace(token, digest=digest(value)))
    return value


def _in_reach(principal: Principal, repository: RepositoryRow) -> bool:
    if principal.installation is None or principal.token is None:
        return False
    names = {name.lower() for name in principal.token.repositories}
    limited = not names or repository.short_name.lower() in names
    return limited and covers(principal.installation, repository)


def _credential(header: str) -> str:
    kind, _, value = header.partition(" ")
    if kind.lower() not in {"bearer", "token"} or not value:
        raise Refused(401, "Bad credentials")
    return value.strip()
