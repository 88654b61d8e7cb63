"""`/judge agree` and `/judge disagree`, and what else people say of verdicts: kept, and nothing changes.

Every part may be repeated: a label is kept once for its comment, click or merge.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from bot.errors import UserError
from bot.github import Repository
from bot.store import LabelFilter
from bot.templates import render_markdown
from bot.values import (
    Conclusion,
    Decider,
    Deliberation,
    LabelKind,
    Role,
    Verdict,
    VerdictLabel,
    VerdictOutcome,
)
from bot.verdict.acceptance import text_of
from bot.webhook.decisions import Cancel, Command, ObeyCommand
from bot.webhook.desk import Desk
from bot.webhook.grammar import read_words
from bot.webhook.head_verdict import (
    Judged,
    check_was_seen,
    judged,
    records_of,
    seconds,
    with_verdict,
)

MOST_SUBJECTS = 20
_KINDS = {
    Command.AGREE: LabelKind.AGREED,
    Command.DISAGREE: LabelKind.DISAGREED,
}
_DECIDED_BY_MODELS = {Decider.PANEL: Role.PANEL, Decider.STEP: Role.ANALYST}
_LETS_MERGE = frozenset({Conclusion.SUCCESS, Conclusion.NEUTRAL})


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says of a verdict, and where: the comment, the click or the merge."""

    kind: LabelKind
    person: str
    reason: str
    source: str


async def label(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    """Keep what a comment says of requirements' verdicts and return the reply. Raises UserError."""
    source = f"comment {decision.comment:d}"
    known = LabelFilter(repository.name, decision.number, source=source)
    kept = await asyncio.to_thread(lambda: tuple(desk.store.labels(known)))
    if not kept:
        kept = await _labels(desk, repository, decision, source)
        await asyncio.to_thread(desk.store.keep_labels, *kept)
    return render_markdown("reply/labelled.md.j2", labels=kept)


async def _labels(
    desk: Desk, repository: Repository, decision: ObeyCommand, source: str
) -> tuple[VerdictLabel, ...]:
    """What a comment says now; handled again after a push, it still speaks of what its author saw."""
    pull_request = await repository.pull_request(decision.number)
    records = await records_of(desk, repository, pull_request)
    check_was_seen(pull_request, records, seconds(decision.given_at))
    found = await judged(desk, pull_request, records)
    words, verb = read_words(decision.words, found.judgement), decision.command.value
    wanted = words.subjects[:MOST_SUBJECTS] or ("",)
    named = [found.requirement(one, f"/judge {verb} R1 <reason>").id for one in wanted]
    if not words.reason:
        raise UserError(f"Say why: `/judge {verb} {' '.join(named)[:100]} <reason>`.")
    said = Said(_KINDS[decision.command], decision.place.actor, words.reason, source)
    return tuple(verdict_label(found, one, said) for one in dict.fromkeys(named))


def verdict_label(found: Judged, subject: str, said: Said) -> VerdictLabel:
    """What somebody says of a requirement's verdict, or of a rule of the gate, as it stands."""
    evaluation, judgement = found.evaluation, found.judgement
    by_id = {one.id: one for one in judgement.requirements.items}
    requirement = by_id.get(subject)
    verdict = next((one for one in judgement.verdicts if one.requirement_id == subject), None)
    if requirement and verdict is None:
        verdict = Verdict(subject, VerdictOutcome.UNVERIFIED, Decider.NOBODY, "")
    spoke = [one for one in judgement.gate.reasons if one.rule == subject and not requirement]
    return VerdictLabel(
        kind=said.kind,
        repository=found.request.repository,
        number=found.request.number,
        base_sha=evaluation.base_sha,
        head_sha=evaluation.head_sha,
        evaluation=found.request.id,
        conclusion=judgement.gate.conclusion.value,
        subject=subject,
        text=text_of(subject, judgement),
        category=requirement.category.value if requirement else "rule",
        verdict=verdict.outcome.value if verdict else (spoke[0].conclusion.value if spoke else ""),
        decided_by=verdict.decided_by.value if verdict else "",
        model=_models(verdict, evaluation.deliberation),
        person=said.person,
        reason=said.reason,
        source=said.source,
        given_s=time.time(),
    )


def _models(verdict: Verdict | None, deliberation: Deliberation | None) -> str:
    """The models behind a verdict; empty where tests, checks or people decided."""
    role = _DECIDED_BY_MODELS.get(verdict.decided_by) if verdict else None
    if role is None or deliberation is None:
        return ""
    return ", ".join(dict.fromkeys(one.model for one in deliberation.usage if one.role is role))


async def keep_merge(desk: Desk, repository: Repository, decision: Cancel) -> None:
    """Keep that a pull request was merged though its check run did not let it pass.

    What was never judged, or is being judged, has no verdict to merge against.
    """
    about = (repository.name, decision.number, decision.head_sha)
    records = await asyncio.to_thread(desk.store.of_commit, *about)
    verdicts = with_verdict(records)
    if not verdicts or Conclusion(verdicts[0].conclusion) in _LETS_MERGE:
        return
    newest = verdicts[0]
    request = await asyncio.to_thread(desk.store.request, newest.id)
    base_sha = request.base_sha if request else ""
    try:
        if request:
            base_sha = (await desk.verdicts.evaluation(request)).base_sha
    except UserError:  # the report is gone; the target's tip at that time is known still
        pass
    merged = VerdictLabel(
        kind=LabelKind.MERGED,
        repository=repository.name,
        number=decision.number,
        base_sha=base_sha,
        head_sha=decision.head_sha,
        evaluation=newest.id,
        conclusion=newest.conclusion,
        subject="",
        text=newest.title,
        category="",
        verdict=newest.conclusion,
        decided_by="",
        model="",
        person=decision.place.actor,
        reason="",
        source="merge",
        given_s=time.time(),
    )
    await asyncio.to_thread(desk.store.keep_labels, merged)
