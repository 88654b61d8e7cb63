"""Finds what a missed webhook left behind: GitHub does not redeliver by itself."""

from __future__ import annotations

from bot.github.addresses import segment
from bot.github.base import AppInfo, PullRequest
from bot.github.readings import read_pull_request
from bot.github.transport import Transport

MOST_CHECKED = 100  # one request each; the latest updated come first


async def unchecked_pull_requests(
    transport: Transport, root: str, check_name: str, app: AppInfo
) -> tuple[PullRequest, ...]:
    """Open, non-draft pull requests whose head has no check run of this app, latest updated first."""
    replies = await transport.pages(f"{root}/pulls", state="open", sort="updated", direction="desc")
    waiting = [read_pull_request(reply) for reply in replies]
    unchecked = []
    for pull_request in [pull for pull in waiting if not pull.draft][:MOST_CHECKED]:
        reply = await transport.get(
            f"{root}/commits/{segment(pull_request.head_sha)}/check-runs",
            check_name=check_name,
            app_id=app.id,
            per_page=1,
        )
        if not reply.items("check_runs"):
            unchecked.append(pull_request)
    return tuple(unchecked)
