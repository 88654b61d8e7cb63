"""Check runs: made and changed by apps, annotated by appending, listed for a commit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import Refused, invalid, not_found
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import ActionRow, AnnotationRow, CheckRow, RepositoryRow
from bot.text.json_reading import Payload

routes = Blueprint("checks", __name__)
ROOT = "/repos/<owner>/<repo>"
STATUSES = frozenset({"queued", "in_progress", "completed"})
CONCLUSIONS = frozenset(
    {"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}
)
LEVELS = frozenset({"notice", "warning", "failure"})
LONGEST_TEXT = 65_535
LONGEST_MESSAGE_BYTES = 64 * 1024
LONGEST_TITLE = 255
ANNOTATIONS_A_REQUEST = 50
ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}
MOST_ACTIONS = 3


@routes.post(f"{ROOT}/check-runs", endpoint="checks/create")
def check_run_created(owner: str, repo: str) -> Response:
    """Makes a check run on a commit."""
    at, forge, wishes = granted(owner, repo, "checks:write"), context(), body()
    if at.principal.app is None:
        raise Refused(403, "You must authenticate via a GitHub App.")
    sha = required_text(wishes, "CheckRun", "head_sha")
    if not git.has_commit(forge.state, at.repository.name, sha):
        raise Refused(422, f"No commit found for SHA: {sha}")
    row = CheckRow(
        id=forge.state.next_id(),
        repository=at.repository.name,
        app_id=at.principal.app.id,
        name=required_text(wishes, "CheckRun", "name"),
        head_sha=sha,
        started_at_s=time.time(),
    )
    row = _changed(row, wishes)
    forge.state.put(row.id, row)
    return answer(forge.shapes.check_run(row), 201)


@routes.patch(f"{ROOT}/check-runs/<int:check_run_id>", endpoint="checks/update")
def check_run_updated(owner: str, repo: str, check_run_id: int) -> Response:
    """Changes a check run; its annotations are added to those it has."""
    at, forge, wishes = granted(owner, repo, "checks:write"), context(), body()
    with forge.state.change():
        row = check_at(at, check_run_id)
        if at.principal.app is None or at.principal.app.id != row.app_id:
            raise Refused(403, "Invalid app_id `check_run` was not created by this app")
        row = _changed(row, wishes)
        forge.state.put(row.id, row)
    return answer(forge.shapes.check_run(row))


@routes.get(f"{ROOT}/check-runs/<int:check_run_id>", endpoint="checks/get")
def check_run_shown(owner: str, repo: str, check_run_id: int) -> Response:
    """One check run."""
    at = granted(owner, repo, "checks:read")
    return answer(context().shapes.check_run(check_at(at, check_run_id)))


@routes.get(f"{ROOT}/commits/<path:ref>/check-runs", endpoint="checks/list-for-ref")
def check_runs_listed(owner: str, repo: str, ref: str) -> Response:
    """A commit's check runs, newest first; without `filter=all` the newest of each app and name."""
    at, forge = granted(owner, repo, "checks:read"), context()
    sha = git.resolve(forge.state, at.repository.name, ref)
    if not sha:
        raise Refused(422, f"No commit found for SHA: {ref}")
    rows = checks_of(at.repository, sha)
    if request.args.get("filter", "latest") == "latest":
        newest = {(row.app_id, row.name): row for row in reversed(rows)}
        rows = [row for row in rows if newest[row.app_id, row.name] is row]
    for argument, read in _FILTERS.items():
        if wanted := request.args.get(argument):
            rows = [row for row in rows if read(row) == wanted]
    return page_of([forge.shapes.check_run(row) for row in rows], "check_runs")


_FILTERS: dict[str, Callable[[CheckRow], str]] = {
    "check_name": lambda row: row.name,
    "status": lambda row: row.status,
    "app_id": lambda row: str(row.app_id),
}


def checks_of(repository: RepositoryRow, sha: str) -> list[CheckRow]:
    """All check runs of a commit, newest first."""
    rows = [
        row
        for row in context().state.all(CheckRow)
        if row.repository == repository.name and row.head_sha == sha
    ]
    return sorted(rows, key=lambda row: row.id, reverse=True)


def check_at(at: Granted, check_run: int) -> CheckRow:
    """The check run with that id, or 404."""
    row = context().state.get(CheckRow, check_run)
    if row is None or row.repository != at.repository.name:
        raise not_found()
    return row


def _changed(row: CheckRow, wishes: Payload) -> CheckRow:
    status = wishes.text("status") or row.status
    conclusion = wishes.text("conclusion")
    if status not in STATUSES:
        raise Refused(422, f"Invalid request.\n\n{status} is not a member of {sorted(STATUSES)}.")
    if conclusion and conclusion not in CONCLUSIONS:
        raise Refused(
            422, f"Invalid request.\n\n{conclusion} is no conclusion that an app may set."
        )
    status = "completed" if conclusion else status
    if status == "completed" and not conclusion and not row.conclusion:
        raise Refused(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.')
    done = status == "completed"
    row = replace(
        row,
        name=wishes.text("name") or row.name,
        external_id=wishes.text("external_id") or row.external_id,
        details_url=wishes.text("details_url") or row.details_url,
        status=status,
        conclusion=(conclusion or row.conclusion) if done else "",
        completed_at_s=(row.completed_at_s or time.time()) if done else 0.0,
    )
    if wishes.has("actions"):
        items = wishes.items("actions")
        if len(items) > MOST_ACTIONS:
            raise Refused(422, f"Invalid request.\n\nNo more than 3 items; {len(items)} given.")
        for item in items:
            for name, limit in ACTION_LIMITS.items():
                if not 0 < len(item.text(name)) <= limit:
                    raise invalid("CheckRun", name, f"must have 1 to {limit} characters")
        row = replace(
            row,
            actions=tuple(
                ActionRow(item.text("label"), item.text("description"), item.text("identifier"))
                for item in items
            ),
        )
    return _with_output(row, wishes.at("output")) if wishes.has("output") else row


def _with_output(row: CheckRow, output: Payload) -> CheckRow:
    title, summary, text = output.text("title"), output.text("summary"), output.text("text")
    if not title or not output.has("summary"):
        raise Refused(422, 'Invalid request.\n\n"title" and "summary" are required in output.')
    for name, value in (("summary", summary), ("text", text)):
        if len(value) > LONGEST_TEXT:
            raise invalid("CheckRun", name, f"exceeds a maximum of {LONGEST_TEXT} characters")
    remarks = output.items("annotations")
    if len(remarks) > ANNOTATIONS_A_REQUEST:
        raise Refused(422, f"Invalid request.\n\nNo more than 50 items; {len(remarks)} given.")
    annotations = list(row.annotations)
    for remark in remarks:
        new = AnnotationRow(
            path=required_text(remark, "CheckAnnotation", "path"),
            start_line=remark.integer("start_line"),
            end_line=remark.integer("end_line"),
            level=remark.text("annotation_level"),
            message=required_text(remark, "CheckAnnotation", "message"),
            title=remark.text("title"),
        )
        if new.start_line < 1 or new.end_line < new.start_line:
            raise invalid("CheckAnnotation", "end_line", "lines count from 1, the end is not first")
        if new.level not in LEVELS:
            raise invalid("CheckAnnotation", "annotation_level", f"is none of {sorted(LEVELS)}")
        if len(new.message.encode()) > LONGEST_MESSAGE_BYTES or len(new.title) > LONGEST_TITLE:
            raise invalid("CheckAnnotation", "message", "message or title is too long")
        annotations.append(new)
    return replace(
        row,
        title=title,
        summary=summary,
        text=text if output.has("text") else row.text,
        annotations=tuple(annotations),
    )
