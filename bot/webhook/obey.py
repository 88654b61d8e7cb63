"""Do what a comment says, once it is sure that its author may."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.errors import Superseded, UserError
from bot.github import Reaction, Repository
from bot.store import Decision as Kept
from bot.templates import render_markdown
from bot.values import Trigger
from bot.webhook import rubrics
from bot.webhook.acceptances import accept
from bot.webhook.decisions import Cancel, Command, ObeyCommand, StartPullRequest
from bot.webhook.desk import Desk, reply_marker, stop_open
from bot.webhook.explaining import explain
from bot.webhook.grammar import first_id
from bot.webhook.head_verdict import judged, records_of, with_verdict
from bot.webhook.labelling import label
from bot.webhook.pauses import pause, resume
from bot.webhook.questions import ask
from bot.webhook.rubrics import RubricDesk
from bot.webhook.start import remember, request_for, start_pull_request

NO_WRITE_ACCESS = "<!-- assay:no write access -->"
"""One answer a conversation to people who may not command, however often they try."""

_Deed = Callable[[Desk, Repository, ObeyCommand, str], Awaitable[str]]
"""Does it for a delivery (its id comes last), and says so in a few words for the log."""
_Answer = Callable[[Desk, Repository, ObeyCommand, str], Awaitable[str]]
"""Returns the reply, empty where none is needed; the words of a UserError are the reply, too."""


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
    if answer := _ANSWERS.get(decision.command):
        return await _answered(answer, desk, repository, decision, delivery_id)
    return await _DEEDS[decision.command](desk, repository, decision, delivery_id)


async def _answered(
    answer: _Answer, desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str
) -> str:
    """Answer in the conversation, also where it cannot be done: with one sentence why."""
    done = "answered"
    try:
        body = await answer(desk, repository, decision, delivery_id)
    except UserError as error:
        done = f"refused: {error.what}"
        told = {"problem": error.what, "next_step": error.next_step}
        body = render_markdown("reply/refused.md.j2", **told)
    if body:
        await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return done


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


async def _rerun(
    desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str
) -> str:
    """Judge again, and say of a named requirement that it cannot be judged alone."""
    if not decision.words:
        await _judge(desk, repository, decision, delivery_id)
        return ""
    pull_request = await repository.pull_request(decision.number)
    records = await records_of(desk, repository, pull_request)
    requirement = first_id(decision.words)
    if with_verdict(records):
        found = await judged(desk, pull_request, records)
        requirement = found.requirement(requirement, "/judge rerun R1").id
    done = await _judge(desk, repository, decision, delivery_id)
    return render_markdown(
        "reply/rerun.md.j2",
        head=pull_request.head_sha,
        requirement=requirement,
        started=done.startswith("started"),
        done=done,
    )


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


async def _cancel(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    why = f"{decision.place.actor} asked for it with `/judge cancel`."
    stopped = await stop_open(desk, repository, Cancel(decision.place, decision.number, "", why))
    if stopped:
        await repository.react(decision.comment, Reaction.ROCKET)
    else:
        body = render_markdown("reply/nothing_to_cancel.md.j2")
        await repository.put_comment(decision.number, reply_marker(decision.comment), body)
    return f"cancelled {stopped}"


async def _draft_rubric(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    return await rubrics.draft(RubricDesk(desk.store, desk.rubrics), repository, decision)


async def _approve_rubric(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    return await rubrics.approve(RubricDesk(desk.store, desk.rubrics), repository, decision)


async def _help(_desk: Desk, _repository: Repository, _decision: ObeyCommand, _id: str) -> str:
    return render_markdown("reply/help.md.j2")


async def _not_understood(
    _desk: Desk, _repository: Repository, decision: ObeyCommand, _id: str
) -> str:
    return render_markdown("reply/not_understood.md.j2", line=decision.line)


_ANSWERS: dict[Command, _Answer] = {
    Command.HELP: _help,
    Command.UNKNOWN: _not_understood,
    Command.RUBRIC: _draft_rubric,
    Command.APPROVE_RUBRIC: _approve_rubric,
    Command.EXPLAIN: explain,
    Command.ASK: ask,
    Command.RERUN: _rerun,
    Command.AGREE: label,
    Command.DISAGREE: label,
    Command.PAUSE: pause,
    Command.RESUME: resume,
}
_DEEDS: dict[Command, _Deed] = {
    Command.JUDGE: _judge,
    Command.CANCEL: _cancel,
    Command.PLAN: _plan,
}
