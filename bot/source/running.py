"""The line on Assay's comment that says what is being judged, while the last verdict stays readable."""

from __future__ import annotations

import logging

from bot.errors import UserError
from bot.github import Repository
from bot.report.markdown import marker, with_status, without_status
from bot.templates import render_markdown
from bot.values import EvaluationRequest

log = logging.getLogger(__name__)


async def show_running(
    repository: Repository, request: EvaluationRequest, home: str, link: str
) -> None:
    """Say on the comment that a commit is being judged; without a comment nothing is said."""
    commit = f"{home}/commit/{request.head_sha}" if home else ""
    text = render_markdown("check/judging.md.j2", sha=request.head_sha, commit=commit, link=link)
    if body := await _comment(repository, request):
        await _put(repository, request, body, with_status(body, request.id, text))


async def hide_running(repository: Repository, request: EvaluationRequest) -> None:
    """Take the line back that this evaluation put there, where it ended without a new comment.

    A comment that cannot be changed any more (a locked conversation) is left as it is.
    """
    try:
        if body := await _comment(repository, request):
            await _put(repository, request, body, without_status(body, request.id))
    except UserError as error:
        log.warning("the comment still says that %s is judged: %s", request.id, error.what)


async def _comment(repository: Repository, request: EvaluationRequest) -> str:
    if not request.number:
        return ""
    mark = marker(request)
    for comment in await repository.comments(request.number):
        if comment.own and mark in comment.body:
            return comment.body
    return ""


async def _put(repository: Repository, request: EvaluationRequest, body: str, changed: str) -> None:
    if changed != body:
        await repository.put_comment(request.number, marker(request), changed)
