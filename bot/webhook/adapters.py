"""What the deeds need, and the ones that all of them share: begin an evaluation, stop one."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from bot.errors import UserError
from bot.evaluation.rubrics import RubricDrafter
from bot.github import CheckAction, CheckReport, CheckStatus
from bot.source.shared_head import SharedHead, hide_running, report_of
from bot.store import Ended, EvaluationRecord, EvaluationState, Store
from bot.templates import check_words
from bot.values import (
    Conclusion,
    EvaluationRequest,
    Forecast,
    Trigger,
)
from bot.values.conclusions import MOST_REQUIREMENT_CHECKS, requirement_check_name
from bot.webhook.decisions import Cancel

if TYPE_CHECKING:
    from bot.evaluation.conclude_again import KeptVerdicts
    from bot.github.client import GitHubApp
    from bot.github.repository import Repository
    from bot.queue import EngineClient


ALREADY = "this head is being judged already"
_SAME = frozenset(
    {
        Trigger.OPENED,
        Trigger.REOPENED,
        Trigger.SYNCHRONIZE,
        Trigger.READY_FOR_REVIEW,
        Trigger.SWEEP,
        Trigger.RESUMED,
    }
)
"""What asks for nothing more than a verdict on a head."""


Foresee = Callable[[EvaluationRequest], Awaitable[Forecast]]
"""Plans and prices an evaluation that does not run; raises UserError, Superseded and Transient."""


@dataclass(frozen=True, slots=True)
class Adapters:
    """The adapters, wired once. `link` gives the signed address of an evaluation's page."""

    github: GitHubApp
    store: Store
    jobs: EngineClient
    link: Callable[[str], str]
    check_name: str
    rubrics: RubricDrafter
    foresee: Foresee
    verdicts: KeptVerdicts
    approve_first_time_forks: bool = True

    @asynccontextmanager
    async def at(
        self, name: str, installation: int, delivery_id: str = ""
    ) -> AsyncIterator[AtRepository]:
        """Open the repository (`owner/name`) that a delivery, if there is one, is about."""
        async with self.github.repository(name, installation) as repository:
            own = {field.name: getattr(self, field.name) for field in fields(self)}
            yield AtRepository(**own, repository=repository, delivery_id=delivery_id)


@dataclass(frozen=True, slots=True)
class AtRepository(Adapters):
    """The adapters, and the one repository that a delivery is about; its id is in those of evaluations."""

    repository: Repository = field(kw_only=True)
    delivery_id: str = field(kw_only=True)


def evaluation_id(repository: str, number: int, head_sha: str, delivery_id: str) -> str:
    """Name an evaluation: readable, fit for an address and a file, and one for each delivery."""
    whole = "\0".join((repository, str(number), head_sha, delivery_id))
    digest = hashlib.sha256(whole.encode(errors="replace")).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9]+", "-", repository.rpartition("/")[2])[:60].strip("-")
    parts = (
        name,
        str(number) if number else "",
        head_sha[:8] if head_sha.isalnum() else "",
        digest,
    )
    return "-".join(part for part in parts if part)


def claim(request: EvaluationRequest) -> str:
    """Name what a late webhook and the sweep, or two webhooks, would judge twice; empty for the rest."""
    if request.trigger not in _SAME:
        return ""
    return f"{request.repository}#{request.number}@{request.head_sha}"


def queued_report(adapters: Adapters, request: EvaluationRequest) -> CheckReport:
    """Say that a commit waits for a worker."""
    link = adapters.link(request.id)
    words = check_words("queued", link=link)
    return report_of(request, CheckStatus.QUEUED, words, adapters.check_name, link)


def completed(
    report: CheckReport, conclusion: Conclusion, words: tuple[str, str], *actions: CheckAction
) -> CheckReport:
    """Turn a queued report to a completed one with other words and buttons."""
    return replace(
        report,
        status=CheckStatus.COMPLETED,
        conclusion=conclusion,
        title=words[0],
        summary=words[1],
        actions=actions,
    )


def shared_head(at: AtRepository) -> SharedHead:
    """What the check runs of a commit of several pull requests are kept in agreement by."""
    return SharedHead(at.repository, at.store, at.link, at.check_name)


async def begin(at: AtRepository, request: EvaluationRequest) -> str:
    """Cancel what this evaluation replaces, show it as queued, and hand it to the engine.

    Every part may be repeated: a crash in between leads here again with the same id.
    """
    known = await asyncio.to_thread(at.store.evaluation, request.id)
    if known and known.state.is_final:
        return f"{request.id} has ended already"
    if not await asyncio.to_thread(at.store.queued, request, claim(request)):
        return ALREADY
    await stop_replaced(at, request)
    if request.has_check_run:
        run = await at.repository.put_check_run(
            queued_report(at, request), known.check_run if known else 0
        )
        await asyncio.to_thread(at.store.check_run, request.id, run.id, False)
        if request.speaks_for_commit:
            await take_back_each(at, request)
    await asyncio.to_thread(at.jobs.submit_evaluation, request)
    return f"started {request.id}"


async def take_back_each(at: AtRepository, request: EvaluationRequest) -> None:
    """Let no requirement's check run of an earlier verdict pass for a commit that is to be judged again.

    The new verdict may know other requirements by the same ids: an edited title is enough.
    """
    records = await asyncio.to_thread(at.store.of_head, request.repository, request.head_sha)
    words, seen = check_words("judged_again"), set[str]()
    for record in (one for one in records if one.report_key and one.id != request.id):
        earlier = await asyncio.to_thread(at.store.request, record.id)
        try:
            kept = await at.verdicts.evaluation(earlier) if earlier else None
        except UserError:  # the report is gone, as after its retention
            continue
        if kept is None or kept.judgement is None or not kept.checks_each:
            continue  # as of an agent's patch with this commit: an older verdict may have some
        items = kept.judgement.requirements.items[:MOST_REQUIREMENT_CHECKS]
        for name in (requirement_check_name(one.id) for one in items):
            if name not in seen:
                seen.add(name)
                report = replace(queued_report(at, kept.request), name=name)
                again = completed(report, Conclusion.ACTION_REQUIRED, words)
                await at.repository.put_check_run(again)


async def stop_replaced(at: AtRepository, request: EvaluationRequest) -> None:
    """Cancel the open evaluations of the same pull request, or of the same commit without one."""
    replaced = await asyncio.to_thread(
        at.store.open_evaluations, request.repository, request.number
    )
    for record in replaced:
        same_subject = request.number or (request.head_sha and record.head_sha == request.head_sha)
        if record.id != request.id and same_subject:
            newer = record.head_sha != request.head_sha
            why = f"A newer commit was pushed: {request.head_sha[:12]}." if newer else _AGAIN
            await stop(at, record, why)


_AGAIN = "The same commit is judged again."


async def stop(at: AtRepository, record: EvaluationRecord, why: str) -> None:
    """Cancel one evaluation and complete its check run as cancelled.

    A stage of it may still be on its way to say that it goes on, so the sweep completes it once more.
    """
    await asyncio.to_thread(at.jobs.cancel, record.id, why)
    how = Ended(EvaluationState.CANCELLED, Conclusion.CANCELLED, title="Cancelled", problem=why)
    await asyncio.to_thread(at.store.ended, record.id, how)
    words = check_words("ended", superseded=True, why=why, next_step="")
    said = Conclusion.CANCELLED, words
    await close_check_run(at, record, said, is_last=False)
    if request := await asyncio.to_thread(at.store.request, record.id):
        await hide_running(at.repository, request)


async def stop_open(at: AtRepository, decision: Cancel) -> int:
    """Stop what is open for a pull request, or for a merge group's head; return how many were."""
    name = decision.place.repository
    records = await asyncio.to_thread(at.store.open_evaluations, name, decision.number)
    wanted = [one for one in records if decision.number or one.head_sha == decision.head_sha]
    for record in wanted:
        await stop(at, record, decision.why)
    return len(wanted)


def last_words(
    adapters: Adapters, record: EvaluationRecord, next_step: str = ""
) -> tuple[Conclusion, tuple[str, str]]:
    """Say how an evaluation ended, for a check run that did not hear it from the evaluation."""
    conclusion = Conclusion(record.conclusion) if record.conclusion else Conclusion.ACTION_REQUIRED
    if record.report_key:
        return conclusion, check_words("late", title=record.title, link=adapters.link(record.id))
    superseded = conclusion is Conclusion.CANCELLED
    return conclusion, check_words(
        "ended", superseded=superseded, why=record.problem, next_step=next_step
    )


async def close_check_run(
    at: AtRepository,
    record: EvaluationRecord,
    said: tuple[Conclusion, tuple[str, str]],
    *,
    is_last: bool = True,
) -> None:
    """Complete the check run of an evaluation that publishes none itself.

    Where something may still be said after that (not `is_last`), the sweep will do it again.
    """
    request = await asyncio.to_thread(at.store.request, record.id)
    if request is None or not request.has_check_run:
        return
    report = completed(queued_report(at, request), *said)
    run = await at.repository.put_check_run(report, record.check_run)
    await asyncio.to_thread(at.store.check_run, record.id, run.id, is_last)
    await shared_head(at).agree(request.head_sha, request.number)
