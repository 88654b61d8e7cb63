"""What was said of a pull request before: what changed since the last verdict, and the older ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from bot.report.machine import ReportDocument, RequirementDocument
from bot.report.model import ReportView
from bot.values import Conclusion, VerdictOutcome


@dataclass(frozen=True, slots=True)
class PastVerdict:
    """One earlier conclusion; `link` leads to its report, `when` is its time in words."""

    conclusion: Conclusion
    title: str
    head_sha: str
    link: str
    when: str


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """One requirement whose verdict is another now; None where it is new, or asked no more."""

    requirement_id: str
    text: str
    before: VerdictOutcome | None
    after: VerdictOutcome | None


@dataclass(frozen=True, slots=True)
class Memory:
    """The earlier verdicts, newest first, and the changes since the newest of them."""

    past: tuple[PastVerdict, ...]
    changes: tuple[VerdictChange, ...] = ()


def changes_since(before: ReportDocument, now: ReportView) -> tuple[VerdictChange, ...]:
    """Compare by what is asked: the task may number its requirements anew."""
    texts = Counter(one.text for one in before.requirements)
    known = {_key(one.id, one.text, texts): one for one in before.requirements}
    found = []
    for row in now.requirements:
        asked, after = row.requirement, row.verdict.outcome
        earlier = known.pop(_key(asked.id, asked.text, texts), None)
        outcome = earlier.verdict if earlier else None
        if outcome is not after:
            found.append(VerdictChange(asked.id, asked.shown, outcome, after))
    return (*found, *(_gone(one) for one in known.values()))


def _key(id_: str, text: str, texts: Counter[str]) -> tuple[str, str]:
    return ("" if texts[text] < 2 else id_), text


def _gone(one: RequirementDocument) -> VerdictChange:
    return VerdictChange(one.id, one.wording or one.text, one.verdict, None)
