"""Reviews of pull requests: comments on lines that the diff shows, with suggestions in them."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from flask import Blueprint, Response

from bot.demo.forge import git
from bot.demo.forge.access import Refused
from bot.demo.forge.api_issues import LONGEST_BODY, pull_at
from bot.demo.forge.context import answer, body, context, granted, page_of
from bot.demo.forge.rows import IssueRow, PullPart
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.state import State
from bot.demo.forge.work_shapes import WorkShapes
from bot.text.json_reading import Payload

routes = Blueprint("reviews", __name__, url_prefix="/api/v3")
ROOT = "/repos/<owner>/<repo>/pulls/<int:number>"


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A submitted review of a pull request that only comments."""

    id: int
    repository: str
    number: int
    author: str
    body: str
    commit_id: str
    submitted_at_s: float


@dataclass(frozen=True, slots=True)
class ReviewCommentRow:
    """A comment on lines of head, as they were at `commit_id`; `start_line` is 0 for a single line."""

    id: int
    review: int
    repository: str
    number: int
    author: str
    body: str
    path: str
    line: int
    start_line: int
    commit_id: str
    created_at_s: float


@routes.post(f"{ROOT}/reviews", endpoint="pulls/create-review")
def review_created(owner: str, repo: str, number: int) -> Response:
    """Submits a review that comments. One comment that is not on the diff refuses the whole of it."""
    at, forge, wishes = granted(owner, repo, "pull_requests:write"), context(), body()
    row, pull = pull_at(at, number)
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
            comment = ReviewCommentRow(
                id=forge.state.next_id(),
                review=review.id,
                repository=review.repository,
                number=review.number,
                author=review.author,
                body=one.text("body"),
                path=one.text("path"),
                line=one.integer("line"),
                start_line=one.integer("start_line"),
                commit_id=review.commit_id,
                created_at_s=review.submitted_at_s,
            )
            forge.state.put(comment.id, comment)
    return answer(_review(forge.shapes, review))


@routes.get(f"{ROOT}/reviews", endpoint="pulls/list-reviews")
def reviews_listed(owner: str, repo: str, number: int) -> Response:
    """The reviews of a pull request, oldest first."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, _ = pull_at(at, number)
    rows = [one for one in forge.state.all(ReviewRow) if one.number == number]
    mine = [one for one in rows if one.repository == row.repository]
    return page_of([_review(forge.shapes, one) for one in mine])


@routes.get(f"{ROOT}/comments", endpoint="pulls/list-review-comments")
def review_comments_listed(owner: str, repo: str, number: int) -> Response:
    """The comments on lines of a pull request; one whose lines were changed since has no line."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, pull = pull_at(at, number)
    return page_of(
        [
            _review_comment(forge.shapes, one, _stands_at(one, pull))
            for one in review_comments_of(forge.state, row.repository, number)
        ]
    )


def _check(row: IssueRow, pull: PullPart, wanted: Payload) -> None:
    """422 unless the lines stand in one hunk of the diff, as GitHub wants it."""
    path, line = wanted.text("path"), wanted.integer("line")
    start = wanted.integer("start_line") or line
    shown = shown_lines(context().state, row.repository, pull, path)
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


def _stands_at(row: ReviewCommentRow, pull: PullPart) -> int:
    """Where the last line stands now, if none of the comment's lines was changed; else 0."""
    state, now = context().state, 0
    for line in range(row.start_line or row.line, row.line + 1):
        now = line_now(state, row, pull.head_sha, line)
        if not now:
            return 0
    return now


def _review(shapes: WorkShapes, row: ReviewRow) -> Json:
    """A submitted review of a pull request."""
    pull = f"{shapes.rest}/repos/{row.repository}/pulls/{row.number}"
    html = f"{shapes.web}/{row.repository}/pull/{row.number}#pullrequestreview-{row.id}"
    return {
        "id": row.id,
        "node_id": node_id("PullRequestReview", row.id),
        "user": shapes.login(row.author),
        "body": row.body,
        "state": "COMMENTED",
        "html_url": html,
        "pull_request_url": pull,
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "submitted_at": iso(row.submitted_at_s),
        "commit_id": row.commit_id,
        "author_association": shapes.association(row.repository, row.author),
    }


def _review_comment(shapes: WorkShapes, row: ReviewCommentRow, line: int) -> Json:
    """A comment on lines of a pull request; `line` is where its last one stands now, 0: nowhere."""
    pull = f"{shapes.rest}/repos/{row.repository}/pulls/{row.number}"
    url = f"{shapes.rest}/repos/{row.repository}/pulls/comments/{row.id}"
    html = f"{shapes.web}/{row.repository}/pull/{row.number}#discussion_r{row.id}"
    start = row.start_line - row.line + line if row.start_line and line else None
    # GitHub's description says that an outdated comment has no line; its server sends null.
    place: Json = {"line": line, "position": 1} if line else {}
    return {
        "url": url,
        "id": row.id,
        "node_id": node_id("PullRequestReviewComment", row.id),
        "pull_request_review_id": row.review,
        "diff_hunk": "",
        "path": row.path,
        "commit_id": row.commit_id,
        "original_commit_id": row.commit_id,
        "user": shapes.login(row.author),
        "body": row.body,
        "created_at": iso(row.created_at_s),
        "updated_at": iso(row.created_at_s),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": shapes.association(row.repository, row.author),
        "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
        "start_line": start,
        "original_start_line": row.start_line or None,
        "start_side": "RIGHT" if row.start_line else None,
        "original_line": row.line,
        "original_position": 1,
        "side": "RIGHT",
        "subject_type": "line",
        **place,
    }


def review_comments_of(state: State, repository: str, number: int) -> tuple[ReviewCommentRow, ...]:
    """The comments on lines of one pull request, oldest first."""
    return tuple(
        row
        for row in sorted(state.all(ReviewCommentRow), key=lambda row: row.id)
        if row.repository.lower() == repository.lower() and row.number == number
    )


_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def shown_lines(state: State, repository: str, pull: PullPart, path: str) -> tuple[range, ...]:
    """The lines of head that the pull request's diff of a file shows, hunk by hunk."""
    span = f"{pull.base_sha}...{pull.head_sha}"
    return tuple(
        range(int(found[3]), int(found[3]) + int(found[4] or 1))
        for found in _hunks(state, repository, span, path, "--unified=3")
    )


def line_now(state: State, comment: ReviewCommentRow, head_sha: str, line: int) -> int:
    """Where a line that was commented on stands at head; 0 when it was changed since."""
    moved = 0
    span = f"{comment.commit_id}..{head_sha}"
    for found in _hunks(state, comment.repository, span, comment.path, "--unified=0"):
        first, count, added = int(found[1]), int(found[2] or 1), int(found[4] or 1)
        if count and first <= line < first + count:
            return 0
        # Without old lines git names the one before the place.
        if first < line:
            moved += added - count
    return line + moved


def _hunks(
    state: State, repository: str, span: str, path: str, context: str
) -> tuple[re.Match[bytes], ...]:
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", context)
    found = git.run_git(state.git_dir(repository), "diff", *plain, span, "--", f":(literal){path}")
    return tuple(_HUNK.finditer(found.stdout))
