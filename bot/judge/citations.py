"""Holds a judge to its evidence: what is cited must exist, be about the claim, and not speak against it."""

from __future__ import annotations

from bot.judge.transitions import passed
from bot.models import ActionKind, Evidence, VerdictOutcome

HINTS = (ActionKind.LOCATE,)
"""Actions whose results are hints for people; nothing may rest on them."""
INFORMING = (ActionKind.WEB_BROWSING,)
"""Actions that show nothing of the change: they may be cited, and never satisfy by themselves."""


def citation_problem(
    outcome: VerdictOutcome, cited: tuple[str, ...], evidence: tuple[Evidence, ...]
) -> str:
    """Why an opinion that cites these ids does not count; empty when it does.

    `evidence` is what may be cited for the requirement. "Could not tell" needs none.
    """
    known = {one.id: one for one in evidence if one.step.action not in HINTS}
    unknown = [id_ for id_ in cited if id_ not in known]
    if unknown:
        return f"It cites {unknown[0][:40]!r}, which is no evidence on this requirement."
    if outcome is VerdictOutcome.UNVERIFIED:
        return ""
    if not cited:
        return f'It says "{outcome.value}" and cites nothing.'
    seen = [known[id_] for id_ in cited]
    if outcome is VerdictOutcome.SATISFIED:
        return _why_not_shown(seen)
    return ""


def _why_not_shown(seen: list[Evidence]) -> str:
    if not any(_shows_head(one) for one in seen):
        return 'It says "satisfied", and nothing that it cites was executed or read on head.'
    failing = [one.id for one in seen if passed(one.head) is False]
    if failing:
        return f'It says "satisfied" by {failing[0]}, which fails on head.'
    return ""


def _shows_head(one: Evidence) -> bool:
    if one.step.action in INFORMING or one.head is None:
        return False
    return not one.head.problem and one.head.exit_code is not None
