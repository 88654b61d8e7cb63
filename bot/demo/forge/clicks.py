"""The owner's door, second half: clicks that GitHub has no REST call for, faults, deliveries."""

from __future__ import annotations

from flask import Blueprint, Response, current_app

from bot.demo.forge import git
from bot.demo.forge.access import Principal
from bot.demo.forge.api_checks import emit_check_run
from bot.demo.forge.api_issues import issue_at
from bot.demo.forge.api_pulls import made_draft, made_ready
from bot.demo.forge.context import Granted, answer, body, context, required_text
from bot.demo.forge.control import owner_required
from bot.demo.forge.errors import Refused, invalid, not_found
from bot.demo.forge.faults import FaultKind, Faults, OrderedFault
from bot.demo.forge.rows import AppRow, CheckRow, DeliveryRow, QueueEntryRow
from bot.demo.forge.shapes import Json
from bot.text.json_reading import Payload

routes = Blueprint("_clicks", __name__, url_prefix="/_forge")
routes.before_request(owner_required)


@routes.post("/pulls/ready")
def pull_made_ready() -> Response:
    """A draft's "Ready for review" button (GitHub has it in GraphQL only)."""
    forge, wishes = context(), body()
    repository = forge.state.repository(wishes.text("repository"))
    if repository is None:
        raise not_found()
    row = issue_at(Granted(Principal(), repository), wishes.integer("number"))
    made_ready(Granted(Principal(login=row.author), repository), row)
    return answer({"number": row.number})


@routes.post("/pulls/draft")
def pull_made_draft() -> Response:
    """The "Convert to draft" link."""
    forge, wishes = context(), body()
    repository = forge.state.repository(wishes.text("repository"))
    if repository is None:
        raise not_found()
    row = issue_at(Granted(Principal(), repository), wishes.integer("number"))
    made_draft(Granted(Principal(login=row.author), repository), row)
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
    repository = forge.state.repository(wishes.text("repository"))
    if repository is None:
        raise not_found()
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


def _faults() -> Faults:
    faults = current_app.extensions["forge-faults"]
    if not isinstance(faults, Faults):
        raise not_found()
    return faults
