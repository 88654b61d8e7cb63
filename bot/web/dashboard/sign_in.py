"""People come in by GitHub, the operator by the signed link, and everybody goes by a button."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from flask import Blueprint, Response, redirect, request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from werkzeug.wrappers import Response as AnyResponse

from bot.errors import UserError
from bot.github.credentials import SIGNED_IN
from bot.web.dashboard.visits import Visits
from bot.web.links import INDEX, SignedLinks
from bot.web.pages import missing

STARTED_S = 600
_STARTED = "assay-sign-in"
"""The cookie of a sign-in that has begun."""


@dataclass(frozen=True, slots=True)
class Doors:
    """The routes by which sessions begin and end."""

    visits: Visits
    links: SignedLinks

    def login(self) -> AnyResponse:
        """Lead to GitHub; the browser keeps the state and PKCE's verifier, signed."""
        if self.visits.sign_in is None:
            return missing()
        public_url = self.links.public_url
        if not is_loopback(public_url) and urlsplit(public_url).scheme != "https":
            raise UserError(
                "Sign-in needs https.",
                "Tell the operator: ASSAY_PUBLIC_URL must begin with https://.",
            )
        state, verifier = secrets.token_urlsafe(24), secrets.token_urlsafe(48)
        answer = led_to(self.visits.sign_in.address(self._back(), state, verifier))
        # Afterwards to a page of this host, else to the start page.
        then = request.args.get("next", "")
        is_here = then.startswith("/") and not then.startswith("//")
        then = then if is_here and "\\" not in then and then.isprintable() else "/"
        begun = self._signer().dumps([state, verifier, then])
        answer.set_cookie(
            _STARTED,
            begun,
            max_age=STARTED_S,
            path="/login",
            secure=self.visits.is_secure,
            httponly=True,
            samesite="Lax",
        )
        return answer

    def came_back(self) -> AnyResponse:
        """Take the code that GitHub sends a person back with."""
        if self.visits.sign_in is None:
            return missing()
        try:
            kept = request.cookies.get(_STARTED, "")
            known, verifier, following = self._signer().loads(kept, max_age=STARTED_S)
        except (BadSignature, ValueError):
            known = verifier = following = ""
        state = request.args.get("state", "")
        if not known or not secrets.compare_digest(known.encode(), state.encode()):
            raise UserError(
                "This sign-in was not begun in this browser, or too long ago.",
                f"Open {self.links.public_url.rstrip('/')}/login and sign in again.",
            )
        code = request.args.get("code", "")
        if not code:
            raise UserError(
                "You did not sign in.", f"Open {self.links.public_url}/login to try again."
            )
        answer = led_to(following)
        token = asyncio.run(self.visits.sign_in.token(code, self._back(), verifier))
        self.visits.opened_for(self.visits.sign_in, token, answer)
        answer.delete_cookie(_STARTED, path="/login")
        return answer

    def logout(self) -> AnyResponse:
        """End the session. The cookie is `SameSite=Lax`: no other site can post this."""
        answer = led_to("/")
        self.visits.ended(answer)
        return answer

    def operator(self) -> AnyResponse | None:
        """Let the operator in by the signed link, and take the signature out of the address."""
        signature = request.args.get("s", "")
        if not signature:
            return None
        if not self.links.private or not self.links.allows(INDEX, signature):
            return missing()
        answer = led_to("/operator")
        self.visits.opened_for_operator(answer)
        return answer

    def _back(self) -> str:
        return f"{self.links.public_url.rstrip('/')}{SIGNED_IN}"

    def _signer(self) -> URLSafeTimedSerializer:
        return URLSafeTimedSerializer(self.links.key(), salt="assay.sign-in")


def register(routes: Blueprint, doors: Doors) -> None:
    """Add the routes; the operator's own page asks `doors.operator` first."""
    routes.add_url_rule("/login", view_func=doors.login, endpoint="login")
    routes.add_url_rule(SIGNED_IN, view_func=doors.came_back, endpoint="came_back")
    routes.add_url_rule("/logout", view_func=doors.logout, endpoint="logout", methods=["POST"])


def login_address(following: str) -> str:
    """Return where one signs in who then goes on to `following`."""
    return f"/login?{urlencode({'next': following})}"


def is_loopback(public_url: str) -> bool:
    """Whether people reach the pages on this machine only."""
    host = urlsplit(public_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def led_to(address: str) -> Response:
    """Answer with another address of our own, or of GitHub."""
    answer = redirect(address, 303)
    return Response(answer.get_data(), answer.status_code, answer.headers)
