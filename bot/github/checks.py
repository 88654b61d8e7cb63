"""Keeps check runs: found again by head sha, name and external id, annotated in batches."""

from __future__ import annotations

from bot.github.addresses import segment
from bot.github.base import AppInfo, CheckReport, CheckRun, CheckStatus
from bot.github.readings import read_check_run
from bot.github.transport import JsonBody, Transport
from bot.values.conclusions import Annotation

MOST_TEXT_BYTES = 65_535
MOST_TITLE = 255
ANNOTATIONS_A_REQUEST = 50
MOST_ANNOTATIONS = 500  # ten writes; the report holds the rest
MOST_MESSAGE = 4_000


async def check_runs(
    transport: Transport, root: str, sha: str, name: str, app: AppInfo
) -> tuple[CheckRun, ...]:
    """This app's check runs of that name on a commit, newest first."""
    replies = await transport.pages(
        f"{root}/commits/{segment(sha)}/check-runs",
        "check_runs",
        check_name=name,
        app_id=app.id,
        filter="all",
    )
    found = [read_check_run(reply) for reply in replies]
    return tuple(sorted(found, key=lambda run: run.id, reverse=True))


async def put_check_run(
    transport: Transport, root: str, report: CheckReport, known: int, app: AppInfo
) -> CheckRun:
    """Creates the check run or brings it up to date; may be repeated after a crash at any point."""
    annotations = report.annotations[:MOST_ANNOTATIONS]
    run = await _find(transport, root, report, known, app)
    if run is None:
        body = _body(report, annotations[:ANNOTATIONS_A_REQUEST])
        reply = await transport.write("POST", f"{root}/check-runs", {**body, **_identity(report)})
        run = read_check_run(reply)
        waiting = annotations[ANNOTATIONS_A_REQUEST:]
    elif run.status == CheckStatus.COMPLETED != report.status:
        return run
    else:
        # GitHub appends: what it counts already was sent by an attempt before this one.
        waiting = annotations[run.annotations :]
        run = await _update(transport, root, run, _body(report, waiting[:ANNOTATIONS_A_REQUEST]))
        waiting = waiting[ANNOTATIONS_A_REQUEST:]
    for start in range(0, len(waiting), ANNOTATIONS_A_REQUEST):
        batch = waiting[start : start + ANNOTATIONS_A_REQUEST]
        run = await _update(transport, root, run, _body(report, batch))
    return run


async def _find(
    transport: Transport, root: str, report: CheckReport, known: int, app: AppInfo
) -> CheckRun | None:
    if known:
        return read_check_run(await transport.get(f"{root}/check-runs/{known:d}"))
    runs = await check_runs(transport, root, report.head_sha, report.name, app)
    return next((run for run in runs if run.external_id == report.external_id), None)


async def _update(transport: Transport, root: str, run: CheckRun, body: JsonBody) -> CheckRun:
    return read_check_run(await transport.write("PATCH", f"{root}/check-runs/{run.id:d}", body))


def _identity(report: CheckReport) -> JsonBody:
    return {
        "name": report.name,
        "head_sha": report.head_sha,
        "external_id": report.external_id,
    }


def _body(report: CheckReport, annotations: tuple[Annotation, ...]) -> JsonBody:
    output: JsonBody = {
        "title": report.title[:MOST_TITLE] or report.name,
        "summary": _cut(report.summary),
        "annotations": [_annotation(annotation) for annotation in annotations],
    }
    if report.text:
        output["text"] = _cut(report.text)
    body: JsonBody = {"status": report.status.value, "output": output}
    if report.conclusion is not None:
        body["conclusion"] = report.conclusion.value
    if report.details_url:
        body["details_url"] = report.details_url
    if report.actions is not None:
        body["actions"] = [
            {
                "label": action.label[:20],
                "description": action.description[:40],
                "identifier": action.identifier[:20],
            }
            for action in report.actions[:3]
        ]
    return body


def _annotation(annotation: Annotation) -> JsonBody:
    start = max(annotation.start_line, 1)
    body: JsonBody = {
        "path": annotation.path,
        "start_line": start,
        "end_line": max(annotation.end_line, start),
        "annotation_level": annotation.level.value,
        "message": annotation.message[:MOST_MESSAGE] or "(no message)",
    }
    if annotation.title:
        body["title"] = annotation.title[:MOST_TITLE]
    return body


def _cut(text: str) -> str:
    # By bytes: GitHub says characters, and a text that is short in bytes is short in both.
    raw = text.encode(errors="replace")
    if len(raw) <= MOST_TEXT_BYTES:
        return raw.decode()
    return raw[: MOST_TEXT_BYTES - 3].decode(errors="ignore") + "…"
