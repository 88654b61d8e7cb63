"""Holds a judge to its evidence: what is cited must exist, be about the claim, and not speak against it."""

from __future__ import annotations

from bot.judge.transitions import passed
from bot.models import ActionKind, Evidence, Transition, VerdictOutcome

HINTS = (ActionKind.LOCATE,)
"""Actions whose results are hints for people; nothing may rest on them."""


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
    if all(one.head is None or one.head.problem or one.head.exit_code is None for one in seen):
        return 'It says "satisfied", and nothing that it cites was executed or read on head.'
    if all(one.transition is Transition.VACUOUS for one in seen):
        return 'It says "satisfied", and all that it cites passes on base too.'
    failing = [one.id for one in seen if passed(one.head) is False]
    if failing:
        return f'It says "satisfied" by {failing[0]}, which fails on head.'
    return ""
