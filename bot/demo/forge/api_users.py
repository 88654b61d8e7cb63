"""People sign in to an app, and a signed-in user: who it is and what they can see, the end of a token.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import replace
from urllib.parse import urlencode

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from bot.demo.forge.access import (
    LEVELS,
    Refused,
    mint,
    not_found,
    permissions_of,
    principal_of,
    role_of,
)
from bot.demo.forge.context import answer, body, context, page_of
from bot.demo.forge.pages import page
from bot.demo.forge.rows import AppRow, InstallationRow, RepositoryRow, SignInRow, TokenRow, User
from bot.demo.forge.shapes import Json
from bot.demo.forge.state import covers, digest

routes = Blueprint("users", __name__)
_EMPTY: Json = {
    **dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio")),
    **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
    **dict.fromkeys(("created_at", "updated_at"), "2026-01-01T00:00:00Z"),
}


@routes.get("/user", endpoint="users/get-authenticated")
def user_shown() -> Response:
    """The user whose token it is."""
    forge, (login, _) = context(), _user()
    user = forge.state.user(login) or User(10137, login)
    return answer({**forge.shapes.user(user), **_EMPTY, "user_view_type": "public"})


@routes.get("/user/installations", endpoint="apps/list-installations-for-authenticated-user")
def installations_listed() -> Response:
    """The app's installations in which the user can read something."""
    forge, (login, app) = context(), _through_an_app()
    mine = [row for row in forge.state.all(InstallationRow) if row.app_id == app.id]
    seen = [row for row in mine if _readable(row, login)]
    return page_of([forge.shapes.installation(row, app) for row in seen], "installations")


@routes.get(
    "/user/installations/<int:installation_id>/repositories",
    endpoint="apps/list-installation-repos-for-authenticated-user",
)
def repositories_listed(installation_id: int) -> Response:
    """The repositories of an installation that the user has a role in."""
    forge, (login, app) = context(), _through_an_app()
    row = forge.state.get(InstallationRow, installation_id)
    if row is None or row.app_id != app.id or not (found := _readable(row, login)):
        raise not_found()
    shown = [
        {**forge.shapes.repository(one), "permissions": permissions_of(role_of(one, login))}
        for one in found
    ]
    return page_of(shown, "repositories")


@routes.delete("/applications/<client_id>/token", endpoint="apps/delete-token")
def token_deleted(client_id: str) -> Response:
    """Ends a user's token; the app proves itself by its client secret."""
    forge = context()
    app = app_of_client(client_id)
    given = request.authorization
    if given is None or given.type != "basic" or given.username != client_id:
        raise Refused(401, "Bad credentials")
    secret = digest(given.password or "")
    if app is None or not hmac.compare_digest(secret, app.client_secret_digest):
        raise not_found()
    row = forge.state.token(body().text("access_token"))
    if row is None or row.app_id != app.id:
        raise Refused(422, "Validation Failed")
    forge.state.put(row.digest, replace(row, revoked=True))
    return Response(status=204)


def app_of_client(client_id: str) -> AppRow | None:
    """The app with this client id."""
    apps = context().state.all(AppRow)
    return next((app for app in apps if app.client_id == client_id), None)


def _user() -> tuple[str, AppRow | None]:
    """A user, and the app that they signed in through (None for a token of their own)."""
    state = context().state
    principal = principal_of(state, request.headers.get("Authorization", ""))
    if principal.token is None:
        raise Refused(401, "Requires authentication")
    if not principal.login:
        raise Refused(403, "Resource not accessible by integration")
    app_id = principal.token.app_id
    return principal.login, state.get(AppRow, app_id) if app_id else None


def _through_an_app() -> tuple[str, AppRow]:
    login, app = _user()
    if app is None:
        raise Refused(
            403,
            "You must authenticate with an access token authorized to a GitHub App in order to "
            "list installations",
        )
    return login, app


def _readable(installation: InstallationRow, login: str) -> list[RepositoryRow]:
    """What the user has a role in: that a repository is public gives none."""
    return [
        row
        for row in context().state.all(RepositoryRow)
        if covers(installation, row)
        and LEVELS[role_of(replace(row, private=True), login)] >= LEVELS["read"]
    ]


CODE_LIFETIME_S = 600.0
TOKEN_LIFETIME_S = 28_800
sign_in_routes = Blueprint("_sign_in", __name__)


@sign_in_routes.get("/login/oauth/authorize")
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


@sign_in_routes.post("/login/oauth/access_token")
def code_exchanged() -> Response:
    """Exchanges a code for a token of eight hours; a refusal has status 200, as GitHub's has."""
    state = context().state
    wishes = request.form if request.form else request.get_json(silent=True) or {}
    sent = {name: str(wishes.get(name, "")) for name in _FIELDS}
    app = app_of_client(sent["client_id"])
    if app is None or not hmac.compare_digest(
        digest(sent["client_secret"]), app.client_secret_digest
    ):
        return _refused("incorrect_client_credentials")
    row = state.take_sign_in(sent["code"])
    if row is None or row.app_id != app.id or row.expires_at_s < time.time():
        return _refused("bad_verification_code")
    if sent["redirect_uri"] not in {"", row.redirect_uri}:
        return _refused("redirect_uri_mismatch")
    if row.challenge:
        hashed = hashlib.sha256(sent["code_verifier"].encode()).digest()
        verifier = base64.urlsafe_b64encode(hashed).decode().rstrip("=")
        if not hmac.compare_digest(verifier, row.challenge):
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


def _refused(error: str) -> Response:
    return answer({"error": error, "error_description": "See the documentation.", "error_uri": ""})
