"""GitHub's JSON for reviews of pull requests and their comments."""

from __future__ import annotations

from bot.demo.forge.rows import ReviewCommentRow, ReviewRow
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.work_shapes import WorkShapes


def review(shapes: WorkShapes, row: ReviewRow) -> Json:
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


def review_comment(shapes: WorkShapes, row: ReviewCommentRow, line: int) -> Json:
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
        "_links": {
            "self": {"href": url},
            "html": {"href": html},
            "pull_request": {"href": pull},
        },
        "start_line": start,
        "original_start_line": row.start_line or None,
        "start_side": "RIGHT" if row.start_line else None,
        "original_line": row.line,
        "original_position": 1,
        "side": "RIGHT",
        "subject_type": "line",
        **place,
    }
