"""Suggestions in a pull request: one review, found again by the marks in its comments."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass

from bot.github.base import AppInfo, Unprocessable
from bot.github.readings import read_comment
from bot.github.transport import JsonBody, Transport
from bot.values.conclusions import Review, Suggestion

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A pull request (its path below the API's root) at one commit, and the app that speaks of it."""

    root: str
    head_sha: str
    app: AppInfo


async def suggest(transport: Transport, about: Reviewed, review: Review) -> int:
    """Post what does not stand yet, and return how much that was; may be repeated after a crash.

    GitHub does not say which comment of a review it refuses, so a refused review is sent in halves.
    """
    standing = await _standing(transport, about)
    waiting = []
    for one in review.suggestions:
        if standing[one.mark] > 0:
            standing[one.mark] -= 1
        else:
            waiting.append(one)
    return await _post(transport, about, review.body, waiting) if waiting else 0


async def _standing(transport: Transport, about: Reviewed) -> Counter[str]:
    """The marks of the app's own comments whose lines have not changed since.

    The mark is the first line: what comes after it is partly the pull request's own text.
    """
    standing: Counter[str] = Counter()
    for reply in await transport.pages(f"{about.root}/comments"):
        comment = read_comment(reply, about.app)
        # GitHub gives no line to what is outdated: nobody can commit that any more.
        if comment.own and reply.integer("line"):
            standing[comment.body.partition("\n")[0].strip()] += 1
    return standing


async def _post(transport: Transport, about: Reviewed, body: str, waiting: list[Suggestion]) -> int:
    wanted: JsonBody = {
        "commit_id": about.head_sha,
        "event": "COMMENT",
        "body": body,
        "comments": [_comment(one) for one in waiting],
    }
    try:
        await transport.write("POST", f"{about.root}/reviews", wanted)
    except Unprocessable as refused:
        if len(waiting) == 1:
            log.warning("no suggestion on %s: %s", waiting[0].path, refused.what)
            return 0
        half = len(waiting) // 2
        posted = await _post(transport, about, body, waiting[:half])
        return posted + await _post(transport, about, body, waiting[half:])
    return len(waiting)


def _comment(one: Suggestion) -> JsonBody:
    place: JsonBody = {"path": one.path, "line": one.last, "side": "RIGHT"}
    if one.first < one.last:
        place |= {"start_line": one.first, "start_side": "RIGHT"}
    return {**place, "body": f"{one.mark}\n{one.body}"}
