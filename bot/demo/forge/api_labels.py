"""Labels of issues and pull requests: set, taken away, and who did it."""

from __future__ import annotations

import time
from dataclasses import replace

from flask import Blueprint, Response

from bot.demo.forge.access import Refused, not_found, role_of
from bot.demo.forge.api_issues import announce, issue_at
from bot.demo.forge.api_pulls import announce_pull
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of
from bot.demo.forge.rows import IssueRow, LabelEventRow
from bot.demo.forge.shapes import Json

routes = Blueprint("labels", __name__)
ROOT = "/repos/<owner>/<repo>/issues/<int:number>"
MAY_LABEL = frozenset({"triage", "write", "maintain", "admin"})


@routes.post(f"{ROOT}/labels", endpoint="issues/add-labels")
def labels_added(owner: str, repo: str, number: int) -> Response:
    """Sets labels, and tells the apps of each that is new."""
    at = _labeller(owner, repo)
    for item in body().items("labels"):
        row = issue_at(at, number)
        name = item.text("name") or item.text()
        if name not in row.labels:
            _change(at, replace(row, labels=(*row.labels, name)), "labeled", name)
    return _labels(issue_at(at, number))


@routes.delete(f"{ROOT}/labels/<path:name>", endpoint="issues/remove-label")
def label_removed(owner: str, repo: str, number: int, name: str) -> Response:
    """Takes a label away."""
    at = _labeller(owner, repo)
    row = issue_at(at, number)
    if name not in row.labels:
        raise not_found()
    left = tuple(label for label in row.labels if label != name)
    _change(at, replace(row, labels=left), "unlabeled", name)
    return _labels(issue_at(at, number))


@routes.get(f"{ROOT}/events", endpoint="issues/list-events")
def events_listed(owner: str, repo: str, number: int) -> Response:
    """What happened to the labels, oldest first; other events are not kept."""
    at, forge = granted(owner, repo, "issues:read"), context()
    issue_at(at, number)
    name = at.repository.name
    rows = [r for r in forge.state.all(LabelEventRow) if (r.repository, r.number) == (name, number)]
    return page_of([forge.shapes.label_event(row) for row in rows])


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
