"""A signed-in user: who it is, which installations and repositories they can see, the end of a token."""

from __future__ import annotations

import base64
import hmac
from dataclasses import dataclass, replace

from flask import Blueprint, Response, request

from bot.demo.forge.access import LEVELS, Refused, not_found, permissions_of, principal_of, role_of
from bot.demo.forge.context import answer, body, context, page_of
from bot.demo.forge.rows import AppRow, InstallationRow, RepositoryRow, TokenRow, User
from bot.demo.forge.shapes import Json
from bot.demo.forge.state import covers, digest

routes = Blueprint("users", __name__)
_EMPTY: Json = {
    **dict.fromkeys(("name", "company", "blog", "location", "email", "hireable", "bio")),
    **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
    **dict.fromkeys(("created_at", "updated_at"), "2026-01-01T00:00:00Z"),
}


@dataclass(frozen=True, slots=True)
class _SignedIn:
    """A user, and the app that they signed in through (None for a token of their own)."""

    login: str
    app: AppRow | None


@routes.get("/user", endpoint="users/get-authenticated")
def user_shown() -> Response:
    """The user whose token it is."""
    forge, login = context(), _user().login
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
    secret = _basic_secret(client_id)
    if app is None or not hmac.compare_digest(digest(secret), app.client_secret_digest):
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


def _user() -> _SignedIn:
    state = context().state
    principal = principal_of(state, request.headers.get("Authorization", ""))
    if principal.token is None:
        raise Refused(401, "Requires authentication")
    if not principal.login:
        raise Refused(403, "Resource not accessible by integration")
    return _SignedIn(principal.login, _app(principal.token))


def _app(token: TokenRow) -> AppRow | None:
    return context().state.get(AppRow, token.app_id) if token.app_id else None


def _through_an_app() -> tuple[str, AppRow]:
    user = _user()
    if user.app is None:
        raise Refused(
            403,
            "You must authenticate with an access token authorized to a GitHub App in order to "
            "list installations",
        )
    return user.login, user.app


def _readable(installation: InstallationRow, login: str) -> list[RepositoryRow]:
    """What the user has a role in: that a repository is public gives none."""
    return [
        row
        for row in context().state.all(RepositoryRow)
        if covers(installation, row)
        and LEVELS[role_of(replace(row, private=True), login)] >= LEVELS["read"]
    ]


def _basic_secret(client_id: str) -> str:
    kind, _, value = request.headers.get("Authorization", "").partition(" ")
    try:
        name, _, secret = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        raise Refused(401, "Bad credentials") from None
    if kind.lower() != "basic" or name != client_id:
        raise Refused(401, "Bad credentials")
    return secret
