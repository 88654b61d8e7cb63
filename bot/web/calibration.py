"""The page `/calibration`: how often Assay's verdicts agree with what people said of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Protocol

from flask import Blueprint, Response, request

from bot.bench.calibration import (
    FEWEST,
    Measured,
    counted,
    grouped,
    measured,
    month_of,
    of_requirements,
)
from bot.bench.measures import INSTALL, has_statistics
from bot.errors import Transient
from bot.templates import render_html
from bot.values import VerdictLabel, that_count
from bot.web.dashboard.visits import Visits
from bot.web.links import INDEX, SignedLinks
from bot.web.pages import POLICY, away, missing, strict

MOST_LABELS = 2_000
"""The newest ones that are counted: each holds its task's whole text."""
FORM_POLICY = POLICY.replace("form-action 'none'", "form-action 'self'")

MaySee = Callable[[str], bool]
"""Whether a reader may see what people said about a repository (`owner/name`)."""
Readers = Callable[[], MaySee | None]
"""What whoever sent this request may see; None for who may not see the page at all."""


class Labels(Protocol):
    """Where the labels are. Raises Transient when the database is away."""

    def labelled_repositories(self) -> tuple[str, ...]:
        """List the repositories that have labels, in lower case."""

    def newest_labels(self, repositories: Sequence[str], limit: int) -> tuple[VerdictLabel, ...]:
        """List the newest labels of these repositories, newest first."""


def by_link_or_visit(links: SignedLinks, visits: Visits) -> Readers:
    """Let in who has the operator's link, for all repositories, and who is signed in, for their own."""

    def readers() -> MaySee | None:
        if links.allows(INDEX, request.args.get("s", "")):
            return lambda _: True
        visitor = visits.current()
        return visitor.may_read_name if visitor else None

    return readers


def calibration_page(labels: Labels, readers: Readers) -> Blueprint:
    """Make the blueprint with `/calibration`."""
    page = _Page(labels, readers)
    blueprint = Blueprint("calibration", __name__)
    blueprint.add_url_rule("/calibration", view_func=page.shown, endpoint="shown")
    blueprint.register_error_handler(Transient, away)
    blueprint.after_request(_with_form)
    return blueprint


@dataclass(frozen=True, slots=True)
class LabelQuery:
    """What the reader filters by; `problems` are days that cannot be read."""

    repository: str
    since: date | None
    until: date | None
    problems: tuple[str, ...] = ()

    def holds(self, label: VerdictLabel) -> bool:
        """Whether a label was given on one of the days asked for; both are included, in UTC."""
        day = datetime.fromtimestamp(label.given_s, UTC).date()
        return (self.since or day) <= day <= (self.until or day)


@dataclass(frozen=True, slots=True)
class CalibrationTable:
    """One way to divide the labels; `kind` says which, and so how names are written."""

    kind: str
    rows: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    labels: Labels
    readers: Readers

    def shown(self) -> Response:
        """Show the measures of what this reader may see; who may not see the page finds none."""
        may_see = self.readers()
        if may_see is None:
            return missing()
        wanted = _wanted()
        places = [one for one in self.labels.labelled_repositories() if may_see(one)]
        asked = [one for one in places if wanted.repository.lower() in ("", one)]
        newest = self.labels.newest_labels(asked, MOST_LABELS)
        chosen = [one for one in that_count(newest) if wanted.holds(one)]
        judged = of_requirements(chosen)
        text = render_html(
            "pages/calibration.html.j2",
            signature=request.args.get("s", ""),
            wanted=wanted,
            repositories=places,
            most=MOST_LABELS if len(newest) == MOST_LABELS else 0,
            total=measured("", judged),
            people=len({one.person.lower() for one in judged}),
            changes=len({(one.repository.lower(), one.number) for one in judged}),
            tables=(
                CalibrationTable("kind", grouped(judged, lambda one: one.category)),
                CalibrationTable("decider", grouped(judged, lambda one: one.decided_by)),
                CalibrationTable("model", grouped(judged, lambda one: one.model)),
                CalibrationTable("month", grouped(judged, month_of)),
            ),
            others=counted(chosen),
            install="" if has_statistics() else INSTALL,
            fewest=FEWEST,
        )
        return Response(text, mimetype="text/html")


def _wanted() -> LabelQuery:
    problems: list[str] = []

    def day(name: str) -> date | None:
        text = request.args.get(name, "").strip()
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            problems.append(text[:40])
            return None

    since, until = day("since"), day("until")
    return LabelQuery(request.args.get("repository", ""), since, until, tuple(problems))


def _with_form(response: Response) -> Response:
    strict(response).headers["Content-Security-Policy"] = FORM_POLICY
    return response
