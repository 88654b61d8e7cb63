"""The forge's own door, for its owner on this machine: accounts, repositories and apps."""

from __future__ import annotations

import hmac
import time

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import invalid, mint, not_found
from bot.demo.forge.api_apps import register
from bot.demo.forge.context import answer, body, context, required_text
from bot.demo.forge.rows import AppRow, Collaborator, InstallationRow, RepositoryRow, TokenRow, User
from bot.demo.forge.shapes import Json

routes = Blueprint("_forge", __name__, url_prefix="/_forge")
LOOPBACK = frozenset({"127.0.0.1", "::1"})


@routes.before_request
def owner_required() -> None:
    """Only this machine, and only with the key from the state folder (a web page cannot send it)."""
    key = request.headers.get("X-Forge-Key", "")
    local = request.remote_addr in LOOPBACK
    if not local or not hmac.compare_digest(key.encode(), context().state.control_key.encode()):
        raise not_found()


@routes.post("/users")
def user_made() -> Response:
    """Makes an account and a token for it (`User` or `Organization`)."""
    wishes, state = body(), context().state
    login = required_text(wishes, "User", "login")
    user = state.user(login) or User(state.next_id(), login, wishes.text("type") or "User")
    state.put(login.lower(), user)
    token = mint(state, TokenRow("", login=login), "ghp")
    return answer({"id": user.id, "login": user.login, "token": token}, 201)


@routes.post("/repositories")
def repository_made() -> Response:
    """Makes an empty repository, or a fork."""
    wishes, state = body(), context().state
    name, fork_of = required_text(wishes, "Repository", "name"), wishes.text("fork_of")
    parent = state.repository(fork_of) if fork_of else None
    if state.repository(name) or (fork_of and parent is None) or name.count("/") != 1:
        raise invalid("Repository", "name", "exists already, is no owner/name, or nothing to fork")
    branch = parent.default_branch if parent else wishes.text("default_branch") or "main"
    row = RepositoryRow(
        id=state.next_id(),
        name=name,
        private=parent.private if parent else wishes.flag("private"),
        default_branch=branch,
        fork_of=parent.name if parent else "",
        required_check=wishes.text("required_check"),
        collaborators=tuple(Collaborator(*pair) for pair in wishes.pairs("collaborators")),
    )
    git.create(state, name, branch, row.fork_of)
    state.put(name.lower(), row)
    shape: Json = {"id": row.id, "git_dir": str(state.git_dir(name))}
    return answer(shape, 201)


@routes.post("/apps")
def app_registered() -> Response:
    """Registers an app and hands over its private key, which is not kept."""
    made = register(body())
    shape: Json = {
        "id": made.app.id,
        "slug": made.app.slug,
        "private_key": made.private_key,
        "client_id": made.app.client_id,
        "client_secret": made.client_secret,
    }
    return answer(shape, 201)


@routes.post("/installations")
def app_installed() -> Response:
    """Installs an app on an account, on some repositories or all, and tells it."""
    forge, wishes = context(), body()
    app = app_of(wishes.integer("app_id"))
    row = InstallationRow(
        id=forge.state.next_id(),
        app_id=app.id,
        account=required_text(wishes, "Installation", "account"),
        repositories=tuple(item.text() for item in wishes.items("repositories")),
        created_at_s=time.time(),
    )
    forge.state.put(row.id, row)
    payload: Json = {
        "action": "created",
        "installation": forge.shapes.installation(row, app),
        "repositories": [],
        "sender": forge.shapes.login(row.account),
    }
    forge.deliveries.send("installation", app, row, payload)
    return answer({"id": row.id}, 201)


def app_of(app_id: int) -> AppRow:
    """The app with this id, or 404."""
    app = context().state.get(AppRow, app_id)
    if app is None:
        raise not_found()
    return app
