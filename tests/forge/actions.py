"""Workflow runs and their artifacts, which the owner's door puts here; nothing runs."""

from __future__ import annotations

import time
from base64 import b64decode
from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Response, request

from bot.demo.forge.access import Refused, not_found
from bot.demo.forge.context import Context, answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import RepositoryRow
from bot.demo.forge.shapes import Json, iso, node_id

routes = Blueprint("actions", __name__, url_prefix="/api/v3")
storage = Blueprint("_storage", __name__)
ROOT = "/repos/<owner>/<repo>/actions"


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    """A ZIP archive that a workflow run left for a commit; each has a run of its own, of the same id."""

    id: int
    repository: str
    head_sha: str
    name: str
    size: int
    created_at_s: float


def put_artifact() -> Response:
    """Leaves an archive (`zip`, in base64) for a commit, as a workflow run would."""
    forge, wishes = context(), body()
    repository = forge.state.repository(wishes.text("repository"))
    if repository is None:
        raise not_found()
    data = b64decode(wishes.text("zip"))
    row = ArtifactRow(
        forge.state.next_id(),
        repository.name,
        required_text(wishes, "Artifact", "head_sha"),
        required_text(wishes, "Artifact", "name"),
        wishes.integer("size") or len(data),
        time.time(),
    )
    _file(forge, row.id).write_bytes(data)
    forge.state.put(row.id, row)
    return answer({"id": row.id}, 201)


@routes.get(f"{ROOT}/runs", endpoint="actions/list-workflow-runs-for-repo")
def runs_listed(owner: str, repo: str) -> Response:
    """The workflow runs of a commit."""
    at, forge = granted(owner, repo, "actions:read"), context()
    rows = _rows(forge, at.repository)
    rows = [row for row in rows if row.head_sha == request.args.get("head_sha", row.head_sha)]
    return page_of([_run(forge, at.repository, row) for row in rows], "workflow_runs")


@routes.get(f"{ROOT}/runs/<int:run_id>/artifacts", endpoint="actions/list-workflow-run-artifacts")
def artifacts_listed(owner: str, repo: str, run_id: int) -> Response:
    """What one run left."""
    at, forge = granted(owner, repo, "actions:read"), context()
    rows = [row for row in _rows(forge, at.repository) if row.id == run_id]
    if not rows:
        raise not_found()
    wanted = [row for row in rows if row.name == request.args.get("name", row.name)]
    return page_of([_artifact(forge, row) for row in wanted], "artifacts")


@routes.get(f"{ROOT}/artifacts/<int:number>/zip", endpoint="actions/download-artifact")
def artifact_led_to(owner: str, repo: str, number: int) -> Response:
    """Where the archive is, at another origin as on GitHub; also of a public repository's, for who may."""
    at, forge = granted(owner, repo, "actions:read"), context()
    token = at.principal.token
    if token is None or (at.principal.app and "actions" not in dict(token.permissions)):
        raise Refused(403, "Resource not accessible by integration", hint="actions=read")
    if not any(row.id == number for row in _rows(forge, at.repository)):
        raise not_found()
    elsewhere = forge.shapes.web.replace("127.0.0.1", "localhost")
    return Response(status=302, headers={"Location": f"{elsewhere}/_storage/{number}"})


@storage.get("/_storage/<int:number>")
def archive_sent(number: int) -> Response:
    """The archive itself. Who shows a credential here has sent it to a stranger."""
    if request.headers.get("Authorization"):
        return Response("Only one auth mechanism allowed", 400)
    file = _file(context(), number)
    return Response(file.read_bytes(), content_type="application/zip")


def _rows(forge: Context, repository: RepositoryRow) -> list[ArtifactRow]:
    rows = sorted(forge.state.all(ArtifactRow), key=lambda row: -row.id)
    return [row for row in rows if row.repository == repository.name]


def _file(forge: Context, number: int) -> Path:
    folder = forge.state.folder / "artifacts"
    folder.mkdir(exist_ok=True)
    return folder / f"{number:d}.zip"


def _run(forge: Context, repository: RepositoryRow, row: ArtifactRow) -> Json:
    url = f"{forge.shapes.rest}/repos/{row.repository}/actions/runs/{row.id}"
    links = ("jobs_url", "logs_url", "check_suite_url", "cancel_url", "rerun_url", "artifacts_url")
    return {
        "id": row.id,
        "node_id": node_id("WorkflowRun", row.id),
        "head_branch": None,
        "head_sha": row.head_sha,
        "run_number": row.id,
        "display_title": "Work",
        "event": "pull_request",
        "status": "completed",
        "conclusion": "success",
        "path": ".github/workflows/work.yml",
        "workflow_id": 1,
        "url": url,
        "html_url": url,
        "created_at": iso(row.created_at_s),
        "updated_at": iso(row.created_at_s),
        "head_commit": None,
        "repository": forge.shapes.repository(repository),
        "head_repository": forge.shapes.repository(repository),
        **{link: f"{url}/{link}" for link in links},
        "workflow_url": f"{url}/workflow",
        "pull_requests": [],
    }


def _artifact(forge: Context, row: ArtifactRow) -> Json:
    url = f"{forge.shapes.rest}/repos/{row.repository}/actions/artifacts/{row.id}"
    return {
        "id": row.id,
        "node_id": node_id("Artifact", row.id),
        "name": row.name,
        "size_in_bytes": row.size,
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": False,
        "created_at": iso(row.created_at_s),
        "expires_at": iso(row.created_at_s + 86_400),
        "updated_at": iso(row.created_at_s),
    }
