"""What people open in a browser: an evaluation's report or progress, and the list of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote, urlencode, urlsplit

from flask import Blueprint, Response, request

from bot.errors import Transient
from bot.report.pdf import NO_PDF
from bot.report.pictures import is_picture, linked, picture_address
from bot.store import Artifacts, EvaluationRecord, Store
from bot.templates import DOWNLOADS, render_html, script_hash
from bot.text import scrub_tree
from bot.web.dashboard.visits import Visits
from bot.web.links import INDEX, SignedLinks

RECENT = 50
REFRESH_S = 4
PRINTED_WITHIN_S = 600

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
"""No script, nothing remote. The page itself narrows styles to the hash of its own style sheet."""
PICTURE_POLICY = "default-src 'none'; sandbox"


HEADERS = {
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


def report_pages(
    evaluations: Store, reports: Artifacts, links: SignedLinks, visits: Visits
) -> Blueprint:
    """Make the blueprint with `/evaluations/<id>` in each format, and the pictures below it."""
    pages = _Pages(evaluations, reports, links, visits)
    blueprint = Blueprint("pages", __name__)
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
    evaluations: Store
    reports: Artifacts
    links: SignedLinks
    visits: Visits

    def evaluation(self, evaluation_id: str) -> Response:
        """The report in one of its formats, or how far it is.

        A wrong signature finds nothing, unless a visitor may read it.
        """
        name, _, kind = evaluation_id.rpartition(".")
        if name and kind in _TYPES:
            evaluation_id = name
        else:
            kind = "html"
        is_signed = self.links.allows(evaluation_id, request.args.get("s", ""))
        record = self.evaluations.evaluation(evaluation_id)
        try:
            is_visitor = record is not None and self.visits.may_read(record)
        except Transient:  # who has a link does not wait for a GitHub that is away
            if not is_signed:
                raise
            is_visitor = False
        if not is_signed and not is_visitor:
            return missing()
        if record is None:  # a signature that holds was once given out: the record is gone
            return _gone() if self.links.private else missing()
        if record.report_key:
            return self._report(record, kind, is_visitor=is_visitor)
        return _state(record, kind, is_visitor=is_visitor)

    def picture(self, evaluation_id: str, name: str) -> Response:
        """A picture that the report shows; it is read as nothing but a PNG."""
        is_signed = self.links.allows(evaluation_id, request.args.get("s", ""))
        record = self.evaluations.evaluation(evaluation_id)
        if not is_signed and not (record and self.visits.may_read(record)):
            return missing()
        if not is_picture(name):
            return missing()
        content = (
            self.reports.get(record.report_key, name) if record and record.report_key else None
        )
        if content is None:
            return missing()
        response = Response(content, content_type="image/png")
        response.headers.set("Content-Disposition", "inline", filename=name)
        return response

    def _report(self, record: EvaluationRecord, kind: str, *, is_visitor: bool) -> Response:
        content = self.reports.get(record.report_key, _file(kind))
        if content is None and kind == "pdf" and self._has_page(record):
            # It is printed after the verdict is out: for a while it may still come.
            is_late = time.time() - record.updated_s > PRINTED_WITHIN_S
            if is_late or self.reports.get(record.report_key, NO_PDF) is not None:
                return _page("pages/no_pdf.html.j2", HTTPStatus.NOT_FOUND)
            return _page("pages/printing.html.j2", HTTPStatus.ACCEPTED, refresh_s=REFRESH_S)
        if content is None and kind == _PLAN and self._has_page(record):
            return missing()
        if content is None:
            return _gone()
        if kind == "html":
            page = self._with_downloads(record, content, is_visitor=is_visitor)
            return Response(page, mimetype="text/html")
        response = Response(content, content_type=_TYPES[kind])
        end = "plan.json" if kind == _PLAN else kind
        name = f"assay-{record.head_sha[:12] or 'report'}.{end}"
        response.headers.set("Content-Disposition", "inline", filename=name)
        return response

    def _has_page(self, record: EvaluationRecord) -> bool:
        return self.reports.get(record.report_key, "report.html") is not None

    def _with_downloads(self, record: EvaluationRecord, page: bytes, *, is_visitor: bool) -> bytes:
        """Put the links to the other formats and to the pictures where the page left room for them.

        A visitor gets none that outlives the visit, and the way back to the lists.
        """
        signed = unsigned(record.id) if is_visitor else self.links.sign(record.id)
        here, _, query = signed.partition("?")
        has_plan = self.reports.get(record.report_key, _file(_PLAN)) is not None
        kinds = [kind for kind in _TYPES if kind != _PLAN or has_plan]
        links = [(kind, f"{here}.{kind}?{query}".rstrip("?")) for kind in kinds]

        def on_this_host(name: str) -> str:  # a page's policy lets it show its own pictures only
            parts = urlsplit(picture_address(signed, name))
            return f"{parts.path}?{parts.query}".rstrip("?")

        shown = linked(page.decode(), on_this_host)
        ways = render_html(
            "pages/downloads.html.j2", links=links, record=record if is_visitor else None
        )
        return shown.replace(DOWNLOADS, ways, 1).encode()


def front_page(evaluations: Store, links: SignedLinks, sign_in: str) -> Response:
    """What runs here; the evaluations only for those who have the operator's link.

    `sign_in` is where people sign in, empty where they cannot.
    """
    signature = request.args.get("s", "")
    may_list = links.allows(INDEX, signature)
    records = evaluations.recent(RECENT) if may_list else ()
    rows = [(scrub_tree(record), links.sign(record.id)) for record in records]
    is_operator = links.private and may_list
    door = f"/operator?{urlencode({'s': signature})}" if is_operator else ""
    return _page(
        "pages/home.html.j2",
        rows=rows,
        may_list=may_list,
        sign_in=sign_in,
        operator=door,
        calibration=links.calibration() if may_list else "",
    )


def unsigned(evaluation_id: str) -> str:
    """The address of an evaluation's page on this host, for a visitor."""
    return f"/evaluations/{quote(evaluation_id, safe='')}"


def _file(kind: str) -> str:
    return "plan.json" if kind == _PLAN else f"report.{kind}"


def missing() -> Response:
    """A page that is not there, or not for this reader: both look the same."""
    return _page("pages/missing.html.j2", HTTPStatus.NOT_FOUND)


def _gone() -> Response:
    return _page("pages/gone.html.j2", HTTPStatus.GONE)


def away(error: Transient) -> tuple[Response, int, dict[str, str]]:
    """A page that asks for patience."""
    wait_s = str(max(1, round(error.retry_after_s)))
    page = _page("pages/away.html.j2", HTTPStatus.SERVICE_UNAVAILABLE)
    return page, HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": wait_s}


def _state(record: EvaluationRecord, kind: str, *, is_visitor: bool) -> Response:
    """How far an evaluation without a report is: as a page, or for a machine that asks again.

    A visitor's page is refreshed by the script, where the browser runs one.
    """
    shown = scrub_tree(record)
    status = HTTPStatus.OK if record.state.is_final else HTTPStatus.ACCEPTED
    if kind == "json":
        text = render_html("pages/state.json.j2", record=shown)
        return Response(text, status, content_type=_TYPES["json"])
    if kind != "html":
        return missing()
    refresh_s = 0 if record.state.is_final else REFRESH_S
    page = live_page if is_visitor else _page
    name = "pages/state.html.j2"
    return page(name, record=shown, refresh_s=refresh_s, is_visitor=is_visitor)


def live_page(template: str, status: HTTPStatus = HTTPStatus.OK, **values: object) -> Response:
    """Show what the one script may refresh, with forms that come back here."""
    page = _page(template, status, **values)
    more = f"script-src '{script_hash()}'; connect-src 'self'; form-action 'self'"
    page.headers["Content-Security-Policy"] = POLICY.replace("form-action 'none'", more)
    return page


def _page(template: str, status: HTTPStatus = HTTPStatus.OK, **values: object) -> Response:
    return Response(render_html(template, **values), status, mimetype="text/html")


def strict(response: Response) -> Response:
    """Set the headers that every page has, but for those that a page sets itself."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if response.mimetype == "image/png":
        response.headers["Content-Security-Policy"] = PICTURE_POLICY
    return response
