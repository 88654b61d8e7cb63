"""How a patch stands, as the API says it: from its record, and from its report once it has one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus

from pydantic import BaseModel, ValidationError

from bot.errors import Transient
from bot.report.machine import ReportDocument, read_machine
from bot.report.repair import repair_rows, shown_title
from bot.store import EvaluationRecord, EvaluationState
from bot.text import scrub
from bot.values import STAGES, Conclusion, VerdictOutcome
from bot.web.api.models import ApiProblem, PatchStatus, Problem, Progress, ReportLinks

_TITLES = {
    EvaluationState.FAILED: (HTTPStatus.INTERNAL_SERVER_ERROR, "Assay could not finish"),
    EvaluationState.CANCELLED: (HTTPStatus.CONFLICT, "The evaluation was cancelled"),
}
_NOT_JUDGED = (HTTPStatus.UNPROCESSABLE_ENTITY, "The patch could not be judged")
ReadReport = Callable[[str, str], bytes | None]
"""Reads one file of a report by its key and name; None when there is none. May raise `Transient`."""


def standing(record: EvaluationRecord, read: ReadReport, report_page: str) -> PatchStatus:
    """Return all that is known. `report_page` is the signed address of the report, empty to hide it.

    Raises Transient where the report cannot be read now.
    """
    links = None
    if record.report_key and report_page:
        here, _, query = report_page.partition("?")
        json_, markdown, sarif = (
            f"{here}.{kind}?{query}".rstrip("?") for kind in ("json", "md", "sarif")
        )
        links = ReportLinks(html=report_page, json_=json_, markdown=markdown, sarif=sarif)
    report = report_of(record, read)
    verdicts = [one.verdict for one in report.requirements] if report else []
    return PatchStatus(
        id=record.id,
        repository=record.repository,
        status=record.state,
        progress=progress_of(record),
        waiting="" if record.state.is_final else scrub(record.problem),
        created_at=_time(record.created_s),
        updated_at=_time(record.updated_s),
        conclusion=Conclusion(record.conclusion) if record.conclusion else None,
        title=shown_title(report) if report else scrub(record.title),
        met=sum(one is VerdictOutcome.SATISFIED for one in verdicts),
        total=len(verdicts),
        rows=repair_rows(report) if report else (),
        problem=_problem(record, report),
        report=links,
    )


def progress_of(record: EvaluationRecord) -> Progress:
    """Return the stage and its place, which is the last one once there is a verdict."""
    if record.state is EvaluationState.DONE:
        return Progress(stage=record.stage, number=len(STAGES), of=len(STAGES))
    number = STAGES.index(record.stage) + 1 if record.stage in STAGES else 0
    return Progress(stage=record.stage, number=number, of=len(STAGES))


def report_of(record: EvaluationRecord, read: ReadReport) -> ReportDocument | None:
    """Read an evaluation's report; None where there is none, or one of another version."""
    text = read(record.report_key, "report.json") if record.report_key else None
    try:
        return read_machine(text) if text else None
    except ValidationError:
        return None


def _problem(record: EvaluationRecord, report: ReportDocument | None) -> Problem | None:
    """Why there is no verdict, with the way out; None while it runs, and where there is one."""
    if not record.state.is_final or (report and report.judged):
        return None
    status, title = _TITLES.get(record.state, _NOT_JUDGED)
    said = [record.problem]
    if report:
        said = [line for one in report.reasons for line in (one.text, one.next_step)]
    detail = " ".join(dict.fromkeys(part for part in said if part))
    return Problem(title=title, status=status.value, detail=scrub(detail))


def _time(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="seconds")


# --- the same as server-sent events: its stages as they begin, and how it ended --------------------
# Each stream keeps a thread of the web process, so they are few and short. A client that is cut off
# (`EventSource` does so by itself) asks again and hears from the present stage on.


POLL_S = 0.5
HEARTBEAT_S = 10.0
LONGEST_S = 300.0
_RETRY_MS = 1_000


@dataclass(frozen=True, slots=True)
class Moment:
    """How an evaluation stands. `name` is the event's; the same `name` and `data` are told once."""

    name: str
    data: BaseModel
    is_last: bool


Look = Callable[[], Moment]
"""Asks how it stands now. May raise `Transient`."""


@dataclass(slots=True)
class Streams:
    """The places for streams of one web process.

    A reader who is gone keeps the place until the next heartbeat.
    """

    places: int
    longest_s: float = LONGEST_S
    heartbeat_s: float = HEARTBEAT_S
    poll_s: float = POLL_S
    _free: threading.BoundedSemaphore = field(init=False)

    def __post_init__(self) -> None:
        self._free = threading.BoundedSemaphore(max(self.places, 1))

    def opened(self, look: Look) -> Iterator[str] | None:
        """Return the events from now on; None where all places are taken.

        The place is given back when the stream ends, and when its reader is gone.
        """
        if self.places < 1 or not self._free.acquire(blocking=False):
            return None
        stream = self._held(look)
        next(stream)  # only what was begun gives its place back when nobody reads it
        return stream

    def _held(self, look: Look) -> Iterator[str]:
        try:
            yield ""
            yield from self._events(look)
        finally:
            self._free.release()

    def _events(self, look: Look) -> Iterator[str]:
        began_s = spoke_s = time.monotonic()
        told = ""
        yield f"retry: {_RETRY_MS}\n\n"
        while time.monotonic() - began_s < self.longest_s:
            moment, text = None, told
            with suppress(Transient, ApiProblem):  # asked again in a moment; or it is gone
                moment = look()
            if moment:
                data = moment.data.model_dump_json(by_alias=True)
                text = f"event: {moment.name}\ndata: {data}\n\n"
            if text != told:
                yield text
                told, spoke_s = text, time.monotonic()
                if moment and moment.is_last:
                    return
            elif time.monotonic() - spoke_s > self.heartbeat_s:
                yield ": still there\n\n"  # who does not read it any more is found out
                spoke_s = time.monotonic()
            time.sleep(self.poll_s)
