"""Labels: set, taken away, and who did it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from flask import Blueprint, Response

from bot.demo.forge.access import Refused, not_found, role_of
from bot.demo.forge.api_issues import ROOT, announce, announce_pull, issue_at
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of
from bot.demo.forge.rows import IssueRow
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.work_shapes import WorkShapes

routes = Blueprint("labels", __name__, url_prefix="/api/v3")


@dataclass(frozen=True, slots=True)
class LabelEventRow:
    """Somebody set a label or took it away (`labeled`, `unlabeled`)."""

    id: int
    repository: str
    number: int
    event: str
    label: str
    actor: str
    created_at_s: float


MAY_LABEL = frozenset({"triage", "write", "maintain", "admin"})


@routes.post(f"{ROOT}/<int:number>/labels", endpoint="issues/add-labels")
def labels_added(owner: str, repo: str, number: int) -> Response:
    """Sets labels, and tells the apps of each that is new."""
    at = _labeller(owner, repo)
    for item in body().items("labels"):
        row = issue_at(at, number)
        name = item.text("name") or item.text()
        if name not in row.labels:
            _change(at, replace(row, labels=(*row.labels, name)), "labeled", name)
    return _labels(issue_at(at, number))


@routes.delete(f"{ROOT}/<int:number>/labels/<path:name>", endpoint="issues/remove-label")
def label_removed(owner: str, repo: str, number: int, name: str) -> Response:
    """Takes a label away."""
    at = _labeller(owner, repo)
    row = issue_at(at, number)
    if name not in row.labels:
        raise not_found()
    left = tuple(label for label in row.labels if label != name)
    _change(at, replace(row, labels=left), "unlabeled", name)
    return _labels(issue_at(at, number))


@routes.get(f"{ROOT}/<int:number>/events", endpoint="issues/list-events")
def events_listed(owner: str, repo: str, number: int) -> Response:
    """What happened to the labels, oldest first; other events are not kept."""
    at, forge = granted(owner, repo, "issues:read"), context()
    issue_at(at, number)
    name = at.repository.name
    rows = [r for r in forge.state.all(LabelEventRow) if (r.repository, r.number) == (name, number)]
    return page_of([label_event(forge.shapes, row) for row in rows])


def _labeller(owner: str, repo: str) -> Granted:
    at = granted(owner, repo, "issues:write")
    if at.principal.app is None and role_of(at.repository, at.principal.name) not in MAY_LABEL:
        raise Refused(403, "Must have triage access to the repository")
    return at


def _change(at: Granted, row: IssueRow, event: str, label: str) -> None:
    forge = context()
    row = replace(row, updated_at_s=time.time())
    forge.state.put_issue(row)
    told = LabelEventRow(
        forge.state.next_id(), row.repository, row.number, event, label, at.principal.name,
        time.time(),
    )  # fmt: skip
    forge.state.put(told.id, told)
    parts: Json = {"label": forge.shapes.label(row.repository, label)}
    if row.pull:
        announce_pull(event, at, row, parts)
    else:
        announce("issues", event, at, {"issue": forge.shapes.issue(row), **parts})


def _labels(row: IssueRow) -> Response:
    return answer([context().shapes.label(row.repository, label) for label in row.labels])


def label_event(shapes: WorkShapes, row: LabelEventRow) -> Json:
    """A label that was set or taken away, as an issue's events hold it."""
    label = shapes.label(row.repository, row.label)
    return {
        "id": row.id,
        "node_id": node_id("LabeledEvent", row.id),
        "url": f"{shapes.rest}/repos/{row.repository}/issues/events/{row.id}",
        "actor": shapes.login(row.actor),
        "event": row.event,
        "commit_id": None,
        "commit_url": None,
        "created_at": iso(row.created_at_s),
        "performed_via_github_app": None,
        "label": {"name": label["name"], "color": label["color"]},
    }
