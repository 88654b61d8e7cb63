"""Who is signed in to the pages. A session is found by a secret that only its browser has."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field

from pydantic import TypeAdapter
from sqlalchemy import delete, select, update

from bot.store.database import Database, value_of
from bot.store.tables import SESSIONS, now_s
from bot.text import scrub
from bot.values import ReadableRepository

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
            "digest": _digest(secret),
            "login": scrub(session.login)[:100],
            "readable": _as_json(session.readable),
        }
        with self._begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_s < now_s()))
            connection.execute(self._insert(SESSIONS).values(row))

    def session(self, secret: str) -> WebSession | None:
        """Find a session that has not ended."""
        this = (SESSIONS.c.digest == _digest(secret)) & (SESSIONS.c.expires_s > now_s())
        with self._begin() as connection:
            row = connection.execute(select(SESSIONS).where(this)).first()
        if row is None:
            return None
        return value_of(WebSession, row, readable=_READABLE.validate_json(row.readable))

    def keep_readable(self, secret: str, readable: tuple[ReadableRepository, ...]) -> None:
        """Keep what GitHub says now."""
        this = SESSIONS.c.digest == _digest(secret)
        new = {"readable": _as_json(readable), "asked_s": now_s()}
        self._do(update(SESSIONS).where(this).values(new))

    def end_session(self, secret: str) -> None:
        """Forget a session; one that is not there is fine."""
        self._do(delete(SESSIONS).where(SESSIONS.c.digest == _digest(secret)))


def _digest(secret: str) -> str:
    """One round is enough: a secret of 256 random bits cannot be guessed."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def _as_json(readable: tuple[ReadableRepository, ...]) -> str:
    return json.dumps(_READABLE.dump_python(readable, mode="json"))
