"""Look for what was missed: GitHub does not send a lost webhook again."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from bot.errors import UserError
from bot.steps import StepRunner
from bot.store import Artifacts, EvaluationState
from bot.values import Trigger
from bot.webhook.adapters import Adapters, close_check_run, last_words
from bot.webhook.decisions import Place, StartPullRequest
from bot.webhook.start import start_pull_request

log = logging.getLogger(__name__)

ON_ITS_WAY_S = 15.0
RECENT = 500
DELIVERY = "sweep"
"""Stands for the delivery in the ids, so that a head is swept up once."""


async def sweep(adapters: Adapters, run: StepRunner) -> None:
    """Judge open pull requests whose head has no check run; close check runs left open."""
    await run("hand over", hand_over, adapters)
    await run("close check runs", close_dangling, adapters)
    for place in await run("list repositories", repositories, adapters):
        await run(f"sweep {place.repository}", sweep_repository, adapters, place)


async def hand_over(adapters: Adapters, on_its_way_s: float = ON_ITS_WAY_S) -> int:
    """Give the engine what was recorded and never reached it: a crash in between loses nothing.

    What is recorded just now is still on its way. Returns how many were looked at.
    """
    oldest_s = time.time() - on_its_way_s
    records = await asyncio.to_thread(adapters.store.recent, RECENT)
    waiting = [
        one for one in records if one.state is EvaluationState.QUEUED and one.created_s < oldest_s
    ]
    for record in waiting:
        request = await asyncio.to_thread(adapters.store.request, record.id)
        if request is not None:  # an id that the engine knows is not started again
            await asyncio.to_thread(adapters.jobs.submit_evaluation, request)
    return len(waiting)


async def repositories(adapters: Adapters) -> tuple[Place, ...]:
    """List where the App is installed and not suspended."""
    places: list[Place] = []
    for installation in await adapters.github.installations():
        if installation.suspended:
            continue
        names = await adapters.github.installation_repositories(installation.id)
        places += [Place(name, installation.id, actor="") for name in names]
    return tuple(places)


async def sweep_repository(adapters: Adapters, place: Place) -> int:
    """Start what was missed in one repository; return how many were looked at."""
    try:
        async with adapters.at(place.repository, place.installation, DELIVERY) as at:
            missed = await at.repository.unchecked_pull_requests(adapters.check_name)
            for pull_request in missed:
                start = StartPullRequest(
                    place, pull_request.number, pull_request.head_sha, Trigger.SWEEP
                )
                done = await start_pull_request(at, start)
                log.info("swept %s#%d: %s", place.repository, pull_request.number, done)
    except UserError as error:
        log.warning("%s cannot be swept: %s", place.repository, error)
        return 0
    return len(missed)


async def close_dangling(adapters: Adapters, on_its_way_s: float = ON_ITS_WAY_S) -> int:
    """Complete the check runs of evaluations that ended while GitHub was away; return how many.

    An evaluation that ended just now is about to complete its own, with all that it has to say.
    """
    newest_s = time.time() - on_its_way_s
    unfinished = await asyncio.to_thread(adapters.store.unfinished_check_runs)
    dangling = [record for record in unfinished if record.updated_s < newest_s]
    for record in dangling:
        try:
            said = last_words(adapters, record)
            async with adapters.at(record.repository, record.installation) as at:
                await close_check_run(at, record, said)
        except UserError as error:
            log.warning("the check run of %s stays open: %s", record.id, error)
    return len(dangling)


def forget_old(
    adapters: Adapters,
    artifacts: Artifacts,
    prune_jobs: Callable[[float], int],
    older_than_s: float,
) -> int:
    """Delete records, reports and jobs that ended before a Unix time; return how many reports."""
    keys = adapters.store.prune(older_than_s)
    for key in keys:
        artifacts.delete(key)
    while prune_jobs(older_than_s):
        pass
    return len(keys)
