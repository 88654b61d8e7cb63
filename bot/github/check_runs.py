"""Check runs: found again by head sha, name and external id, annotated in batches."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class CheckRuns:
    """The app's check runs in one repository (`root` is its path below the API's)."""

    transport: Transport
    root: str
    app: AppInfo

    async def listed(self, sha: str, name: str) -> tuple[CheckRun, ...]:
        """This app's check runs of that name on a commit, newest first."""
        replies = await self.transport.pages(
            f"{self.root}/commits/{segment(sha)}/check-runs",
            "check_runs",
            check_name=name,
            app_id=self.app.id,
            filter="all",
        )
        found = [read_check_run(reply) for reply in replies]
        return tuple(sorted(found, key=lambda run: run.id, reverse=True))

    async def put(self, report: CheckReport, known: int) -> CheckRun:
        """Create the check run or bring it up to date; may be repeated after a crash at any point."""
        annotations = report.annotations[:MOST_ANNOTATIONS]
        if known:
            path = f"{self.root}/check-runs/{known:d}"
            run: CheckRun | None = read_check_run(await self.transport.get(path))
        else:
            runs = await self.listed(report.head_sha, report.name)
            run = next((one for one in runs if one.external_id == report.external_id), None)
        if run is None:
            body = _body(report, annotations[:ANNOTATIONS_A_REQUEST])
            body |= {
                "name": report.name,
                "head_sha": report.head_sha,
                "external_id": report.external_id,
            }
            run = read_check_run(
                await self.transport.write("POST", f"{self.root}/check-runs", body)
            )
            waiting = annotations[ANNOTATIONS_A_REQUEST:]
        elif run.status == CheckStatus.COMPLETED != report.status:
            return run
        else:
            # GitHub appends: what it counts already was sent by an attempt before this one.
            waiting = annotations[run.annotations :]
            run = await self._update(run, _body(report, waiting[:ANNOTATIONS_A_REQUEST]))
            waiting = waiting[ANNOTATIONS_A_REQUEST:]
        for start in range(0, len(waiting), ANNOTATIONS_A_REQUEST):
            batch = waiting[start : start + ANNOTATIONS_A_REQUEST]
            run = await self._update(run, _body(report, batch))
        return run

    async def _update(self, run: CheckRun, body: JsonBody) -> CheckRun:
        path = f"{self.root}/check-runs/{run.id:d}"
        return read_check_run(await self.transport.write("PATCH", path, body))


def _body(report: CheckReport, annotations: tuple[Annotation, ...]) -> JsonBody:
    notes: list[JsonBody] = []
    for one in annotations:
        start = max(one.start_line, 1)
        note: JsonBody = {
            "path": one.path,
            "start_line": start,
            "end_line": max(one.end_line, start),
            "annotation_level": one.level.value,
            "message": one.message[:MOST_MESSAGE] or "(no message)",
        }
        notes.append(note | ({"title": one.title[:MOST_TITLE]} if one.title else {}))
    output: JsonBody = {
        "title": report.title[:MOST_TITLE] or report.name,
        "summary": _cut(report.summary),
        "annotations": notes,
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


def _cut(text: str) -> str:
    # By bytes: GitHub says characters, and a text that is short in bytes is short in both.
    raw = text.encode(errors="replace")
    if len(raw) <= MOST_TEXT_BYTES:
        return raw.decode()
    return raw[: MOST_TEXT_BYTES - 3].decode(errors="ignore") + "…"
