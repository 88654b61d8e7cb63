"""`/judge accept`, `/judge override` and the button "Accept unverified": a person decides, nothing runs.

Every part may be repeated: a decision is kept once for its comment, and concluding again writes the same
report, comment and check run.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from bot.errors import UserError
from bot.github import Permission, PullRequest, Reaction
from bot.store import EvaluationRecord
from bot.templates import render_markdown
from bot.values import Acceptance, AcceptanceKind, LabelKind, Trigger, VerdictOutcome
from bot.verdict.acceptance import (
    acceptable,
    can_be_accepted,
    can_be_overridden,
    places_of,
    subject_of,
    text_of,
)
from bot.webhook.adapters import Adapters, AtRepository
from bot.webhook.decisions import AcceptUnverified, JudgeCommand, ObeyCommand
from bot.webhook.grammar import Words, read_words
from bot.webhook.head_verdict import JudgedHead, judged, records_of, seconds
from bot.webhook.labelling import Said, verdict_label
from bot.webhook.start import number_of

MOST_SUBJECTS = 20
_CLICKED = "Clicked “Accept unverified”."
_KINDS = {
    JudgeCommand.ACCEPT: AcceptanceKind.ACCEPTED,
    JudgeCommand.OVERRIDE: AcceptanceKind.OVERRIDDEN,
}
_LABELS = {
    AcceptanceKind.ACCEPTED: LabelKind.ACCEPTED,
    AcceptanceKind.OVERRIDDEN: LabelKind.OVERRIDDEN,
}


@dataclass(frozen=True, slots=True)
class _Who:
    """Who decides, how far they go and may go."""

    actor: str
    kind: AcceptanceKind
    is_admin: bool


@dataclass(frozen=True, slots=True)
class _Case:
    """What somebody decides about."""

    who: _Who
    judged: JudgedHead


async def accept(
    at: AtRepository, decision: ObeyCommand, permission: Permission
) -> tuple[str, ...]:
    """Do what a comment decides; what it could not decide is returned, a line each."""
    who = _Who(decision.place.actor, _KINDS[decision.command], permission is Permission.ADMIN)
    pull_request = await at.repository.pull_request(decision.number)
    records = await records_of(at, pull_request)
    if refused := _why_not(who, pull_request, records):
        return (refused,)
    try:
        found = await judged(at, pull_request, records, seconds(decision.given_at))
    except UserError as error:
        return (f"{error.what} {error.next_step}".strip(),)
    case, words = _Case(who, found), read_words(decision.words, found.judgement)
    source = f"comment {decision.comment:d}"
    if not words.subjects or not words.reason:
        return (_usage(case, words),)
    given, told = _sorted_out(case, words.subjects[:MOST_SUBJECTS], source)
    if given:
        await _conclude(at, case, given, words.reason, source)
        await at.repository.react(decision.comment, Reaction.ROCKET)
    return told


async def accept_unverified(at: AtRepository, decision: AcceptUnverified) -> str:
    """Accept everything that could not be verified about the clicked commit, while it is the newest."""
    actor, number = decision.place.actor, await number_of(at, decision)
    permission = await at.repository.permission(actor)
    if not permission.can_write or not number:
        return "the clicker may not write"
    pull_request = await at.repository.pull_request(number)
    if pull_request.head_sha != decision.head_sha:
        return "the clicked commit is not the newest"
    who = _Who(actor, AcceptanceKind.ACCEPTED, permission is Permission.ADMIN)
    records = await records_of(at, pull_request)
    if refused := _why_not(who, pull_request, records):
        marker = f"<!-- assay:reply to a click on {decision.head_sha} -->"
        body = render_markdown("reply/acceptance.md.j2", lines=(refused,))
        await at.repository.put_comment(number, marker, body)
        return refused
    try:
        case = _Case(who, await judged(at, pull_request, records, time.time()))
    except UserError as error:
        return f"refused: {error.what}"
    source = f"click {at.delivery_id}"[:200]
    given, told = _sorted_out(case, acceptable(case.judged.judgement.gate), source)
    if given:
        await _conclude(at, case, given, _CLICKED, source)
    return "; ".join(told) or "accepted"


def _why_not(who: _Who, pull_request: PullRequest, records: tuple[EvaluationRecord, ...]) -> str:
    """Why somebody who may write cannot decide this; empty when they can.

    Nobody accepts their own change: neither who opened the pull request nor who pushed its newest
    commit. An administrator can still override, which is loud: a repository with one maintainer has a
    way out, and everybody sees that it was taken.
    """
    if who.kind is AcceptanceKind.OVERRIDDEN:
        return "" if who.is_admin else "Only an administrator of this repository can override."
    pushers = {one.actor.lower() for one in records if one.trigger == Trigger.SYNCHRONIZE}
    if pull_request.author.lower() == who.actor.lower():
        did = "opened this pull request"
    elif who.actor.lower() in pushers:
        did = "pushed the newest commit"
    else:
        return ""
    told = f"You {did}, so someone else with write access has to accept it."
    loud = " As an administrator you can `/judge override <ID> <reason>`; the report says that you did."
    return told + loud * who.is_admin


def _usage(case: _Case, words: Words) -> str:
    verb = "accept" if case.who.kind is AcceptanceKind.ACCEPTED else "override"
    if words.subjects:
        return f"Say why: `/judge {verb} {' '.join(words.subjects)[:100]} <reason>`."
    gate = case.judged.evaluation.gate
    if case.who.kind is AcceptanceKind.ACCEPTED:
        left = acceptable(gate)
    else:
        blocking = (subject_of(one) for one in gate.reasons if can_be_overridden(one))
        left = tuple(dict.fromkeys(blocking))
    if not left:
        return f"There is nothing left to {verb} here."
    return f"Name what you {verb} and why: `/judge {verb} {' '.join(left)} <reason>`."


def _sorted_out(
    case: _Case, subjects: tuple[str, ...], source: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which subjects are decided now, and why the others are not."""
    problems = {subject: _problem(case, subject, source) for subject in subjects}
    given = tuple(subject for subject, problem in problems.items() if not problem)
    return given, tuple(problem for problem in problems.values() if problem)


def _problem(case: _Case, subject: str, source: str) -> str:
    """Why nothing is to be decided about a subject; empty where it is."""
    reasons = [one for one in case.judged.judgement.gate.reasons if subject_of(one) == subject]
    known = [requirement.id for requirement in case.judged.judgement.requirements.items]
    if not reasons and subject not in known:
        return f"This verdict has no `{subject[:40]}`; it has {', '.join(known[:30])}."
    blocking = [one for one in reasons if can_be_overridden(one)]
    if not blocking:
        verdicts = [one for one in case.judged.judgement.verdicts if one.requirement_id == subject]
        met = any(one.outcome is VerdictOutcome.SATISFIED for one in verdicts)
        return f"{subject} is satisfied already." if met else f"{subject} blocks nothing here."
    given = case.judged.judgement.acceptances
    earlier = next((one for one in given if not one.void and one.subject == subject), None)
    if earlier and (earlier.kind is case.who.kind or case.who.kind is AcceptanceKind.ACCEPTED):
        same = earlier.source == source  # the delivery came twice
        return "" if same else f"{subject} was {earlier.kind.value} by {earlier.actor} already."
    if case.who.kind is AcceptanceKind.OVERRIDDEN or all(map(can_be_accepted, blocking)):
        return ""
    return (
        f"{subject} failed a check, which nobody can accept; an administrator can "
        f"`/judge override {subject} <reason>`."
    )


async def _conclude(
    adapters: Adapters, case: _Case, subjects: tuple[str, ...], reason: str, source: str
) -> None:
    """Keep the decision for each subject, then conclude again from what was observed."""
    request = case.judged.request
    for subject in subjects:
        given = Acceptance(
            subject=subject,
            kind=case.who.kind,
            actor=case.who.actor,
            reason=reason,
            head_sha=request.head_sha,
            text=text_of(subject, case.judged.judgement),
            source=source,
            given_s=time.time(),
            places=places_of(subject, case.judged.evaluation),
            by_author=case.judged.pull_request.author.lower() == case.who.actor.lower(),
        )
        await asyncio.to_thread(adapters.store.accept, request.repository, request.number, given)
        said = Said(_LABELS[case.who.kind], case.who.actor, reason, source)
        label = verdict_label(case.judged, subject, said)
        await asyncio.to_thread(adapters.store.keep_labels, label)
    await adapters.verdicts.conclude_again(request)
