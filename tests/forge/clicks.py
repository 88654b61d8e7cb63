"""The owner's door for tests: clicks that GitHub has no REST call for, what went out, and faults."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Blueprint, Response, current_app, request

from bot.demo.forge import git
from bot.demo.forge.access import Principal, Refused, invalid, may_see, not_found, principal_of
from bot.demo.forge.api_issues import issue_at
from bot.demo.forge.api_pulls import OPERATION
from bot.demo.forge.context import Granted, answer, body, context, required_text
from bot.demo.forge.control import app_of, owner_required
from bot.demo.forge.rows import (
    AppRow,
    CheckRow,
    DeliveryRow,
    InstallationRow,
    TokenRow,
)
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.work_shapes import WorkShapes, suite_id
from bot.text.json_reading import Payload
from tests.forge.actions import put_artifact
from tests.forge.faults import FaultKind, Faults, OrderedFault
from tests.forge.people import draft_changed
from tests.forge.pushes import repository_of

routes = Blueprint("_clicks", __name__, url_prefix="/_forge")
routes.before_request(owner_required)


@routes.post("/protect")
def branch_protected() -> Response:
    """Puts a protection rule on a branch."""
    state, wishes = context().state, body()
    row = repository_of(wishes)
    branch = required_text(wishes, "Branch", "branch")
    state.put(row.name.lower(), replace(row, protected=(*row.protected, branch)))
    return answer({"branch": branch}, 201)


@routes.post("/apps/<int:app_id>/ping")
def app_pinged(app_id: int) -> Response:
    """Sends the ping that GitHub sends when a webhook is set up."""
    forge, app = context(), app_of(app_id)
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
    forge, app, wishes = context(), app_of(app_id), body()
    permissions = wishes.pairs("permissions") or app.permissions
    url = wishes.text("webhook_url") or app.webhook_url
    forge.state.put(app.id, replace(app, webhook_url=url, permissions=permissions))
    return answer({"id": app.id})


@routes.post("/artifacts")
def artifact_left() -> Response:
    """Leaves a ZIP archive for a commit, as a workflow run would."""
    return put_artifact()


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
    repository = repository_of(wishes)
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
    payload: Json = {"action": "rerequested", "check_suite": hook_suite(forge.shapes, row, app)}
    sender = required_text(body(), "CheckSuite", "sender")
    forge.deliveries.emit("check_suite", repository, sender, payload, only_app=app.id)
    return answer({"id": row.id})


@routes.post("/merge-groups")
def merge_group_made() -> Response:
    """Queues `members` and asks for checks on their group, whose head is a branch of the repository."""
    forge, wishes = context(), body()
    repository = repository_of(wishes)
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
    group = merge_group(
        forge.shapes, f"refs/heads/{head}", head_sha, f"refs/heads/{base}", base_sha
    )
    payload: Json = {"action": "checks_requested", "merge_group": group}
    forge.deliveries.emit("merge_group", repository, repository.owner, payload)
    return answer({"head_sha": head_sha, "base_sha": base_sha}, 201)


@dataclass(frozen=True, slots=True)
class QueueEntryRow:
    """One pull request in a merge queue; `head_sha` is the group's that ends with it."""

    repository: str
    branch: str
    position: int
    number: int
    head_sha: str


@routes.before_app_request
def merge_queue_answered() -> Response | None:
    """Answers the query for a merge queue, which the demo's forge does not know."""
    if request.endpoint != "graphql.graphql":
        return None
    wishes = body()
    match = OPERATION.match(wishes.text("query"))
    variables, state = wishes.at("variables"), context().state
    repository = state.repository(f"{variables.text('owner')}/{variables.text('name')}")
    asker = principal_of(state, request.headers.get("Authorization", ""))
    is_seen = repository is not None and asker.token and may_see(asker, repository)
    if match is None or match[1] != "MergeGroup" or repository is None or not is_seen:
        return None
    entries = [
        row
        for row in state.all(QueueEntryRow)
        if (row.repository, row.branch) == (repository.name, variables.text("branch"))
    ]
    nodes: list[Json] = [
        {
            "position": row.position,
            "headCommit": {"oid": row.head_sha},
            "pullRequest": {"number": row.number},
        }
        for row in entries
    ]
    queue: Json | None = {"entries": {"nodes": nodes}} if entries else None
    return answer({"data": {"repository": {"mergeQueue": queue}}})


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


def _faults() -> Faults:
    faults = current_app.extensions["forge-faults"]
    if not isinstance(faults, Faults):
        raise not_found()
    return faults


def emit_check_run(row: CheckRow, action: str, sender: str, identifier: str = "") -> None:
    """Tells the check run's own app that somebody clicked re-run or a button."""
    forge = context()
    app, repository = forge.state.get(AppRow, row.app_id), forge.state.repository(row.repository)
    if app is None or repository is None:
        raise not_found()
    payload: Json = {"action": action, "check_run": hook_check_run(forge.shapes, row, app)}
    if identifier:
        payload["requested_action"] = {"identifier": identifier}
    forge.deliveries.emit("check_run", repository, sender, payload, only_app=app.id)


def hook_check_run(shapes: WorkShapes, row: CheckRow, app: AppRow) -> Json:
    """A check run as webhooks hold it, with its suite."""
    return {**shapes.check_run(row), "check_suite": hook_suite(shapes, row, app)}


def hook_suite(shapes: WorkShapes, row: CheckRow, app: AppRow) -> Json:
    """The suite of a check run as webhooks hold it."""
    url = f"{shapes.rest}/repos/{row.repository}/check-suites/{suite_id(row)}"
    person: Json = {"name": "octocat", "email": "octocat@users.noreply.github.com"}
    return {
        "id": suite_id(row),
        "node_id": node_id("CheckSuite", suite_id(row)),
        "head_branch": None,
        "head_sha": row.head_sha,
        "status": row.status,
        "conclusion": row.conclusion or None,
        "url": url,
        "check_runs_url": f"{url}/check-runs",
        "before": "0" * 40,
        "after": row.head_sha,
        "app": shapes.app(app),
        "pull_requests": shapes.pulls_at(row.repository, row.head_sha),
        "created_at": iso(row.started_at_s),
        "updated_at": iso(row.started_at_s),
        "latest_check_runs_count": 1,
        "head_commit": _commit(row.head_sha, person, row.started_at_s),
    }


def merge_group(
    shapes: WorkShapes, head_ref: str, head_sha: str, base_ref: str, base_sha: str
) -> Json:
    """A merge queue's group."""
    person: Json = {"name": "octocat", "email": "octocat@users.noreply.github.com"}
    return {
        "head_ref": head_ref,
        "head_sha": head_sha,
        "base_ref": base_ref,
        "base_sha": base_sha,
        "head_commit": _commit(head_sha, person, 0.0),
    }


def _commit(sha: str, person: Json, moment_s: float) -> Json:
    return {
        "id": sha,
        "tree_id": sha,
        "message": "",
        "timestamp": iso(moment_s),
        "author": person,
        "committer": person,
    }
