"""People sign in to an app: the page that asks them, and the exchange of its code for a token.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from urllib.parse import urlencode

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.demo.forge.access import Refused, mint, not_found
from bot.demo.forge.api_users import app_of_client
from bot.demo.forge.context import answer, context
from bot.demo.forge.pages import page
from bot.demo.forge.rows import AppRow, SignInRow, TokenRow, User
from bot.demo.forge.state import digest

CODE_LIFETIME_S = 600.0
TOKEN_LIFETIME_S = 28_800
routes = Blueprint("_sign_in", __name__)


@routes.get("/login/oauth/authorize")
def asked_for_consent() -> AnyResponse:
    """Asks who sits there; with `login`, as if they were signed in here and had agreed before."""
    state, wishes = context().state, request.args
    app = app_of_client(wishes.get("client_id", ""))
    if app is None:
        raise not_found()
    back = wishes.get("redirect_uri") or next(iter(app.callback_urls), "")
    if back not in app.callback_urls:
        raise Refused(422, "The redirect_uri is not associated with this application.")
    challenge = wishes.get("code_challenge", "")
    if challenge and wishes.get("code_challenge_method") != "S256":
        raise Refused(422, "The code_challenge_method must be S256.")
    user = state.user(wishes.get("login", ""))
    if user is None:
        people = [one for one in state.all(User) if one.type == "User"]
        links = [(one.login, f"?{urlencode({**wishes, 'login': one.login})}") for one in people]
        return page("sign_in.html", app=app, links=links)
    row = SignInRow(
        secrets.token_hex(10), app.id, user.login, back, challenge, time.time() + CODE_LIFETIME_S
    )
    state.put(row.code, row)
    query = {"code": row.code, **({"state": wishes["state"]} if "state" in wishes else {})}
    return redirect(f"{back}?{urlencode(query)}")


@routes.post("/login/oauth/access_token")
def code_exchanged() -> Response:
    """Exchanges a code for a token of eight hours; a refusal has status 200, as GitHub's has."""
    state = context().state
    wishes = request.form if request.form else request.get_json(silent=True) or {}
    sent = {name: str(wishes.get(name, "")) for name in _FIELDS}
    app = app_of_client(sent["client_id"])
    if app is None or not _is_secret(app, sent["client_secret"]):
        return _refused("incorrect_client_credentials")
    row = state.take_sign_in(sent["code"])
    if row is None or row.app_id != app.id or row.expires_at_s < time.time():
        return _refused("bad_verification_code")
    if sent["redirect_uri"] not in {"", row.redirect_uri}:
        return _refused("redirect_uri_mismatch")
    if row.challenge and not hmac.compare_digest(_s256(sent["code_verifier"]), row.challenge):
        return _refused("bad_verification_code")
    token = TokenRow(
        "", login=row.login, app_id=app.id, expires_at_s=time.time() + TOKEN_LIFETIME_S
    )
    return answer(
        {
            "access_token": mint(state, token, "ghu"),
            "expires_in": TOKEN_LIFETIME_S,
            "refresh_token": f"ghr_{secrets.token_hex(18)}",
            "refresh_token_expires_in": 15_811_200,
            "token_type": "bearer",
            "scope": "",
        }
    )


_FIELDS = ("client_id", "client_secret", "code", "redirect_uri", "code_verifier")


def _is_secret(app: AppRow, secret: str) -> bool:
    return hmac.compare_digest(digest(secret), app.client_secret_digest)


def _s256(verifier: str) -> str:
    hashed = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(hashed).decode().rstrip("=")


def _refused(error: str) -> Response:
    return answer({"error": error, "error_description": "See the documentation.", "error_uri": ""})
