"""What an address of the list asks for: filters and a page; what is not understood narrows nothing."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from bot.store import EvaluationFilter, EvaluationState
from bot.values import Conclusion

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
class Asked:
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


def read(query: MultiDict[str, str]) -> Asked:
    """Read an address's query."""
    conclusion = query.get("conclusion", "")
    wanted = EvaluationFilter(
        repository=query.get("repository", "")[:_LONGEST],
        number=_number(query.get("number", ""), 2**31 - 1),
        conclusion=conclusion if conclusion in set(CONCLUSIONS) else "",
        agent=query.get("agent", "")[:_LONGEST],
    )
    return Asked(wanted, max(1, _number(query.get("page", ""), MOST_PAGES)))


def _number(text: str, most: int) -> int:
    digits = text.strip().removeprefix("#")
    return min(int(digits[:12]), most) if digits.isascii() and digits.isdigit() else 0
