"""Carry a delivery out: decide purely, then do it as one step that may be repeated."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.errors import UserError
from bot.github import Repository
from bot.source.shared_head import hide_running
from bot.steps import Ending, EndKind, StepRunner
from bot.store import Ended, EvaluationState
from bot.templates import check_words
from bot.values import Conclusion, Delivery, EvaluationRequest
from bot.webhook.acceptances import accept_unverified
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Cancel,
    Decision,
    ExplainVerdict,
    Ignore,
    KeepReverts,
    ObeyCommand,
    RefusePatch,
    Rerun,
    StartMergeGroup,
    StartPatch,
    StartPullRequest,
)
from bot.webhook.desk import Desk, close_check_run, last_words, shared_head, stop_open
from bot.webhook.head_verdict import explain_all
from bot.webhook.labelling import keep_merge, keep_pushed_reverts, keep_revert
from bot.webhook.obey import obey
from bot.webhook.registry import decide
from bot.webhook.start import (
    approve_and_run,
    refuse_patch,
    rerun,
    start_merge_group,
    start_patch,
    start_pull_request,
)

log = logging.getLogger(__name__)


async def handle(desk: Desk, delivery: Delivery, run: StepRunner) -> None:
    """Carry one delivery out. Raises `Transient` when the outside stayed away for too long."""
    decision = decide(delivery)
    if isinstance(decision, Ignore):
        log.info("%s %s %s: %s", delivery.id, delivery.event, delivery.action, decision.reason)
        return
    done = await run("carry out", carry_out, desk, decision, delivery.id)
    log.info("%s %s %s: %s", delivery.id, delivery.event, delivery.action, done)


async def carry_out(desk: Desk, decision: Decision, delivery_id: str) -> str:
    """Do what was decided and say it in a few words for the log; twice is done once."""
    if isinstance(decision, Ignore):
        return decision.reason
    place = decision.place
    try:
        async with desk.github.repository(place.repository, place.installation) as repository:
            return await _DEEDS[type(decision)](desk, repository, decision, delivery_id)
    except UserError as error:
        # Nobody to tell: without access there is no place to say it but the log.
        log.warning("%s: GitHub refused: %s", delivery_id, error)
        return f"refused: {error.what}"


async def ended(desk: Desk, request: EvaluationRequest, ending: Ending) -> None:
    """Make visible that an evaluation ended without a publication: on its page and its check run."""
    superseded = ending.kind is EndKind.SUPERSEDED
    conclusion = Conclusion.CANCELLED if superseded else Conclusion.ACTION_REQUIRED
    title, _ = check_words("ended", superseded=superseded, why="", next_step="")
    state = EvaluationState.CANCELLED if superseded else EvaluationState.FAILED
    desk.store.ended(request.id, Ended(state, conclusion, title, ending.why))
    record = desk.store.evaluation(request.id)
    if record is None or record.check_run_finished:
        return
    said = last_words(desk, record, ending.next_step)
    async with desk.github.repository(request.repository, request.installation) as repository:
        await close_check_run(desk, repository, record, said)
        await hide_running(repository, request)


async def cancel(desk: Desk, repository: Repository, decision: Cancel, _delivery_id: str) -> str:
    """Stop what is open for a pull request, or for a merge group's head."""
    if decision.is_merged:
        await keep_merge(desk, repository, decision)
    cancelled = await stop_open(desk, repository, decision)
    if decision.number:  # a closed one counts no more
        await shared_head(desk, repository).agree(decision.head_sha, decision.number)
    if decision.is_merged:
        await keep_revert(desk, repository, decision)
    return f"cancelled {cancelled}"


_DEEDS: dict[type, Callable[[Desk, Repository, Any, str], Awaitable[str]]] = {
    StartPullRequest: start_pull_request,
    StartMergeGroup: start_merge_group,
    StartPatch: start_patch,
    RefusePatch: refuse_patch,
    ObeyCommand: obey,
    Cancel: cancel,
    KeepReverts: keep_pushed_reverts,
    Rerun: rerun,
    Approve: approve_and_run,
    AcceptUnverified: accept_unverified,
    ExplainVerdict: explain_all,
}
