"""The forge's own door, for its owner on this machine: accounts, repositories, apps, and the clicks
and faults that GitHub has no REST call for.
"""

from __future__ import annotations

import hmac
import time
from dataclasses import replace

from flask import Blueprint, Response, current_app, request

from bot.demo.forge import git
from bot.demo.forge.access import Principal, Refused, invalid, mint, not_found
from bot.demo.forge.api_actions import put_artifact
from bot.demo.forge.api_apps import register
from bot.demo.forge.api_checks import emit_check_run
from bot.demo.forge.api_issues import issue_at
from bot.demo.forge.api_pulls import branches_moved, draft_changed
from bot.demo.forge.context import Granted, answer, body, context, required_text
from bot.demo.forge.faults import FaultKind, Faults, OrderedFault
from bot.demo.forge.rows import (
    AppRow,
    CheckRow,
    Collaborator,
    DeliveryRow,
    InstallationRow,
    QueueEntryRow,
    RepositoryRow,
    TokenRow,
    User,
)
from bot.demo.forge.shapes import Json, iso
from bot.text.json_reading import Payload

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


@routes.post("/protect")
def branch_protected() -> Response:
    """Puts a protection rule on a branch."""
    state, wishes = context().state, body()
    row = _repository(wishes)
    branch = required_text(wishes, "Branch", "branch")
    state.put(row.name.lower(), replace(row, protected=(*row.protected, branch)))
    return answer({"branch": branch}, 201)


@routes.post("/refresh")
def repository_refreshed() -> Response:
    """Looks at the branches again, after a push straight into the bare repository."""
    forge, wishes = context(), body()
    row = _repository(wishes)
    return answer({"moved": branches_moved(forge, row, wishes.text("sender") or row.owner)})


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


@routes.post("/apps/<int:app_id>/ping")
def app_pinged(app_id: int) -> Response:
    """Sends the ping that GitHub sends when a webhook is set up."""
    forge, app = context(), _app(app_id)
    hook: Json = {
        "type": "App",
        "id": app.id,
        "name": "web",
        "active": True,
        "app_id": app.id,
        "events": list(app.events),
        "config": {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url},
        "created_at": iso(app.created_at_s),
        "updated_at": iso(app.created_at_s),
    }
    payload: Json = {"zen": "Keep it logically awesome.", "hook_id": app.id, "hook": hook}
    return answer({"delivery": forge.deliveries.send("ping", app, None, payload)}, 201)


@routes.patch("/apps/<int:app_id>")
def app_changed(app_id: int) -> Response:
    """Changes where an app's webhooks go, or what it may from the next token on."""
    forge, app, wishes = context(), _app(app_id), body()
    permissions = wishes.pairs("permissions") or app.permissions
    url = wishes.text("webhook_url") or app.webhook_url
    forge.state.put(app.id, replace(app, webhook_url=url, permissions=permissions))
    return answer({"id": app.id})


@routes.post("/artifacts")
def artifact_left() -> Response:
    """Leaves a ZIP archive for a commit, as a workflow run would."""
    return put_artifact()


@routes.post("/installations")
def app_installed() -> Response:
    """Installs an app on an account, on some repositories or all, and tells it."""
    forge, wishes = context(), body()
    app = _app(wishes.integer("app_id"))
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


@routes.patch("/installations/<int:installation_id>")
def installation_changed(installation_id: int) -> Response:
    """Suspends an installation or takes it up again."""
    state = context().state
    row = state.get(InstallationRow, installation_id)
    if row is None:
        raise not_found()
    state.put(row.id, replace(row, suspended=body().flag("suspended")))
    return answer({"id": row.id})


@routes.post("/tokens/revoke")
def tokens_revoked() -> Response:
    """Revokes every installation token, as a key rotation does."""
    state = context().state
    rows = [row for row in state.all(TokenRow) if row.installation]
    for row in rows:
        state.put(row.digest, replace(row, revoked=True))
    return answer({"revoked": len(rows)})


@routes.post("/pulls/ready", defaults={"draft": False})
@routes.post("/pulls/draft", defaults={"draft": True})
def pull_drafted(draft: bool) -> Response:
    """A draft's "Ready for review" button (GitHub has it in GraphQL only), and "Convert to draft"."""
    wishes = body()
    repository = _repository(wishes)
    row = issue_at(Granted(Principal(), repository), wishes.integer("number"))
    draft_changed(Granted(Principal(login=row.author), repository), row, draft=draft)
    return answer({"number": row.number})


@routes.post("/check-runs/<int:check_run_id>/click")
def check_run_clicked(check_run_id: int) -> Response:
    """A click on re-run (no `identifier`) or on one of the check run's buttons."""
    wishes, row = body(), context().state.get(CheckRow, check_run_id)
    if row is None:
        raise not_found()
    identifier, sender = wishes.text("identifier"), required_text(wishes, "CheckRun", "sender")
    if identifier and identifier not in {action.identifier for action in row.actions}:
        raise invalid("CheckRun", "identifier", "no such button")
    emit_check_run(row, "requested_action" if identifier else "rerequested", sender, identifier)
    return answer({"id": row.id})


@routes.post("/check-runs/<int:check_run_id>/rerun-suite")
def check_suite_clicked(check_run_id: int) -> Response:
    """A click on re-run all checks."""
    forge, row = context(), context().state.get(CheckRow, check_run_id)
    app = forge.state.get(AppRow, row.app_id) if row else None
    repository = forge.state.repository(row.repository) if row else None
    if row is None or app is None or repository is None:
        raise not_found()
    payload: Json = {"action": "rerequested", "check_suite": forge.shapes.hook_suite(row, app)}
    sender = required_text(body(), "CheckSuite", "sender")
    forge.deliveries.emit("check_suite", repository, sender, payload, only_app=app.id)
    return answer({"id": row.id})


@routes.post("/merge-groups")
def merge_group_made() -> Response:
    """Queues `members` and asks for checks on their group, whose head is a branch of the repository."""
    forge, wishes = context(), body()
    repository = _repository(wishes)
    head = required_text(wishes, "MergeGroup", "head_ref").removeprefix("refs/heads/")
    base = wishes.text("base_ref") or repository.default_branch
    head_sha = git.branch_sha(forge.state, repository.name, head)
    base_sha = git.branch_sha(forge.state, repository.name, base)
    if not head_sha or not base_sha:
        raise invalid("MergeGroup", "head_ref", "no such branch")
    for position, item in enumerate(wishes.items("members"), 1):
        # Only the last one's group ends at this head; those before it had groups of their own.
        is_last = position == len(wishes.items("members"))
        row = QueueEntryRow(
            repository.name, base, position, item.integer(), head_sha if is_last else base_sha
        )
        forge.state.put(f"{repository.name}#{base}#{position}", row)
    group = forge.shapes.merge_group(f"refs/heads/{head}", head_sha, f"refs/heads/{base}", base_sha)
    payload: Json = {"action": "checks_requested", "merge_group": group}
    forge.deliveries.emit("merge_group", repository, repository.owner, payload)
    return answer({"head_sha": head_sha, "base_sha": base_sha}, 201)


@routes.post("/faults")
def fault_ordered() -> Response:
    """Makes the next calls of an operation fail; see `faults.Fault`."""
    wishes = body()
    try:
        kind = FaultKind(wishes.text("kind"))
    except ValueError:
        raise invalid("Fault", "kind", f"is none of {[kind.value for kind in FaultKind]}") from None
    seconds = wishes.at("seconds").value
    fault = OrderedFault(
        operation=required_text(wishes, "Fault", "operation"),
        kind=kind,
        calls=wishes.integer("calls") or 1,
        status=wishes.integer("status") or 500,
        headers=wishes.pairs("headers"),
        message=wishes.text("message") or "injected fault",
        seconds=float(seconds) if isinstance(seconds, int | float) else 0.0,
    )
    _faults().order(fault)
    return answer({"operation": fault.operation}, 201)


@routes.delete("/faults")
def faults_cleared() -> Response:
    """Forgets all faults and call counts."""
    _faults().clear()
    return Response(status=204)


@routes.get("/calls")
def calls_counted() -> Response:
    """How often each operation was called."""
    return answer(dict(_faults().calls))


@routes.get("/deliveries")
def deliveries_listed() -> Response:
    """Every webhook sent, once the queue is empty."""
    forge = context()
    if not forge.deliveries.wait():
        raise Refused(503, "deliveries are still being sent")
    return answer(
        [
            {
                "id": row.id,
                "event": row.event,
                "action": row.action,
                "status": row.status,
                "attempts": row.attempts,
                "payload": Payload.parse(row.payload).value,
            }
            for row in forge.state.all(DeliveryRow)
        ]
    )


@routes.post("/deliveries/<delivery>/redeliver")
def delivery_repeated(delivery: str) -> Response:
    """The "Redeliver" button of the App's page."""
    if not context().deliveries.redeliver(delivery):
        raise not_found()
    return answer({"id": delivery})


def _repository(wishes: Payload) -> RepositoryRow:
    row = context().state.repository(wishes.text("repository"))
    if row is None:
        raise not_found()
    return row


def _app(app_id: int) -> AppRow:
    app = context().state.get(AppRow, app_id)
    if app is None:
        raise not_found()
    return app


def _faults() -> Faults:
    faults = current_app.extensions["forge-faults"]
    if not isinstance(faults, Faults):
        raise not_found()
    return faults
