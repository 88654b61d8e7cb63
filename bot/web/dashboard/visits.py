"""Who is signed in, and what they may see: what GitHub said of them some minutes ago at most."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass

from cryptography.fernet import Fernet, InvalidToken
from flask import Response, g, request

from bot.errors import Transient
from bot.github.sign_in import CredentialsRefused, SignIn, UserToken
from bot.store import EvaluationRecord, Store, WebSession
from bot.values import ReadableRepository

LONGEST_S = 8 * 3600.0
"""Of a session; GitHub's own tokens last as long."""
ASKED_AGAIN_S = 300.0


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is signed in. `readable` is None for the operator, who sees everything."""

    login: str
    readable: tuple[ReadableRepository, ...] | None

    @property
    def is_operator(self) -> bool:
        """Whether it is whoever runs this Assay."""
        return self.readable is None

    def may_read(self, record: EvaluationRecord) -> bool:
        """Tell whether an evaluation's repository is among them."""
        if self.readable is None:
            return True
        here = (record.installation, record.repository.lower())
        return any((one.installation, one.name.lower()) == here for one in self.readable)

    def may_read_name(self, repository: str) -> bool:
        """Tell whether a repository of this name (`owner/name`) is among them."""
        known = self.readable
        return known is None or any(one.name.lower() == repository.lower() for one in known)

    @property
    def administered(self) -> tuple[str, ...]:
        """The repositories that a person administers, by name."""
        known = self.readable or ()
        return tuple(sorted((one.name for one in known if one.is_administered), key=str.lower))

    @property
    def may_make_tokens(self) -> bool:
        """Whether there is any repository whose agents they may let in."""
        return self.is_operator or bool(self.administered)

    def administers(self, repository: str) -> bool:
        """Tell whether a repository (`owner/name`) is theirs to let agents in; the operator's all are."""
        names = {name.lower() for name in self.administered}
        return self.is_operator or repository.lower() in names


@dataclass(frozen=True, slots=True)
class Visits:
    """Opens, finds and ends sessions. `sign_in` is None where people cannot sign in by GitHub.

    A session is found by a secret in a cookie; the same secret opens the person's token, so that neither
    the database nor the browser alone can use it.
    """

    sessions: Store
    sign_in: SignIn | None
    is_secure: bool

    @property
    def cookie(self) -> str:
        """The cookie's name; the prefix has browsers refuse one that another host set."""
        return "__Host-assay" if self.is_secure else "assay"

    def may_read(self, record: EvaluationRecord) -> bool:
        """Tell whether whoever asks now may read an evaluation. Raises `Transient`."""
        visitor = self.current()
        return visitor is not None and visitor.may_read(record)

    def current(self) -> Visitor | None:
        """Return who asks now; looked up once a request. Raises `Transient`."""
        if "visitor" not in g:
            g.visitor = self.visitor(self.secret())
        found: Visitor | None = g.visitor
        return found

    def secret(self) -> str:
        """Return what the browser of this request has; empty without a session."""
        return request.cookies.get(self.cookie, "")

    def visitor(self, secret: str) -> Visitor | None:
        """Find who has this secret; GitHub is asked again after some minutes. Raises `Transient`."""
        session = self.sessions.session(secret) if secret else None
        if session is None:
            return None
        if session.is_operator:
            return Visitor(session.login, None)
        if self.sign_in is None:
            return None
        if time.time() - session.asked_s < ASKED_AGAIN_S:
            return Visitor(session.login, session.readable)
        try:
            token = _seal(secret).decrypt(session.sealed_token).decode()
            readable = asyncio.run(self.sign_in.readable(token))
        except (CredentialsRefused, InvalidToken):  # ended at GitHub
            self.sessions.end_session(secret)
            return None
        self.sessions.keep_readable(secret, readable)
        return Visitor(session.login, readable)

    def opened_for(self, sign_in: SignIn, token: UserToken, answer: Response) -> None:
        """Open a person's session in an answer. Raises `Transient`, and UserError of a useless token."""

        async def asked() -> tuple[str, tuple[ReadableRepository, ...]]:
            return await sign_in.login(token.value), await sign_in.readable(token.value)

        login, readable = asyncio.run(asked())
        lasts_s = min(token.lasts_s or LONGEST_S, LONGEST_S)
        now_s, secret = time.time(), secrets.token_urlsafe(32)
        sealed = _seal(secret).encrypt(token.value.encode())
        session = WebSession(login, now_s + lasts_s, False, sealed, readable, now_s)
        self._open(secret, session, answer)

    def opened_for_operator(self, answer: Response) -> None:
        """Open the operator's session in an answer. Raises `Transient`."""
        session = WebSession("the operator", time.time() + LONGEST_S, is_operator=True)
        self._open(secrets.token_urlsafe(32), session, answer)

    def ended(self, answer: Response) -> None:
        """End the session of this request, here and at GitHub, also in the browser. Raises `Transient`."""
        secret = self.secret()
        session = self.sessions.session(secret) if secret else None
        self.sessions.end_session(secret)
        answer.delete_cookie(self.cookie, secure=self.is_secure, httponly=True, samesite="Lax")
        if session and session.sealed_token and self.sign_in:
            token = _seal(secret).decrypt(session.sealed_token).decode()
            with suppress(Transient):  # then it ends by itself
                asyncio.run(self.sign_in.end(token))

    def _open(self, secret: str, session: WebSession, answer: Response) -> None:
        if old := self.secret():
            self.sessions.end_session(old)
        self.sessions.keep_session(secret, session)
        answer.set_cookie(
            self.cookie,
            secret,
            max_age=int(session.expires_s - time.time()),
            secure=self.is_secure,
            httponly=True,
            samesite="Lax",
        )


def _seal(secret: str) -> Fernet:
    key = hashlib.sha256(f"assay web session {secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
