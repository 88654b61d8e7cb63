"""`/judge pause` and `/judge resume`: pushes to a pull request start nothing while it is paused.

The newest comment counts, in whatever order its webhooks come, and however often.
"""

from __future__ import annotations

import asyncio

from bot.errors import UserError
from bot.github import Repository
from bot.templates import render_markdown
from bot.values import Pause, Trigger
from bot.webhook.decisions import ObeyCommand, StartPullRequest
from bot.webhook.desk import Desk
from bot.webhook.start import request_for, start_pull_request
from bot.webhook.when import Before, judged_before

_OVERTAKEN = "A newer `/judge pause` or `/judge resume` counts."


async def pause(
    desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str
) -> str:
    """Pause a pull request and return the reply; what runs goes on."""
    said = Pause(True, decision.place.actor, decision.comment)
    await _keep(desk, repository, decision, said)
    running = await asyncio.to_thread(desk.store.open_evaluations, repository.name, decision.number)
    return render_markdown("reply/paused.md.j2", actor=said.actor, running=bool(running))


async def resume(
    desk: Desk, repository: Repository, decision: ObeyCommand, delivery_id: str
) -> str:
    """Resume a pull request, judge its newest commit unless that has a verdict, and return the reply."""
    before = await asyncio.to_thread(desk.store.pause_of, repository.name, decision.number)
    if before is None or not (before.is_paused or before.comment == decision.comment):
        raise UserError("This pull request is not paused.", "`/judge` judges it.")
    await _keep(desk, repository, decision, Pause(False, decision.place.actor, decision.comment))
    pull_request = await repository.pull_request(decision.number)
    start = StartPullRequest(
        decision.place, decision.number, pull_request.head_sha, Trigger.RESUMED
    )
    request = request_for(pull_request, start, delivery_id)
    known = await judged_before(desk, repository, request)
    started = False
    if known not in (Before.JUDGED, Before.RUNNING):
        done = await start_pull_request(desk, repository, start, delivery_id)
        started = done.startswith("started")
    return render_markdown(
        "reply/resumed.md.j2", head=pull_request.head_sha, started=started, known=known.value
    )


async def _keep(desk: Desk, repository: Repository, decision: ObeyCommand, said: Pause) -> None:
    """Raises UserError where somebody said something newer."""
    counts = await asyncio.to_thread(desk.store.keep_pause, repository.name, decision.number, said)
    if not counts:
        raise UserError(_OVERTAKEN)
