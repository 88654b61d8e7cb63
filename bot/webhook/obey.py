"""Do what a comment says, once it is sure that its author may."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from bot.configuration import effective, refusal
from bot.errors import Superseded, UserError
from bot.github import Reaction
from bot.source.repository import branch_layer, policy_context
from bot.templates import render_markdown
from bot.values import Pause, Question, Trigger
from bot.webhook import rubrics
from bot.webhook.acceptances import accept
from bot.webhook.adapters import AtRepository, stop_open
from bot.webhook.decisions import Cancel, JudgeCommand, ObeyCommand, StartPullRequest
from bot.webhook.grammar import first_id
from bot.webhook.head_verdict import explain, judged, judged_head, records_of, with_verdict
from bot.webhook.labelling import label
from bot.webhook.start import request_for, start_pull_request
from bot.webhook.when import Before, judged_before

NO_WRITE_ACCESS = "<!-- assay:no write access -->"
"""One answer a conversation to people who may not command, however often they try."""
_OVERTAKEN = "A newer `/judge pause` or `/judge resume` counts."

_Deed = Callable[[AtRepository, ObeyCommand], Awaitable[str]]


async def obey(at: AtRepository, decision: ObeyCommand) -> str:
    """Ask for the permission first, show that the command was seen, then do it."""
    permission = await at.repository.permission(decision.place.actor)
    if not permission.can_write:
        await at.repository.react(decision.comment, Reaction.CONFUSED)
        body = render_markdown(
            "reply/no_write_access.md.j2", on_pull_request=decision.on_pull_request
        )
        await at.repository.put_comment(decision.number, NO_WRITE_ACCESS, body)
        return "the commander may not write"
    await at.repository.react(decision.comment, Reaction.EYES)
    if decision.command in (JudgeCommand.ACCEPT, JudgeCommand.OVERRIDE):
        told = await accept(at, decision, permission)
        if told:
            await _reply(at, decision, render_markdown("reply/acceptance.md.j2", lines=told))
        return "; ".join(told) or "accepted"
    if answer := _ANSWERS.get(decision.command):
        done = "answered"
        try:
            body = await answer(at, decision)
        except UserError as error:  # the conversation is told in one sentence why
            done = f"refused: {error.what}"
            body = render_markdown(
                "reply/refused.md.j2", problem=error.what, next_step=error.next_step
            )
        if body:
            await _reply(at, decision, body)
        return done
    return await _DEEDS[decision.command](at, decision)


async def _reply(at: AtRepository, decision: ObeyCommand, body: str) -> None:
    """Answer a comment by one of ours; handled again, the answer is put in place."""
    marker = f"<!-- assay:reply to {decision.comment:d} -->"
    await at.repository.put_comment(decision.number, marker, body)


async def _judge(at: AtRepository, decision: ObeyCommand) -> str:
    """Judge the newest head; that somebody with write access asks for it is an approval."""
    pull_request, place = await at.repository.pull_request(decision.number), decision.place
    head = (decision.number, pull_request.head_sha)
    await asyncio.to_thread(at.store.approve_head, place.repository, head, place.actor)
    start = StartPullRequest(place, *head, Trigger.COMMAND)
    done = await start_pull_request(at, start)
    await at.repository.react(decision.comment, Reaction.ROCKET)
    return done


async def _rerun(at: AtRepository, decision: ObeyCommand) -> str:
    """Judge again, and say of a named requirement that it cannot be judged alone."""
    if not decision.words:
        await _judge(at, decision)
        return ""
    pull_request = await at.repository.pull_request(decision.number)
    records = await records_of(at, pull_request)
    requirement = first_id(decision.words)
    if with_verdict(records):
        found = await judged(at, pull_request, records)
        requirement = found.requirement(requirement, "/judge rerun R1").id
    done = await _judge(at, decision)
    return render_markdown(
        "reply/rerun.md.j2",
        head=pull_request.head_sha,
        requirement=requirement,
        started=done.startswith("started"),
        done=done,
    )


async def _plan(at: AtRepository, decision: ObeyCommand) -> str:
    """Answer with the plan and its price, or with one sentence why there is none."""
    pull_request = await at.repository.pull_request(decision.number)
    start = StartPullRequest(
        decision.place, decision.number, pull_request.head_sha, Trigger.COMMAND
    )
    forecast, problem, next_step = None, "", ""
    try:
        forecast = await at.foresee(request_for(at, pull_request, start))
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
    await _reply(at, decision, body)
    return f"no plan: {problem}" if problem else "planned"


async def _cancel(at: AtRepository, decision: ObeyCommand) -> str:
    why = f"{decision.place.actor} asked for it with `/judge cancel`."
    stopped = await stop_open(at, Cancel(decision.place, decision.number, "", why))
    if stopped:
        await at.repository.react(decision.comment, Reaction.ROCKET)
    else:
        await _reply(at, decision, render_markdown("reply/nothing_to_cancel.md.j2"))
    return f"cancelled {stopped}"


async def _told(template: str, _at: AtRepository, decision: ObeyCommand) -> str:
    return render_markdown(template, line=decision.line)


# --- `/judge ask …`: answered by a model from what was kept ------------------------------------------


async def ask(at: AtRepository, decision: ObeyCommand) -> str:
    """Return the answer, paid from the pull request's budget. Raises UserError where there is none."""
    if not at.verdicts.has_model:
        raise UserError(
            "No model is set, so nobody can answer.",
            "`/judge explain R1` answers without one, from what was kept.",
        )
    if not decision.words:
        raise UserError("Ask something: `/judge ask <question>`.")
    found = await judged_head(at, decision.number)
    base_ref = found.pull_request.base_ref
    opened = partial(at.github.repository, installation=decision.place.installation)
    context = await policy_context(opened, at.repository.name, base_ref)
    held = effective(await branch_layer(at.repository, base_ref), context)
    if held.problem:
        raise refusal(held.problem)
    question = Question(decision.words, decision.comment, held.configuration.limits.usd)
    return render_markdown(
        "reply/answered.md.j2",
        answered=await at.verdicts.answer(found.request, question),
        head=found.request.head_sha,
        link=at.link(found.request.id),
        again=found.is_judged_again,
    )


# --- `/judge pause` and `/judge resume`: the newest comment counts, in whatever order they come ------


async def pause(at: AtRepository, decision: ObeyCommand) -> str:
    """Pause a pull request and return the reply; what runs goes on."""
    said = Pause(True, decision.place.actor, decision.comment)
    await _keep(at, decision, said)
    running = await asyncio.to_thread(
        at.store.open_evaluations, at.repository.name, decision.number
    )
    return render_markdown("reply/paused.md.j2", actor=said.actor, running=bool(running))


async def resume(at: AtRepository, decision: ObeyCommand) -> str:
    """Resume a pull request, judge its newest commit unless that has a verdict, and return the reply."""
    before = await asyncio.to_thread(at.store.pause_of, at.repository.name, decision.number)
    if before is None or not (before.is_paused or before.comment == decision.comment):
        raise UserError("This pull request is not paused.", "`/judge` judges it.")
    await _keep(at, decision, Pause(False, decision.place.actor, decision.comment))
    pull_request = await at.repository.pull_request(decision.number)
    start = StartPullRequest(
        decision.place, decision.number, pull_request.head_sha, Trigger.RESUMED
    )
    request = request_for(at, pull_request, start)
    known = await judged_before(at, request)
    started = False
    if known not in (Before.JUDGED, Before.RUNNING):
        done = await start_pull_request(at, start)
        started = done.startswith("started")
    return render_markdown(
        "reply/resumed.md.j2", head=pull_request.head_sha, started=started, known=known.value
    )


async def _keep(at: AtRepository, decision: ObeyCommand, said: Pause) -> None:
    """Raises UserError where somebody said something newer."""
    counts = await asyncio.to_thread(at.store.keep_pause, at.repository.name, decision.number, said)
    if not counts:
        raise UserError(_OVERTAKEN)


_ANSWERS: dict[JudgeCommand, _Deed] = {
    JudgeCommand.HELP: partial(_told, "reply/help.md.j2"),
    JudgeCommand.UNKNOWN: partial(_told, "reply/not_understood.md.j2"),
    JudgeCommand.RUBRIC: rubrics.draft,
    JudgeCommand.APPROVE_RUBRIC: rubrics.approve,
    JudgeCommand.EXPLAIN: explain,
    JudgeCommand.ASK: ask,
    JudgeCommand.RERUN: _rerun,
    JudgeCommand.AGREE: label,
    JudgeCommand.DISAGREE: label,
    JudgeCommand.PAUSE: pause,
    JudgeCommand.RESUME: resume,
}
"""Return the reply, empty where none is needed; the words of a UserError are the reply, too."""
_DEEDS: dict[JudgeCommand, _Deed] = {
    JudgeCommand.JUDGE: _judge,
    JudgeCommand.CANCEL: _cancel,
    JudgeCommand.PLAN: _plan,
}
"""Say what was done in a few words for the log."""
