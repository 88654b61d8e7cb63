"""Reviews of pull requests: comments on lines that the diff shows, with suggestions in them."""

from __future__ import annotations

import time

from flask import Blueprint, Response

from bot.demo.forge import git, review_shapes
from bot.demo.forge.api_issues import LONGEST_BODY, issue_at
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of
from bot.demo.forge.errors import Refused, not_found
from bot.demo.forge.rows import IssueRow, PullPart, ReviewCommentRow, ReviewRow
from bot.text.json_reading import Payload

routes = Blueprint("reviews", __name__)
ROOT = "/repos/<owner>/<repo>/pulls/<int:number>"


@routes.post(f"{ROOT}/reviews", endpoint="pulls/create-review")
def review_created(owner: str, repo: str, number: int) -> Response:
    """Submits a review that comments. One comment that is not on the diff refuses the whole of it."""
    at, forge, wishes = granted(owner, repo, "pull_requests:write"), context(), body()
    row, pull = _pull_at(at, number)
    is_blank = not 0 < len(wishes.text("body").strip()) <= LONGEST_BODY
    if wishes.text("event") != "COMMENT" or is_blank:
        raise _refused("Review Can not be blank; this server takes comments only")
    commit = wishes.text("commit_id") or pull.head_sha
    if not git.has_commit(forge.state, row.repository, commit):
        raise _refused("Commit is not part of the pull request")
    comments = wishes.items("comments")
    for one in comments:
        _check(row, pull, one)
    with forge.state.change():
        review = ReviewRow(
            forge.state.next_id(),
            row.repository,
            number,
            at.principal.name,
            wishes.text("body"),
            commit,
            time.time(),
        )
        forge.state.put(review.id, review)
        for one in comments:
            comment = _comment(forge.state.next_id(), review, one)
            forge.state.put(comment.id, comment)
    return answer(review_shapes.review(forge.shapes, review))


@routes.get(f"{ROOT}/reviews", endpoint="pulls/list-reviews")
def reviews_listed(owner: str, repo: str, number: int) -> Response:
    """The reviews of a pull request, oldest first."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, _ = _pull_at(at, number)
    rows = [one for one in forge.state.all(ReviewRow) if one.number == number]
    mine = [one for one in rows if one.repository == row.repository]
    return page_of([review_shapes.review(forge.shapes, one) for one in mine])


@routes.get(f"{ROOT}/comments", endpoint="pulls/list-review-comments")
def review_comments_listed(owner: str, repo: str, number: int) -> Response:
    """The comments on lines of a pull request; one whose lines were changed since has no line."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, pull = _pull_at(at, number)
    return page_of(
        [
            review_shapes.review_comment(forge.shapes, one, _stands_at(one, pull))
            for one in forge.state.review_comments(row.repository, number)
        ]
    )


def _pull_at(at: Granted, number: int) -> tuple[IssueRow, PullPart]:
    row = issue_at(at, number)
    if row.pull is None:
        raise not_found()
    return row, row.pull


def _check(row: IssueRow, pull: PullPart, wanted: Payload) -> None:
    """422 unless the lines stand in one hunk of the diff, as GitHub wants it."""
    path, line = wanted.text("path"), wanted.integer("line")
    start = wanted.integer("start_line") or line
    shown = git.shown_lines(context().state, row.repository, pull, path)
    if not shown:
        raise _refused("Path could not be resolved")
    if start > line or wanted.text("side") != "RIGHT":
        raise _refused("Start line must precede the end line.")
    if not any(start in hunk and line in hunk for hunk in shown):
        raise _refused("Line could not be resolved")
    if not 0 < len(wanted.text("body").strip()) <= LONGEST_BODY:
        raise _refused("Body can't be blank, and has at most 65536 characters")


def _refused(why: str) -> Refused:
    return Refused(422, f"Unprocessable Entity: {why}")


def _comment(number: int, review: ReviewRow, wanted: Payload) -> ReviewCommentRow:
    return ReviewCommentRow(
        id=number,
        review=review.id,
        repository=review.repository,
        number=review.number,
        author=review.author,
        body=wanted.text("body"),
        path=wanted.text("path"),
        line=wanted.integer("line"),
        start_line=wanted.integer("start_line"),
        commit_id=review.commit_id,
        created_at_s=review.submitted_at_s,
    )


def _stands_at(row: ReviewCommentRow, pull: PullPart) -> int:
    """Where the last line stands now, if none of the comment's lines was changed; else 0."""
    state, now = context().state, 0
    for line in range(row.start_line or row.line, row.line + 1):
        now = git.line_now(state, row, pull.head_sha, line)
        if not now:
            return 0
    return now
