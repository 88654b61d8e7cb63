"""What people and other programs do and look at beside Assay: they edit, merge, read back, revoke."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from urllib.parse import quote

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import Refused, invalid, principal_of
from bot.demo.forge.api_checks import ROOT as REPOSITORY
from bot.demo.forge.api_checks import check_at
from bot.demo.forge.api_issues import ROOT as ISSUES
from bot.demo.forge.api_issues import (
    announce_pull,
    checked,
    comment_at,
    pull_at,
    require_author_or_app,
    require_author_or_pusher,
)
from bot.demo.forge.api_pulls import ROOT as PULLS
from bot.demo.forge.context import Granted, answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import AnnotationRow, CheckRow, CommentRow, IssueRow, PullPart
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.state import State
from bot.demo.forge.work_shapes import WorkShapes
from tests.forge.pushes import told_push

routes = Blueprint("people", __name__, url_prefix="/api/v3")


@routes.patch(f"{PULLS}/<int:number>", endpoint="pulls/update")
def pull_updated(owner: str, repo: str, number: int) -> Response:
    """Changes title, body, base or state, and tells the apps which."""
    at, forge, wishes = granted(owner, repo, "pull_requests:write"), context(), body()
    old, old_pull = pull_at(at, number)
    if at.principal.app is None:
        require_author_or_pusher(at, old.author)
    pull, base = old_pull, wishes.text("base")
    if base and base != pull.base_ref:
        sha = git.branch_sha(forge.state, at.repository.name, base)
        if not sha:
            raise invalid("PullRequest", "base", "invalid")
        pull = replace(pull, base_ref=base, base_sha=sha)
    row = replace(
        old,
        title=wishes.text("title") or old.title,
        body=checked(wishes.text("body")) if wishes.has("body") else old.body,
        state=wishes.text("state") or old.state,
        pull=pull,
        updated_at_s=time.time(),
    )
    if row.state not in {"open", "closed"}:
        raise invalid("PullRequest", "state", "state must be open or closed")
    forge.state.put_issue(row)
    changes: Json = {}
    if old.title != row.title:
        changes["title"] = {"from": old.title}
    if old.body != row.body:
        changes["body"] = {"from": old.body}
    if old_pull.base_ref != pull.base_ref:
        changes["base"] = {"ref": {"from": old_pull.base_ref}, "sha": {"from": old_pull.base_sha}}
    if changes:
        announce_pull("edited", at, row, {"changes": changes})
    if row.state != old.state:
        announce_pull("closed" if row.state == "closed" else "reopened", at, row, {})
    return answer(forge.shapes.full_pull(row, pull))


def draft_changed(at: Granted, row: IssueRow, *, draft: bool) -> None:
    """A pull request became a draft again, or a draft wants review."""
    if row.pull is None or row.pull.draft is draft:
        raise invalid("PullRequest", "draft", "it is a draft" if draft else "it is no draft")
    row = replace(row, pull=replace(row.pull, draft=draft), updated_at_s=time.time())
    context().state.put_issue(row)
    announce_pull("converted_to_draft" if draft else "ready_for_review", at, row, {})


@routes.put(f"{PULLS}/<int:number>/merge", endpoint="pulls/merge")
def pull_merged(owner: str, repo: str, number: int) -> Response:
    """Merges a pull request by a merge commit, or squashed to one; the apps hear that it is closed."""
    at, forge, wishes = granted(owner, repo, "contents:write"), context(), body()
    row, pull = pull_at(at, number)
    if row.state != "open" or pull.draft:
        raise Refused(405, "Pull Request is not mergeable")
    if wishes.text("sha") not in {"", pull.head_sha}:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    squashes = wishes.text("merge_method") == "squash"
    title = wishes.text("commit_title") or (
        f"{row.title} (#{number})"
        if squashes
        else f"Merge pull request #{number} from {pull.head_repository}/{pull.head_ref}"
    )
    message = f"{title}\n\n{wishes.text('commit_message') or row.title}"
    sha = merge(forge.state, row.repository, pull, message, squashes=squashes)
    if not sha:
        raise Refused(405, "Pull Request is not mergeable")
    pull = replace(pull, merged=True, merge_sha=sha)
    row = replace(row, state="closed", pull=pull, updated_at_s=time.time())
    forge.state.put_issue(row)
    told_push(forge, at.repository, at.principal.name)
    announce_pull("closed", at, row, {})
    return answer({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def merge(state: State, repository: str, pull: PullPart, message: str, *, squashes: bool) -> str:
    """Merge a pull request's head to its base branch; return the new commit, empty on a conflict."""
    folder, base = state.git_dir(repository), git.branch_sha(state, repository, pull.base_ref)
    merged = git.run_git(folder, "merge-tree", "--write-tree", base, pull.head_sha)
    if merged.returncode != 0:
        return ""
    tree = merged.stdout.decode().split()[0]
    parents = [base] if squashes else [base, pull.head_sha]
    who = ("-c", "user.name=The forge", "-c", "user.email=noreply@localhost")
    named = [word for parent in parents for word in ("-p", parent)]
    made = git.run_git(folder, *who, "commit-tree", tree, *named, "-m", message)
    git.must(made)
    sha = made.stdout.decode().strip()
    git.must(git.run_git(folder, "update-ref", f"refs/heads/{pull.base_ref}", sha, base))
    return sha


MOST_DISPATCH_KEYS = 10


LARGEST_DISPATCH_BYTES = 64 * 1024


@routes.post("/repos/<owner>/<repo>/dispatches", endpoint="repos/create-dispatch-event")
def event_dispatched(owner: str, repo: str) -> Response:
    """Sends `repository_dispatch` with the caller's event type as its action."""
    at, forge, wishes = granted(owner, repo, "contents:write"), context(), body()
    event = required_text(wishes, "Repository", "event_type")
    client_payload = wishes.at("client_payload").value
    keys = client_payload if isinstance(client_payload, dict) else {}
    if len(keys) > MOST_DISPATCH_KEYS or len(request.get_data()) > LARGEST_DISPATCH_BYTES:
        raise Refused(422, "No more than 10 properties and 64 KB are allowed in client_payload.")
    payload: Json = {
        "action": event[:100],
        "branch": at.repository.default_branch,
        "client_payload": keys,
    }
    forge.deliveries.emit("repository_dispatch", at.repository, at.principal.name, payload)
    return Response(status=204)


@routes.get(f"{ISSUES}/comments/<int:comment_id>", endpoint="issues/get-comment")
def comment_shown(owner: str, repo: str, comment_id: int) -> Response:
    """One comment."""
    at = granted(owner, repo, "issues:read")
    return answer(context().shapes.comment(comment_at(at, comment_id)))


@routes.delete(f"{ISSUES}/comments/<int:comment_id>", endpoint="issues/delete-comment")
def comment_deleted(owner: str, repo: str, comment_id: int) -> Response:
    """Removes a comment."""
    at = granted(owner, repo, "issues:write")
    row = comment_at(at, comment_id)
    require_author_or_app(at, row)
    context().state.remove(CommentRow, row.id)
    return Response(status=204)


CONTENTS = frozenset({"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"})


@dataclass(frozen=True, slots=True)
class ReactionRow:
    """One user's reaction to a comment."""

    id: int
    comment: int
    content: str
    author: str
    created_at_s: float


@routes.post(
    f"{ISSUES}/comments/<int:comment_id>/reactions", endpoint="reactions/create-for-issue-comment"
)
def reaction_created(owner: str, repo: str, comment_id: int) -> Response:
    """Adds a reaction: 201, or 200 when it was there already."""
    at, forge, content = granted(owner, repo, "issues:write"), context(), body().text("content")
    comment_at(at, comment_id)
    if content not in CONTENTS:
        raise invalid("Reaction", "content", f"{content} is not a reaction")
    who = at.principal.name
    with forge.state.change():
        for row in forge.state.all(ReactionRow):
            if (row.comment, row.content, row.author) == (comment_id, content, who):
                return answer(reaction(forge.shapes, row))
        row = ReactionRow(forge.state.next_id(), comment_id, content, who, time.time())
        forge.state.put(row.id, row)
    return answer(reaction(forge.shapes, row), 201)


def reaction(shapes: WorkShapes, row: ReactionRow) -> Json:
    """One reaction."""
    return {
        "id": row.id,
        "node_id": node_id("Reaction", row.id),
        "user": shapes.login(row.author),
        "content": row.content,
        "created_at": iso(row.created_at_s),
    }


@routes.get(
    f"{ISSUES}/comments/<int:comment_id>/reactions", endpoint="reactions/list-for-issue-comment"
)
def reactions_listed(owner: str, repo: str, comment_id: int) -> Response:
    """The reactions to a comment."""
    at, forge = granted(owner, repo, "issues:read"), context()
    comment_at(at, comment_id)
    rows = [row for row in forge.state.all(ReactionRow) if row.comment == comment_id]
    return page_of([reaction(forge.shapes, row) for row in rows])


@routes.get(
    f"{REPOSITORY}/check-runs/<int:check_run_id>/annotations", endpoint="checks/list-annotations"
)
def annotations_listed(owner: str, repo: str, check_run_id: int) -> Response:
    """A check run's annotations in the order they came."""
    at = granted(owner, repo, "checks:read")
    row, shapes = check_at(at, check_run_id), context().shapes
    return page_of([annotation(shapes, row, remark) for remark in row.annotations])


def annotation(shapes: WorkShapes, row: CheckRow, remark: AnnotationRow) -> Json:
    """One remark of a check run."""
    return {
        "path": remark.path,
        "blob_href": f"{shapes.rest}/repos/{row.repository}/contents/{quote(remark.path)}",
        "start_line": remark.start_line,
        "end_line": remark.end_line,
        "start_column": None,
        "end_column": None,
        "annotation_level": remark.level,
        "title": remark.title or None,
        "message": remark.message,
        "raw_details": None,
    }


@routes.delete("/installation/token", endpoint="apps/revoke-installation-access-token")
def token_revoked() -> Response:
    """Ends the token that asks for it."""
    forge = context()
    principal = principal_of(forge.state, request.headers.get("Authorization", ""))
    if principal.token is None:
        raise Refused(401, "Requires authentication")
    forge.state.put(principal.token.digest, replace(principal.token, revoked=True))
    return Response(status=204)
