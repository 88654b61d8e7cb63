"""Who may come in, each by a secret of which only a hash is kept: agents by tokens of the API, which open one
repository for some days, and people by the sessions of their browsers.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from dataclasses import asdict, dataclass, field

from pydantic import TypeAdapter
from sqlalchemy import delete, insert, select, update

from bot.errors import UserError
from bot.store.database import Database, value_of
from bot.store.tables import API_TOKENS, SESSIONS, now_s, utc_day
from bot.text import scrub
from bot.values import ReadableRepository

SECONDS_A_DAY = 86_400
_PREFIX = "assay"
_TOKEN = re.compile(rf"{_PREFIX}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
MOST_DAYS = 366
"""That a token lasts."""
_NO_SALT, _NO_DIGEST = bytes(16), bytes(32)


@dataclass(frozen=True, slots=True)
class ApiToken:
    """What a token may do. `repository` is `owner/name` as the operator wrote it; times are Unix seconds.

    `shows_report` says that its bearer also gets the links to the full report.
    """

    id: str
    repository: str
    name: str
    shows_report: bool
    created_s: float
    expires_s: float
    revoked_s: float | None = None

    @property
    def first_day(self) -> str:
        """The day on which it was made."""
        return utc_day(self.created_s)

    @property
    def last_day(self) -> str:
        """The day on which it ends, or ended."""
        return utc_day(self.expires_s if self.revoked_s is None else self.revoked_s)

    def is_valid(self, at_s: float) -> bool:
        """Whether it still opens anything."""
        return self.revoked_s is None and at_s < self.expires_s

    def state(self, at_s: float) -> str:
        """Name it: valid, expired or revoked."""
        if self.revoked_s is not None:
            return "revoked"
        return "valid" if self.is_valid(at_s) else "expired"

    def covers(self, repository: str) -> bool:
        """Whether it is for this repository."""
        return self.repository.lower() == repository.lower()


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token. `secret` is what its bearer sends; it is told once and kept nowhere."""

    token: ApiToken
    secret: str = field(repr=False)


def check_repository(name: str) -> None:
    """Raise UserError for what names no repository."""
    if not _REPOSITORY.fullmatch(name):
        raise UserError(f"{name[:100]!r} is not a repository.", "Name it as owner/name.")


class TokenRecords(Database):
    """The part of the records that knows who may send patches by the API."""

    def issue_token(
        self, repository: str, days: int, name: str = "", *, shows_report: bool = False
    ) -> IssuedToken:
        """Make a token for one repository that ends by itself."""
        identifier, secret, salt = (
            secrets.token_hex(6),
            secrets.token_urlsafe(32),
            secrets.token_bytes(16),
        )
        now = now_s()
        token = ApiToken(
            identifier, repository, scrub(name)[:100], shows_report, now, now + days * SECONDS_A_DAY
        )
        row = {**asdict(token), "salt": salt, "digest": _digest(salt, secret)}
        self._do(insert(API_TOKENS).values(row))
        return IssuedToken(token, f"{_PREFIX}_{identifier}_{secret}")

    def token_of(self, secret: str) -> ApiToken | None:
        """Find the token that somebody sent, also one that has ended; None for any other text."""
        match = _TOKEN.fullmatch(secret)
        identifier, sent = (match[1], match[2]) if match else ("", "")
        with self._begin() as connection:
            this = select(API_TOKENS).where(API_TOKENS.c.id == identifier)
            row = connection.execute(this).first()
        # An unknown id takes as long as a wrong secret.
        salt, digest = (row.salt, row.digest) if row else (_NO_SALT, _NO_DIGEST)
        is_right = hmac.compare_digest(_digest(salt, sent), digest)
        return value_of(ApiToken, row) if row and is_right else None

    def tokens(self) -> tuple[ApiToken, ...]:
        """List all tokens, the newest last."""
        rows = self._rows(select(API_TOKENS).order_by(API_TOKENS.c.created_s))
        return tuple(value_of(ApiToken, row) for row in rows)

    def revoke_token(self, identifier: str) -> bool:
        """End a token now; false when there is none of that id."""
        this = API_TOKENS.c.id == identifier
        with self._begin() as connection:
            still_open = update(API_TOKENS).where(this, API_TOKENS.c.revoked_s.is_(None))
            connection.execute(still_open.values(revoked_s=now_s()))
            known = connection.execute(select(API_TOKENS.c.id).where(this)).first()
        return known is not None


def _digest(salt: bytes, secret: str) -> bytes:
    """One round is enough: a secret of 256 random bits cannot be guessed."""
    return hmac.digest(salt, secret.encode(), hashlib.sha256)


# --- who is signed in to the pages: found by a secret that only its browser has --------------------


_READABLE = TypeAdapter(tuple[ReadableRepository, ...])


@dataclass(frozen=True, slots=True)
class WebSession:
    """One person's session; times are Unix seconds, `asked_s` is when GitHub was asked for `readable`.

    The token is sealed by whoever keeps it here. The operator has none, and sees every repository.
    """

    login: str
    expires_s: float
    is_operator: bool = False
    sealed_token: bytes = field(default=b"", repr=False)
    readable: tuple[ReadableRepository, ...] = ()
    asked_s: float = 0.0


class SessionRecords(Database):
    """The part of the records that holds sessions; what has ended is deleted."""

    def keep_session(self, secret: str, session: WebSession) -> None:
        """Keep a new session, and forget those that have ended."""
        row = {
            **asdict(session),
            "digest": _session_digest(secret),
            "login": scrub(session.login)[:100],
            "readable": _as_json(session.readable),
        }
        with self._begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_s < now_s()))
            connection.execute(self._insert(SESSIONS).values(row))

    def session(self, secret: str) -> WebSession | None:
        """Find a session that has not ended."""
        this = (SESSIONS.c.digest == _session_digest(secret)) & (SESSIONS.c.expires_s > now_s())
        with self._begin() as connection:
            row = connection.execute(select(SESSIONS).where(this)).first()
        if row is None:
            return None
        return value_of(WebSession, row, readable=_READABLE.validate_json(row.readable))

    def keep_readable(self, secret: str, readable: tuple[ReadableRepository, ...]) -> None:
        """Keep what GitHub says now."""
        this = SESSIONS.c.digest == _session_digest(secret)
        new = {"readable": _as_json(readable), "asked_s": now_s()}
        self._do(update(SESSIONS).where(this).values(new))

    def end_session(self, secret: str) -> None:
        """Forget a session; one that is not there is fine."""
        self._do(delete(SESSIONS).where(SESSIONS.c.digest == _session_digest(secret)))


def _session_digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _as_json(readable: tuple[ReadableRepository, ...]) -> str:
    return json.dumps(_READABLE.dump_python(readable, mode="json"))
