"""Counts a panel: outcomes need a majority of all its judges, and a fact outweighs any majority."""

from __future__ import annotations

from dataclasses import replace

from bot.judges.citations import failing_on_head
from bot.values import Evidence, Opinion, PanelResult, Requirement, Round, VerdictOutcome

UNSATISFIED, UNVERIFIED = VerdictOutcome.UNSATISFIED, VerdictOutcome.UNVERIFIED


def count_votes(
    requirement: Requirement, evidence: tuple[Evidence, ...], rounds: tuple[Round, ...]
) -> PanelResult:
    """What the last round comes to. Judges without an opinion still count in the denominator.

    A single judge who names a step that fails on head is right, whatever the others think.
    """
    opinions = rounds[-1].opinions
    counting = [one for one in opinions if one.counts]
    for one in counting:
        if one.outcome is UNSATISFIED and (
            facts := failing_on_head(requirement, one.evidence_ids, evidence)
        ):
            return _told(requirement, rounds, UNSATISFIED, _by_fact(one, facts))
    votes = {outcome: [o for o in counting if o.outcome is outcome] for outcome in VerdictOutcome}
    best = max(votes.values(), key=len)
    if len(best) * 2 <= len(opinions):
        return _told(requirement, rounds, UNVERIFIED, None)
    cited = tuple(dict.fromkeys(id_ for one in best for id_ in one.evidence_ids))
    return _told(requirement, rounds, best[0].outcome, replace(best[0], evidence_ids=cited))


def held_back(result: PanelResult, words: str) -> PanelResult:
    """The result where something that the judges read told them what to say: never satisfied."""
    if result.outcome is not VerdictOutcome.SATISFIED:
        return result
    return replace(
        result,
        outcome=UNVERIFIED,
        is_agreed=False,
        reason=f'What the judges read speaks to judges: "{words}". So their opinions on it do not count.',
    )


def _by_fact(one: Opinion, facts: tuple[str, ...]) -> Opinion:
    reason = f"{facts[0]} fails on head, which no vote outweighs. {one.reason}"
    return replace(one, reason=reason, evidence_ids=(*facts, *_without(one.evidence_ids, facts)))


def _without(ids: tuple[str, ...], left_out: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(id_ for id_ in ids if id_ not in left_out)


def _told(
    requirement: Requirement,
    rounds: tuple[Round, ...],
    outcome: VerdictOutcome,
    spokesman: Opinion | None,
) -> PanelResult:
    counting = [one for one in rounds[-1].opinions if one.counts]
    scores = [one.scores.mean for one in counting if one.scores]
    return PanelResult(
        requirement_id=requirement.id,
        outcome=outcome,
        reason=spokesman.reason if spokesman else _why_undecided(rounds[-1].opinions),
        evidence_ids=spokesman.evidence_ids if spokesman else (),
        score=round(sum(scores) / len(scores), 2) if scores else None,
        is_agreed=spokesman is not None,
        rounds=rounds,
        dissent=tuple(one for one in counting if one.outcome is not outcome),
    )


def _why_undecided(opinions: tuple[Opinion, ...]) -> str:
    """One sentence; with what keeps the opinions from counting where that is the reason."""
    problems = [one.problem for one in opinions if one.problem]
    if len(problems) * 2 < len(opinions):
        return "The judges did not agree."
    return f"Too few of the {len(opinions)} judges have an opinion that counts. {problems[0]}"
