"""Issues and comments."""

from __future__ import annotations

import time
from dataclasses import replace

from flask import Blueprint, Response

from bot.demo.forge.access import LEVELS, Refused, invalid, not_found, role_of
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import CommentRow, IssueRow, PullPart
from bot.demo.forge.shapes import Json

routes = Blueprint("issues", __name__)
LONGEST_BODY = 65_536
ROOT = "/repos/<owner>/<repo>/issues"


@routes.post(ROOT, endpoint="issues/create")
def issue_opened(owner: str, repo: str) -> Response:
    """Opens an issue."""
    at, forge, wishes = granted(owner, repo, "issues:write"), context(), body()
    row = new_issue(at, required_text(wishes, "Issue", "title"), checked(wishes.text("body")))
    labels = tuple(item.text("name") or item.text() for item in wishes.items("labels"))
    row = replace(row, labels=labels)
    forge.state.put_issue(row)
    announce("issues", "opened", at, {"issue": forge.shapes.issue(row)})
    return answer(forge.shapes.issue(row), 201)


@routes.get(f"{ROOT}/<int:number>", endpoint="issues/get")
def issue_shown(owner: str, repo: str, number: int) -> Response:
    """One issue, or a pull request's issue side."""
    at = granted(owner, repo, "issues:read")
    return answer(context().shapes.issue(issue_at(at, number)))


@routes.get(f"{ROOT}/<int:number>/comments", endpoint="issues/list-comments")
def comments_listed(owner: str, repo: str, number: int) -> Response:
    """The comments, oldest first."""
    at, forge = granted(owner, repo, "issues:read"), context()
    issue_at(at, number)
    rows = forge.state.comments(at.repository.name, number)
    return page_of([forge.shapes.comment(row) for row in rows])


@routes.post(f"{ROOT}/<int:number>/comments", endpoint="issues/create-comment")
def comment_created(owner: str, repo: str, number: int) -> Response:
    """Adds a comment and tells the apps."""
    at, forge = granted(owner, repo, "issues:write"), context()
    issue = issue_at(at, number)
    text = checked(required_text(body(), "IssueComment", "body"))
    now_s, app = time.time(), at.principal.app
    row = CommentRow(
        id=forge.state.next_id(),
        repository=at.repository.name,
        number=number,
        author=at.principal.name,
        body=text,
        created_at_s=now_s,
        updated_at_s=now_s,
        app_id=app.id if app else 0,
    )
    forge.state.put(row.id, row)
    _announce_comment("created", at, issue, row)
    return answer(forge.shapes.comment(row), 201)


@routes.patch(f"{ROOT}/comments/<int:comment_id>", endpoint="issues/update-comment")
def comment_updated(owner: str, repo: str, comment_id: int) -> Response:
    """Changes the text of a comment."""
    at, forge = granted(owner, repo, "issues:write"), context()
    row = comment_at(at, comment_id)
    require_author_or_app(at, row)
    text = checked(required_text(body(), "IssueComment", "body"))
    row = replace(row, body=text, updated_at_s=time.time())
    forge.state.put(row.id, row)
    _announce_comment("edited", at, issue_at(at, row.number), row)
    return answer(forge.shapes.comment(row))


def new_issue(at: Granted, title: str, text: str) -> IssueRow:
    """A fresh row with the repository's next number; not stored yet."""
    state, now_s = context().state, time.time()
    return IssueRow(
        id=state.next_id(),
        repository=at.repository.name,
        number=state.next_id(f"number:{at.repository.name.lower()}"),
        title=title,
        body=text,
        author=at.principal.name,
        created_at_s=now_s,
        updated_at_s=now_s,
    )


def issue_at(at: Granted, number: int) -> IssueRow:
    """The issue or pull request with that number, or 404."""
    row = context().state.issue(at.repository.name, number)
    if row is None:
        raise not_found()
    return row


def pull_at(at: Granted, number: int) -> tuple[IssueRow, PullPart]:
    """The pull request with that number and its own part, or 404."""
    row = issue_at(at, number)
    if row.pull is None:
        raise not_found()
    return row, row.pull


def checked(text: str) -> str:
    """The text when GitHub would take it; 422 above 65,536 characters."""
    if len(text) > LONGEST_BODY:
        raise invalid(
            "IssueComment", "body", f"body is too long (maximum is {LONGEST_BODY} characters)"
        )
    return text


def require_author_or_pusher(at: Granted, author: str) -> None:
    """403 unless the asker wrote it or may push."""
    can_push = LEVELS[role_of(at.repository, at.principal.name)] >= LEVELS["write"]
    if at.principal.name != author and not can_push:
        raise Refused(403, "Must have push access to the repository")


def announce(event: str, action: str, at: Granted, parts: Json) -> None:
    """Tells the apps what the asker did."""
    payload = {"action": action, **parts}
    context().deliveries.emit(event, at.repository, at.principal.name, payload)


def _announce_comment(action: str, at: Granted, issue: IssueRow, row: CommentRow) -> None:
    shapes = context().shapes
    parts: Json = {"issue": shapes.issue(issue), "comment": shapes.comment(row)}
    announce("issue_comment", action, at, parts)


def comment_at(at: Granted, comment: int) -> CommentRow:
    """The comment with that id, or 404."""
    row = context().state.get(CommentRow, comment)
    if row is None or row.repository != at.repository.name:
        raise not_found()
    return row


def require_author_or_app(at: Granted, row: CommentRow) -> None:
    """403 for a person who neither wrote it nor may push."""
    # An app with issues:write may edit anybody's comment on GitHub too; a person needs push access.
    if at.principal.app is None:
        require_author_or_pusher(at, row.author)


def announce_pull(action: str, at: Granted, row: IssueRow, more: Json) -> None:
    """Tells the apps what happened to a pull request."""
    if row.pull:
        pull = context().shapes.full_pull(row, row.pull)
        announce("pull_request", action, at, {"number": row.number, "pull_request": pull, **more})
