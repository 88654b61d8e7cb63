"""Carry a delivery out: decide purely, then do it as one step that may be repeated."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.errors import UserError
from bot.source.shared_head import hide_running
from bot.steps import Ending, EndKind, StepRunner
from bot.store import Ended, EvaluationState
from bot.templates import check_words
from bot.values import Conclusion, Delivery, EvaluationRequest
from bot.webhook.acceptances import accept_unverified
from bot.webhook.adapters import (
    Adapters,
    AtRepository,
    close_check_run,
    last_words,
    shared_head,
    stop_open,
)
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Cancel,
    Deed,
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
from bot.webhook.events import decide
from bot.webhook.head_verdict import explain_all
from bot.webhook.labelling import keep_merge, keep_pushed_reverts, keep_revert
from bot.webhook.obey import obey
from bot.webhook.start import (
    approve_and_run,
    refuse_patch,
    rerun,
    start_merge_group,
    start_patch,
    start_pull_request,
)

log = logging.getLogger(__name__)


async def handle(adapters: Adapters, delivery: Delivery, run: StepRunner) -> None:
    """Carry one delivery out. Raises `Transient` when the outside stayed away for too long."""
    decision = decide(delivery)
    if isinstance(decision, Ignore):
        log.info("%s %s %s: %s", delivery.id, delivery.event, delivery.action, decision.reason)
        return
    done = await run("carry out", carry_out, adapters, decision, delivery.id)
    log.info("%s %s %s: %s", delivery.id, delivery.event, delivery.action, done)


async def carry_out(adapters: Adapters, decision: Deed, delivery_id: str) -> str:
    """Do what was decided and say it in a few words for the log; twice is done once."""
    place = decision.place
    try:
        async with adapters.at(place.repository, place.installation, delivery_id) as at:
            return await _DEEDS[type(decision)](at, decision)
    except UserError as error:
        # Nobody to tell: without access there is no place to say it but the log.
        log.warning("%s: GitHub refused: %s", delivery_id, error)
        return f"refused: {error.what}"


async def ended(adapters: Adapters, request: EvaluationRequest, ending: Ending) -> None:
    """Make visible that an evaluation ended without a publication: on its page and its check run."""
    superseded = ending.kind is EndKind.SUPERSEDED
    conclusion = Conclusion.CANCELLED if superseded else Conclusion.ACTION_REQUIRED
    title, _ = check_words("ended", superseded=superseded, why="", next_step="")
    state = EvaluationState.CANCELLED if superseded else EvaluationState.FAILED
    adapters.store.ended(request.id, Ended(state, conclusion, title, ending.why))
    record = adapters.store.evaluation(request.id)
    if record is None or record.check_run_finished:
        return
    said = last_words(adapters, record, ending.next_step)
    async with adapters.at(request.repository, request.installation) as at:
        await close_check_run(at, record, said)
        await hide_running(at.repository, request)


async def cancel(at: AtRepository, decision: Cancel) -> str:
    """Stop what is open for a pull request, or for a merge group's head."""
    if decision.is_merged:
        await keep_merge(at, decision)
    cancelled = await stop_open(at, decision)
    if decision.number:  # a closed one counts no more
        await shared_head(at).agree(decision.head_sha, decision.number)
    if decision.is_merged:
        await keep_revert(at, decision)
    return f"cancelled {cancelled}"


_DEEDS: dict[type, Callable[[AtRepository, Any], Awaitable[str]]] = {
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
