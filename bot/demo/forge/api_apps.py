"""Apps: themselves, their installations, their tokens, and the manifest exchange."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, replace

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Blueprint, Response, request

from bot.demo.forge.access import LEVELS, Refused, app_of_jwt, mint, not_found, principal_of
from bot.demo.forge.context import answer, body, context, page_of, required_text
from bot.demo.forge.rows import AppRow, InstallationRow, RepositoryRow, TokenRow, User
from bot.demo.forge.shapes import iso
from bot.demo.forge.state import covers, digest
from bot.text.json_reading import Payload


@dataclass(frozen=True, slots=True)
class Registered:
    """A new app, and what is handed over once."""

    app: AppRow
    private_key: str
    client_secret: str


def register(wishes: Payload) -> Registered:
    """A new app with a fresh key pair and client secret; only the public half and a digest are stored."""
    store = context().state
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
    public_key = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    name = required_text(wishes, "App", "name")
    slug = "-".join("".join(c if c.isalnum() else " " for c in name.lower()).split())
    client_secret = secrets.token_hex(20)
    app = AppRow(
        id=store.next_id(),
        slug=slug,
        name=name,
        owner=wishes.text("owner") or "octocat",
        public_key=public_key.decode(),
        webhook_url=wishes.text("webhook_url"),
        webhook_secret=wishes.text("webhook_secret") or secrets.token_hex(20),
        permissions=(*wishes.pairs("permissions"),),
        events=tuple(item.text() for item in wishes.items("events")),
        created_at_s=time.time(),
        client_secret_digest=digest(client_secret),
        callback_urls=tuple(item.text() for item in wishes.items("callback_urls")),
    )
    store.put(app.id, app)
    bot = f"{slug}[bot]"
    store.put(bot, User(store.next_id(), bot, "Bot"))
    return Registered(app, private_key, client_secret)


routes = Blueprint("apps", __name__)


@routes.get("/app", endpoint="apps/get-authenticated")
def app_shown() -> Response:
    """The app that signed the JWT."""
    return answer(context().shapes.app(_asker()))


@routes.get("/app/installations", endpoint="apps/list-installations")
def installations_listed() -> Response:
    """Where the app is installed."""
    app, forge = _asker(), context()
    mine = [row for row in forge.state.all(InstallationRow) if row.app_id == app.id]
    return page_of([forge.shapes.installation(row, app) for row in mine])


@routes.get("/repos/<owner>/<repo>/installation", endpoint="apps/get-repo-installation")
def repository_installation_shown(owner: str, repo: str) -> Response:
    """The app's installation on one repository."""
    app, forge = _asker(), context()
    repository = forge.state.repository(f"{owner}/{repo}")
    installation = forge.state.installation_for(app, repository) if repository else None
    if installation is None:
        raise not_found()
    return answer(forge.shapes.installation(installation, app))


@routes.post(
    "/app/installations/<int:installation_id>/access_tokens",
    endpoint="apps/create-installation-access-token",
)
def token_created(installation_id: int) -> Response:
    """Exchanges the app's JWT for an installation token, limited as asked."""
    app, forge, wishes = _asker(), context(), body()
    installation = forge.state.get(InstallationRow, installation_id)
    if installation is None or installation.app_id != app.id:
        raise not_found()
    if installation.suspended:
        raise Refused(403, "This installation has been suspended")
    names = tuple(item.text() for item in wishes.items("repositories"))
    for name in names:
        row = context().state.repository(f"{installation.account}/{name}")
        if row is None or not covers(installation, row):
            raise Refused(
                422,
                "There is at least one repository that does not exist or is not accessible to "
                "the parent installation.",
            )
    permissions = app.permissions
    if wishes.has("permissions"):
        held, asked = dict(app.permissions), wishes.pairs("permissions")
        if any(LEVELS.get(level, 9) > LEVELS[held.get(name, "none")] for name, level in asked):
            raise Refused(422, "The permissions requested are not granted to this installation.")
        # Metadata is part of every token.
        permissions = tuple(dict([*asked, ("metadata", "read")]).items())
    token = TokenRow(
        digest="",
        installation=installation.id,
        repositories=names or installation.repositories,
        permissions=permissions,
        expires_at_s=time.time() + forge.token_lifetime_s,
    )
    value = mint(forge.state, token)
    return answer(
        {
            "token": value,
            "expires_at": iso(token.expires_at_s),
            "permissions": dict(token.permissions),
            "repository_selection": "selected" if token.repositories else "all",
        },
        201,
    )


@routes.get("/installation/repositories", endpoint="apps/list-repos-accessible-to-installation")
def repositories_listed() -> Response:
    """The repositories that an installation token reaches."""
    forge = context()
    principal = principal_of(forge.state, request.headers.get("Authorization", ""))
    if principal.installation is None or principal.token is None:
        raise Refused(401 if principal.token is None else 403, "Requires an installation token")
    names = principal.token.repositories
    reach = replace(
        principal.installation, repositories=names or principal.installation.repositories
    )
    found = [row for row in forge.state.all(RepositoryRow) if covers(reach, row)]
    return page_of([forge.shapes.repository(row) for row in found], "repositories")


def _asker() -> AppRow:
    header = request.headers.get("Authorization", "")
    if not header:
        raise Refused(401, "A JSON web token could not be decoded")
    return app_of_jwt(context().state, header)
