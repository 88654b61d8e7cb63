"""The report as a Markdown comment that always fits."""

from __future__ import annotations

from dataclasses import dataclass

from bot.models import EvaluationRequest
from bot.report.model import ReportView
from bot.report.pictures import picture_address
from bot.templates import render_markdown

COMMENT_LIMIT = 65_536
"""GitHub's limit of a comment, in characters; counted here in bytes to be safe."""
CHECK_LIMIT = 65_535
"""GitHub's limit of a check run's summary and of its text."""


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each thing is said; `folded` is false when only the head of the report is left."""

    rows: int
    text: int  # characters of a sentence
    tests: int  # characters of requirement evidence: how many tests are named
    output: int  # characters of an output or a message
    folded: bool = True


_LADDER = (
    Detail(rows=200, text=1_000, tests=8, output=4_000),
    Detail(rows=60, text=600, tests=5, output=1_500),
    Detail(rows=25, text=400, tests=3, output=500),
    Detail(rows=25, text=300, tests=2, output=0, folded=False),
    Detail(rows=4, text=160, tests=1, output=0, folded=False),
)
"""From everything to the least: whole renderings, so that no cut leaves a fence or a fold open."""


def marker(request: EvaluationRequest) -> str:
    """The hidden first line that finds Assay's comment again: one a pull request, one a patch."""
    return _marker(request.number, request.id)


def _marker(number: int, evaluation_id: str) -> str:
    if number:
        return f"<!-- assay:pull-request {number} -->"
    plain = "".join(c for c in evaluation_id if c.isascii() and (c.isalnum() or c in "_.-"))
    return f"<!-- assay:evaluation {plain} -->"


def markdown(view: ReportView, link: str) -> str:
    """The whole comment, marker first; `link` leads to the full report (empty: none is served)."""
    first = _marker(view.subject.number, view.id)
    body = fitted("report/report.md.j2", view, link, COMMENT_LIMIT - len(first) - 1)
    return f"{first}\n{body}"


def fitted(template: str, view: ReportView, link: str, limit_bytes: int) -> str:
    """The most detailed rendering of a report template within `limit_bytes` of UTF-8."""
    text = ""
    for detail in _LADDER:
        text = render_markdown(
            template, view=view, link=link, detail=detail, picture_address=picture_address
        )
        if len(text.encode()) <= limit_bytes:
            return text
    raise ValueError(f"{template} is {len(text)} characters long at its least detail")
