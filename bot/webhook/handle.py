"""Carry a delivery out: decide purely, then do it as one step that may be repeated."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from bot.errors import Superseded, UserError
from bot.github import Reaction, Repository
from bot.source.shared_head import hide_running
from bot.steps import Ending, EndKind, StepRunner
from bot.store import Decision as Kept
from bot.store import Ended, EvaluationState
from bot.templates import render_markdown
from bot.values import Conclusion, Delivery, EvaluationRequest, Trigger
from bot.webhook import rubrics
from bot.webhook.acceptances import accept, accept_unverified
from bot.webhook.decisions import (
    AcceptUnverified,
    Approve,
    Cancel,
    Command,
    Decision,
    Ignore,
    ObeyCommand,
    RefusePatch,
    Rerun,
    StartMergeGroup,
    StartPatch,
    StartPullRequest,
)
from bot.webhook.desk import Desk, check_words, close_check_run, last_words, shared_head, stop
from bot.webhook.registry import decide
from bot.webhook.rubrics import RubricDesk
from bot.webhook.start import (
    approve_and_run,
    remember,
    request_for,
    rerun,
    start_merge_group,
    start_pull_request,
)
from bot.webhook.start_patch import refuse_patch, start_patch

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
    words = last_words(desk, record, ending.next_step)
    async with desk.github.repository(request.repository, request.installation) as repository:
        await close_check_run(desk, repository, record, *words)
        await hide_running(repository, request)


# --- do what a comment says, once it is sure that its author may ----------------------------------


_RubricDeed = Callable[[RubricDesk, Repository, ObeyCommand], Awaitable[str]]
_RUBRIC_DEEDS: dict[Command, _RubricDeed] = {
    Command.RUBRIC: rubrics.draft,
    Command.APPROVE_RUBRIC: rubrics.approve,
}


NO_WRITE_ACCESS = "<!-- assay:no write access -->"
"""One answer a conversation to people who may not command, however often they try."""


def reply_marker(command: int) -> str:
    """Return the hidden marker of the reply to one comment: handled again, it is put in place."""
    return f"<!-- assay:reply to {command:d} -->"


async def obey(desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str) -> str:
    """Ask for the permission first, show that the command was seen, then do it."""
    permission = await repository.permission(decision.place.actor)
    if not permission.can_write:
        await repository.react(decision.comment, Reaction.CONFUSED)
        body = render_markdown(
            "reply/no_write_access.md.j2", on_pull_request=decision.on_pull_request
        )
        await repository.put_comment(decision.number, NO_WRITE_ACCESS, body)
        return "the commander may not write"
    await repository.react(decision.comment, Reaction.EYES)
    if decision.command in (Command.ACCEPT, Command.OVERRIDE):
        told = await accept(desk, repository, decision, permission)
        if told:
            body = render_markdown("reply/acceptance.md.j2", lines=told)
            await repository.put_comment(decision.number, reply_marker(decision.comment), body)
        return "; ".join(told) or "accepted"
    return await _obey(desk, repository, decision, delivery_id)


async def _obey(desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str) -> str:
    match decision.command:
        case Command.JUDGE:
            return await _judge(desk, repository, decision, delivery_id)
        case Command.CANCEL:
            return await _cancel(desk, repository, decision)
        case Command.PLAN:
            return await _plan(desk, repository, decision, delivery_id)
        case Command.RUBRIC | Command.APPROVE_RUBRIC as command:
            return await _rubric(desk, repository, decision, _RUBRIC_DEEDS[command])
        case Command.HELP | Command.UNKNOWN as command:
            is_wrong = command is Command.UNKNOWN
            return await _help(repository, decision, decision.line if is_wrong else "")
        case Command.ACCEPT | Command.OVERRIDE:
            raise AssertionError("people's decisions are carried out before")


async def _judge(
    desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str
) -> str:
    """Judge the newest head; that somebody with write access asks for it is an approval."""
    pull_request = await repository.pull_request(decision.number)
    head = (decision.number, pull_request.head_sha)
    await remember(desk, decision.place, Kept.APPROVED, head)
    start = StartPullRequest(decision.place, *head, Trigger.COMMAND)
    done = await start_pull_request(desk, repository, start, delivery_id)
    await repository.react(decision.comment, Reaction.ROCKET)
    return done


async def _plan(desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str) -> str:
    """Answer with the plan and its price, or with one sentence why there is none."""
    pull_request = await repository.pull_request(decision.number)
    start = StartPullRequest(
        decision.place, decision.number, pull_request.head_sha, Trigger.COMMAND
    )
    forecast, problem, next_step = None, "", ""
    try:
        forecast = await desk.foresee(request_for(pull_request, start, delivery_id))
    except UserError as error:
        problem, next_step = error.what, error.next_step
    except Superseded as error:
        problem = error.by
    body = render_markdown(
        "reply/plan.md.j2",
        forecast=forecast,
        head=pull_request.head_sha,
        problem=problem,
        next_step=next_step,
    )
    await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return f"no plan: {problem}" if problem else "planned"


async def _cancel(desk: Desk, repository: Repository, decision: ObeyCommand) -> str:
    why = f"{decision.place.actor} asked for it with `/judge cancel`."
    stopped = await _stop_all(desk, repository, Cancel(decision.place, decision.number, "", why))
    if stopped:
        await repository.react(decision.comment, Reaction.ROCKET)
    else:
        body = render_markdown("reply/nothing_to_cancel.md.j2")
        await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return f"cancelled {stopped}"


async def _rubric(
    desk: Desk, repository: Repository, decision: ObeyCommand, deed: _RubricDeed
) -> str:
    """Answer in the conversation, also where it cannot be done: with one sentence why."""
    done = "answered"
    try:
        body = await deed(RubricDesk(desk.store, desk.rubrics), repository, decision)
    except UserError as error:
        done = f"refused: {error.what}"
        told = {"problem": error.what, "next_step": error.next_step}
        body = render_markdown("reply/rubric_refused.md.j2", **told)
    await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return done


async def _help(repository: Repository, decision: ObeyCommand, line: str) -> str:
    body = render_markdown("reply/help.md.j2", line=line)
    await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return "helped"


async def cancel(desk: Desk, repository: Repository, decision: Cancel, _delivery_id: str) -> str:
    """Stop what is open for a pull request, or for a merge group's head."""
    cancelled = await _stop_all(desk, repository, decision)
    if decision.number:  # a closed one counts no more
        await shared_head(desk, repository).agree(decision.head_sha, decision.number)
    return f"cancelled {cancelled}"


async def _stop_all(desk: Desk, repository: Repository, decision: Cancel) -> int:
    name = decision.place.repository
    records = await asyncio.to_thread(desk.store.open_evaluations, name, decision.number)
    wanted = [one for one in records if decision.number or one.head_sha == decision.head_sha]
    for record in wanted:
        await stop(desk, repository, record, decision.why)
    return len(wanted)


_DEEDS: dict[type, Callable[[Desk, Repository, Any, str], Awaitable[str]]] = {
    StartPullRequest: start_pull_request,
    StartMergeGroup: start_merge_group,
    StartPatch: start_patch,
    RefusePatch: refuse_patch,
    ObeyCommand: obey,
    Cancel: cancel,
    Rerun: rerun,
    Approve: approve_and_run,
    AcceptUnverified: accept_unverified,
}
