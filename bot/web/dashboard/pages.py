"""The dashboard's pages: the list, a repository, and what only the operator sees."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode

from flask import Blueprint, Response, request
from pydantic import BaseModel
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as AnyResponse

from bot.errors import Transient
from bot.queue import EngineClient
from bot.store import EvaluationFilter, EvaluationRecord, EvaluationState, ListedEvaluation, Store
from bot.values import Conclusion
from bot.web.api.standing import Moment, Streams, progress_of
from bot.web.dashboard import sign_in
from bot.web.dashboard.figures import figures
from bot.web.dashboard.sign_in import Doors, login_address
from bot.web.dashboard.tokens import TokenPages
from bot.web.dashboard.tokens import register as register_tokens
from bot.web.dashboard.visits import Visitor, Visits
from bot.web.pages import away, front_page, live_page, missing, strict, unsigned

COUNTED = 1_000
"""The newest evaluations of a repository that its figures are made of."""
SHOWN, MOST_FLAKY, MOST_WAITING = 5, 25, 50


class Version(BaseModel):
    """Changes whenever what is shown changes."""

    version: str


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The adapters of the pages."""

    listing: Store
    jobs: EngineClient
    visits: Visits
    doors: Doors
    streams: Streams

    def home(self) -> Response:
        """The list for whoever is signed in, else the front page."""
        visitor = self.visits.current()
        if visitor is None:
            entry = login_address("/") if self.visits.sign_in else ""
            return front_page(self.listing, self.doors.links, entry)
        asked = asked_for(request.args)
        readable = visitor.readable
        rows = self.listing.listed(asked.wanted, readable, ROWS + 1, asked.offset)
        has_more = len(rows) > ROWS and asked.page < MOST_PAGES
        return self._page(
            "list",
            visitor,
            asked=asked,
            rows=[EvaluationRow(row.record, row.facts) for row in rows[:ROWS]],
            repositories=self.listing.readable_here(readable),
            agents=self.listing.agents(readable),
            conclusions=CONCLUSIONS,
            newer=asked.address("/", asked.page - 1) if asked.page > 1 else "",
            older=asked.address("/", asked.page + 1) if has_more else "",
        )

    def repository(self, name: str) -> AnyResponse:
        """The figures of one repository; one that may not be seen looks like none."""
        visitor = self.visits.current()
        if visitor is None:
            if self.visits.sign_in is None:
                return missing()
            return sign_in.led_to(login_address(request.full_path.rstrip("?")))
        found = self.listing.readable_here(visitor.readable)
        places = [one for one in found if one.name.lower() == name.lower()]
        if not places:
            return missing()
        counted = self.listing.judged(places, COUNTED)
        newest = self.listing.listed(EvaluationFilter(), places, SHOWN)
        return self._page(
            "repository",
            visitor,
            repository=places[0].name,
            figures=figures(counted),
            counted=len(counted) if len(counted) == COUNTED else 0,
            flaky=[one for place in places for one in self.listing.flaky_tests(place, MOST_FLAKY)],
            rows=[EvaluationRow(row.record, row.facts) for row in newest],
            all=ListQuery(EvaluationFilter(places[0].name)).address("/"),
        )

    def operator(self) -> AnyResponse:
        """The queue and the workers."""
        if (entered := self.doors.operator()) is not None:
            return entered
        visitor = self.visits.current()
        if visitor is None or not visitor.is_operator:
            return missing()
        waiting = self.listing.unfinished(MOST_WAITING)
        return self._page(
            "operator",
            visitor,
            depth=self.jobs.depth(),
            rows=[EvaluationRow(row.record, row.facts) for row in waiting],
            totals=self.listing.totals(),
            now_s=time.time(),
        )

    def events(self) -> Response:
        """Tell when the list, or one evaluation, has changed."""
        visitor, secret = self.visits.current(), self.visits.secret()
        if visitor is None:
            return missing()
        asked, one = asked_for(request.args), request.args.get("evaluation", "")
        look = partial(self._moment, secret, asked, one)
        stream = self.streams.opened(look)
        if stream is None:
            return Response("", HTTPStatus.SERVICE_UNAVAILABLE, {"Retry-After": "10"})
        headers = {"X-Accel-Buffering": "no"}
        return Response(stream, mimetype="text/event-stream", headers=headers)

    def _moment(self, secret: str, asked: ListQuery, evaluation_id: str) -> Moment:
        visitor = self.visits.visitor(secret)
        if visitor is None:
            return Moment("ended", Version(version=""), is_last=True)
        if evaluation_id:
            record = self.listing.evaluation(evaluation_id)
            shown = [record] if record and visitor.may_read(record) else []
            return _moment(shown, is_last=not shown or shown[0].state.is_final)
        rows = self.listing.listed(asked.wanted, visitor.readable, ROWS, asked.offset)
        return _moment([row.record for row in rows], is_last=False)

    def _page(self, page: str, visitor: Visitor, **values: object) -> Response:
        template = f"dashboard/{page}.html.j2"
        return live_page(template, HTTPStatus.OK, visitor=visitor, here=page, **values)


def dashboard_pages(dashboard: Dashboard, tokens: TokenPages) -> Blueprint:
    """Make the blueprint with `/`, sign-in and all that people see who are signed in."""
    routes = Blueprint("dashboard", __name__)
    sign_in.register(routes, dashboard.doors)
    register_tokens(routes, tokens)
    routes.add_url_rule("/", view_func=dashboard.home, endpoint="home")
    routes.add_url_rule(
        "/repositories/<path:name>", view_func=dashboard.repository, endpoint="repository"
    )
    routes.add_url_rule("/operator", view_func=dashboard.operator, endpoint="operator")
    routes.add_url_rule("/events", view_func=dashboard.events, endpoint="events")
    routes.register_error_handler(Transient, away)
    routes.after_request(strict)
    return routes


def _moment(records: Sequence[EvaluationRecord], *, is_last: bool) -> Moment:
    seen = "\n".join(f"{one.id} {one.updated_s} {one.conclusion} {one.title}" for one in records)
    digest = hashlib.sha256(seen.encode()).hexdigest()[:16]
    return Moment("changed", Version(version=digest), is_last)


@dataclass(frozen=True, slots=True)
class EvaluationRow(ListedEvaluation):
    """One evaluation as a list shows it."""

    @property
    def address(self) -> str:
        """Its page."""
        return unsigned(self.record.id)

    @property
    def stage(self) -> tuple[int, int]:
        """The number of the stage, and of how many."""
        progress = progress_of(self.record)
        return progress.number, progress.of

    @property
    def began(self) -> str:
        """When it came in (UTC)."""
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(self.record.created_s))


ROWS = 25
MOST_PAGES = 400
CONCLUSIONS = (
    Conclusion.SUCCESS,
    Conclusion.FAILURE,
    Conclusion.ACTION_REQUIRED,
    Conclusion.TIMED_OUT,
    EvaluationState.RUNNING,
    EvaluationState.QUEUED,
    EvaluationState.FAILED,
    EvaluationState.CANCELLED,
)
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Which evaluations, and which page of them (from 1)."""

    wanted: EvaluationFilter
    page: int = 1

    @property
    def offset(self) -> int:
        """How many rows come before."""
        return (self.page - 1) * ROWS

    @property
    def is_narrowed(self) -> bool:
        """Whether any filter is set."""
        return self.wanted != EvaluationFilter()

    def address(self, path: str, page: int = 1) -> str:
        """The address of a page with the same filters."""
        wanted = self.wanted
        query = {
            "repository": wanted.repository,
            "number": str(wanted.number or ""),
            "conclusion": wanted.conclusion,
            "agent": wanted.agent,
            "page": str(page) if page > 1 else "",
        }
        text = urlencode({name: value for name, value in query.items() if value}, errors="replace")
        return f"{path}?{text}" if text else path


def asked_for(query: MultiDict[str, str]) -> ListQuery:
    """Read an address's query."""
    conclusion = query.get("conclusion", "")
    wanted = EvaluationFilter(
        repository=query.get("repository", "")[:_LONGEST],
        number=_number(query.get("number", ""), 2**31 - 1),
        conclusion=conclusion if conclusion in set(CONCLUSIONS) else "",
        agent=query.get("agent", "")[:_LONGEST],
    )
    return ListQuery(wanted, max(1, _number(query.get("page", ""), MOST_PAGES)))


def _number(text: str, most: int) -> int:
    digits = text.strip().removeprefix("#")
    return min(int(digits[:12]), most) if digits.isascii() and digits.isdigit() else 0
