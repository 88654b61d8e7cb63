"""The page `/calibration`: how often Assay's verdicts agree with what people said of them, by labels.

A label counts as a pair where Assay said of a requirement that it is met or not, and the person did,
too. What Assay left to people is counted beside, and measured by nothing: it said neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial

from flask import Blueprint, Response, request

from bot.bench.measures import (
    INSTALL,
    Interval,
    cohen_kappa,
    has_statistics,
    kappa_interval,
    wilson,
)
from bot.errors import Transient
from bot.store import Store
from bot.templates import render_html
from bot.values import LabelKind, VerdictLabel, that_count
from bot.values.talk import RULE
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


def by_link_or_visit(links: SignedLinks, visits: Visits) -> Readers:
    """Let in who has the operator's link, for all repositories, and who is signed in, for their own."""

    def readers() -> MaySee | None:
        if links.allows(INDEX, request.args.get("s", "")):
            return lambda _: True
        visitor = visits.current()
        return visitor.may_read_name if visitor else None

    return readers


def calibration_page(labels: Store, readers: Readers) -> Blueprint:
    """Make the blueprint with `/calibration`."""
    blueprint = Blueprint("calibration", __name__)
    blueprint.add_url_rule(
        "/calibration", view_func=partial(_shown, labels, readers), endpoint="shown"
    )
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


def _shown(labels: Store, readers: Readers) -> Response:
    """Show the measures of what this reader may see; who may not see the page finds none."""
    may_see = readers()
    if may_see is None:
        return missing()
    wanted = _wanted()
    places = [one for one in labels.labelled_repositories() if may_see(one)]
    asked = [one for one in places if wanted.repository.lower() in ("", one)]
    newest = labels.newest_labels(asked, MOST_LABELS)
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


# --- counting labels: pure but for the libraries ---------------------------------------------


FEWEST = 10
"""Of fewer pairs nothing is said but their number: an interval of 9 is wider than half of all."""


@dataclass(frozen=True, slots=True)
class AgreedShare:
    """So many of so many; the interval is None where they are too few, or the libraries are not there."""

    part: int
    whole: int
    interval: Interval | None = None

    @property
    def is_told(self) -> bool:
        """Whether there are enough to say something."""
        return self.whole >= FEWEST

    @property
    def percent(self) -> float:
        """The share of a hundred; 0 of nothing."""
        return 100 * self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with its interval; None where it is not defined or the pairs are too few."""

    value: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What people said of the verdicts of one group. `left_open` are labels of what was unverified.

    Precision and recall are of "satisfied": of what Assay said is met, and of what people said is met.
    """

    name: str
    labels: int
    left_open: int
    agreement: AgreedShare
    kappa: Kappa
    precision: AgreedShare
    recall: AgreedShare


@dataclass(frozen=True, slots=True)
class Counted:
    """What people did to a whole change or a rule of the gate, and how often Assay had said what."""

    kind: LabelKind
    of_rule: bool
    verdict: str
    count: int


Key = Callable[[VerdictLabel], str]


def month_of(label: VerdictLabel) -> str:
    """Return the month in which a label was given, in UTC: 2026-11."""
    return datetime.fromtimestamp(label.given_s, UTC).strftime("%Y-%m")


def of_requirements(labels: Iterable[VerdictLabel]) -> tuple[VerdictLabel, ...]:
    """Return the labels of requirements' verdicts.

    People merge, revert, override and accept, but nothing they do says that a rule of the gate or a
    conclusion was right. A measure of these would only count what went wrong.
    """
    return tuple(one for one in labels if one.subject and one.category != RULE)


def counted(labels: Iterable[VerdictLabel]) -> tuple[Counted, ...]:
    """Count the other labels, the most frequent first."""
    found = Counter(
        (one.kind, one.category == RULE, one.verdict)
        for one in labels
        if not one.subject or one.category == RULE
    )
    return tuple(Counted(*about, count) for about, count in found.most_common())


def grouped(labels: Sequence[VerdictLabel], key: Key) -> tuple[Measured, ...]:
    """Measure each group, by name; labels with an empty key are in none."""
    names = sorted({name for one in labels if (name := key(one))})
    return tuple(measured(name, [one for one in labels if key(one) == name]) for name in names)


def measured(name: str, labels: Sequence[VerdictLabel]) -> Measured:
    """Measure the labels of one group."""
    pairs = [
        (one.is_met, one.was_met)
        for one in labels
        if one.is_met is not None and one.was_met is not None
    ]
    truth, said = [is_met for is_met, _ in pairs], [was_met for _, was_met in pairs]
    kappa = Kappa()
    varies = len(set(truth)) > 1 and len(set(said)) > 1  # else it is 0 whatever the agreement is
    if varies and len(truth) >= FEWEST and has_statistics():
        kappa = Kappa(cohen_kappa(truth, said), kappa_interval(truth, said))
    both = sum(is_met and was_met for is_met, was_met in pairs)
    return Measured(
        name=name,
        labels=len(labels),
        left_open=sum(one.was_met is None for one in labels),
        agreement=_share(sum(is_met is was_met for is_met, was_met in pairs), len(pairs)),
        kappa=kappa,
        precision=_share(both, sum(said)),
        recall=_share(both, sum(truth)),
    )


def _share(part: int, whole: int) -> AgreedShare:
    is_measured = whole >= FEWEST and has_statistics()
    return AgreedShare(part, whole, wilson(part, whole) if is_measured else None)
