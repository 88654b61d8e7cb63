"""What people open in a browser: an evaluation's report or progress, and the list of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol
from urllib.parse import urlsplit

from flask import Blueprint, Response, request

from bot.errors import Transient
from bot.report.pdf import NO_PDF
from bot.report.pictures import is_picture, linked, picture_address
from bot.store import EvaluationRecord
from bot.templates import DOWNLOADS, render_html
from bot.text import scrub_tree
from bot.web.links import INDEX, ReportLinks

RECENT = 50
REFRESH_S = 4
PRINTED_WITHIN_S = 600

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""No script, nothing remote. The page itself narrows styles to the hash of its own style sheet."""
PICTURE_POLICY = "default-src 'none'; sandbox"

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_TYPES = {
    "json": "application/json",
    "md": "text/plain; charset=utf-8",
    "pdf": "application/pdf",
    "sarif": "application/sarif+json",
    "plan": "application/json",
}
_PLAN = "plan"
"""Of an evaluation by a test plan only: its items in PRDBench's rows."""


class Evaluations(Protocol):
    """Where the pages look evaluations up. Raises Transient when the database is away."""

    def evaluation(self, evaluation_id: str) -> EvaluationRecord | None:
        """Find one evaluation."""

    def recent(self, limit: int = RECENT) -> tuple[EvaluationRecord, ...]:
        """List the newest evaluations, newest first."""


class Reports(Protocol):
    """Where the rendered reports are."""

    def get(self, key: str, name: str) -> bytes | None:
        """Read one file of a report; None when there is none."""


def report_pages(evaluations: Evaluations, reports: Reports, links: ReportLinks) -> Blueprint:
    """Make the blueprint with `/`, `/evaluations/<id>` in each format, and the pictures below it."""
    pages = _Pages(evaluations, reports, links)
    blueprint = Blueprint("pages", __name__)
    blueprint.add_url_rule("/", view_func=pages.home, endpoint="home")
    blueprint.add_url_rule(
        "/evaluations/<path:evaluation_id>", view_func=pages.evaluation, endpoint="evaluation"
    )
    blueprint.add_url_rule(
        "/evaluations/<path:evaluation_id>/artifacts/<name>",
        view_func=pages.picture,
        endpoint="picture",
    )
    blueprint.register_error_handler(Transient, away)
    blueprint.after_request(strict)
    return blueprint


@dataclass(frozen=True, slots=True)
class _Pages:
    evaluations: Evaluations
    reports: Reports
    links: ReportLinks

    def home(self) -> Response:
        """What runs here; the evaluations only for those who may see them."""
        may_list = self.links.allows(INDEX, request.args.get("s", ""))
        records = self.evaluations.recent(RECENT) if may_list else ()
        rows = [(scrub_tree(record), self.links.sign(record.id)) for record in records]
        calibration = self.links.calibration() if may_list else ""
        return _page("pages/home.html.j2", rows=rows, may_list=may_list, calibration=calibration)

    def evaluation(self, evaluation_id: str) -> Response:
        """The report in one of its formats, or how far it is. A wrong signature finds nothing."""
        evaluation_id, kind = _split(evaluation_id)
        if not self.links.allows(evaluation_id, request.args.get("s", "")):
            return missing()
        record = self.evaluations.evaluation(evaluation_id)
        if record is None:  # a signature that holds was once given out: the record is gone
            return _gone() if self.links.private else missing()
        if record.report_key:
            return self._report(record, kind)
        return _state(record, kind)

    def picture(self, evaluation_id: str, name: str) -> Response:
        """A picture that the report shows; it is read as nothing but a PNG."""
        if not self.links.allows(evaluation_id, request.args.get("s", "")) or not is_picture(name):
            return missing()
        record = self.evaluations.evaluation(evaluation_id)
        content = (
            self.reports.get(record.report_key, name) if record and record.report_key else None
        )
        if content is None:
            return missing()
        response = Response(content, content_type="image/png")
        response.headers.set("Content-Disposition", "inline", filename=name)
        return response

    def _report(self, record: EvaluationRecord, kind: str) -> Response:
        content = self.reports.get(record.report_key, _file(kind))
        if content is None and kind == "pdf" and self._has_page(record):
            return self._no_pdf(record)
        if content is None and kind == _PLAN and self._has_page(record):
            return missing()
        if content is None:
            return _gone()
        if kind == "html":
            return Response(self._with_downloads(record, content), mimetype="text/html")
        response = Response(content, content_type=_TYPES[kind])
        end = "plan.json" if kind == _PLAN else kind
        name = f"assay-{record.head_sha[:12] or 'report'}.{end}"
        response.headers.set("Content-Disposition", "inline", filename=name)
        return response

    def _no_pdf(self, record: EvaluationRecord) -> Response:
        """It is printed after the verdict is out: for a while it may still come."""
        is_late = time.time() - record.updated_s > PRINTED_WITHIN_S
        if is_late or self.reports.get(record.report_key, NO_PDF) is not None:
            return _page("pages/no_pdf.html.j2", HTTPStatus.NOT_FOUND)
        return _page("pages/printing.html.j2", HTTPStatus.ACCEPTED, refresh_s=REFRESH_S)

    def _has_page(self, record: EvaluationRecord) -> bool:
        return self.reports.get(record.report_key, "report.html") is not None

    def _with_downloads(self, record: EvaluationRecord, page: bytes) -> bytes:
        """Put the links to the other formats and to the pictures where the page left room for them."""
        signed = self.links.sign(record.id)
        here, _, query = signed.partition("?")
        has_plan = self.reports.get(record.report_key, _file(_PLAN)) is not None
        kinds = [kind for kind in _TYPES if kind != _PLAN or has_plan]
        links = [(kind, f"{here}.{kind}?{query}".rstrip("?")) for kind in kinds]
        shown = linked(page.decode(), lambda name: _on_this_host(picture_address(signed, name)))
        return shown.replace(
            DOWNLOADS, render_html("pages/downloads.html.j2", links=links), 1
        ).encode()


def _file(kind: str) -> str:
    return "plan.json" if kind == _PLAN else f"report.{kind}"


def _on_this_host(address: str) -> str:
    """The address without scheme and host: a page's policy lets it show its own pictures only."""
    parts = urlsplit(address)
    return f"{parts.path}?{parts.query}".rstrip("?")


def missing() -> Response:
    """A page that is not there, or not for this reader: both look the same."""
    return _page("pages/missing.html.j2", HTTPStatus.NOT_FOUND)


def _gone() -> Response:
    return _page("pages/gone.html.j2", HTTPStatus.GONE)


def away(error: Transient) -> tuple[Response, int, dict[str, str]]:
    """A page that says to come back: the database cannot be reached."""
    wait_s = str(max(1, round(error.retry_after_s)))
    page = _page("pages/away.html.j2", HTTPStatus.SERVICE_UNAVAILABLE)
    return page, HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": wait_s}


def _split(path: str) -> tuple[str, str]:
    name, _, kind = path.rpartition(".")
    return (name, kind) if name and kind in _TYPES else (path, "html")


def _state(record: EvaluationRecord, kind: str) -> Response:
    """How far an evaluation without a report is: as a page, or for a machine that asks again."""
    shown = scrub_tree(record)
    status = HTTPStatus.OK if record.state.is_final else HTTPStatus.ACCEPTED
    if kind == "json":
        text = render_html("pages/state.json.j2", record=shown)
        return Response(text, status, content_type=_TYPES["json"])
    if kind != "html":
        return missing()
    refresh_s = 0 if record.state.is_final else REFRESH_S
    return _page("pages/state.html.j2", record=shown, refresh_s=refresh_s)


def _page(template: str, status: HTTPStatus = HTTPStatus.OK, **values: object) -> Response:
    return Response(render_html(template, **values), status, mimetype="text/html")


def strict(response: Response) -> Response:
    """Set the headers that every page has."""
    response.headers.update(_HEADERS)
    if response.mimetype == "image/png":
        response.headers["Content-Security-Policy"] = PICTURE_POLICY
    return response
