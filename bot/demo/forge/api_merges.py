"""Merges of pull requests, and the commits that they bring."""

from __future__ import annotations

import time
from dataclasses import replace

from flask import Blueprint, Response

from bot.demo.forge import git
from bot.demo.forge.api_issues import issue_at
from bot.demo.forge.api_pulls import announce_pull
from bot.demo.forge.context import answer, body, context, granted, page_of
from bot.demo.forge.errors import Refused, not_found
from bot.demo.forge.pushes import told_push
from bot.demo.forge.rows import IssueRow
from bot.demo.forge.shapes import Json, iso, node_id

routes = Blueprint("merges", __name__)
ROOT = "/repos/<owner>/<repo>/pulls/<int:number>"


@routes.put(f"{ROOT}/merge", endpoint="pulls/merge")
def pull_merged(owner: str, repo: str, number: int) -> Response:
    """Merges a pull request by a merge commit, or squashed to one; the apps hear that it is closed."""
    at, forge, wishes = granted(owner, repo, "contents:write"), context(), body()
    row = issue_at(at, number)
    if row.pull is None:
        raise not_found()
    if row.state != "open" or row.pull.draft:
        raise Refused(405, "Pull Request is not mergeable")
    if wishes.text("sha") not in {"", row.pull.head_sha}:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    squashes = wishes.text("merge_method") == "squash"
    title = wishes.text("commit_title") or (
        f"{row.title} (#{number})"
        if squashes
        else f"Merge pull request #{number} from {row.pull.head_repository}/{row.pull.head_ref}"
    )
    message = f"{title}\n\n{wishes.text('commit_message') or row.title}"
    sha = git.merge(forge.state, row.repository, row.pull, message, squashes=squashes)
    if not sha:
        raise Refused(405, "Pull Request is not mergeable")
    pull = replace(row.pull, merged=True, merge_sha=sha)
    row = replace(row, state="closed", pull=pull, updated_at_s=time.time())
    forge.state.put_issue(row)
    told_push(forge, at.repository, at.principal.name)
    announce_pull("closed", at, row, {})
    return answer({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


@routes.get(f"{ROOT}/commits", endpoint="pulls/list-commits")
def commits_listed(owner: str, repo: str, number: int) -> Response:
    """The commits that a pull request brings, oldest first."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row = issue_at(at, number)
    if row.pull is None:
        raise not_found()
    commits = git.commits_of(forge.state, row.repository, row.pull)
    return page_of([_commit(row, one) for one in commits])


def _commit(row: IssueRow, commit: git.Commit) -> Json:
    """A commit as a pull request lists it; the forge knows no accounts of authors, and no times."""
    shapes = context().shapes
    rest, web = f"{shapes.rest}/repos/{row.repository}", f"{shapes.web}/{row.repository}"
    who = {"name": commit.author, "email": "", "date": iso(row.created_at_s)}
    return {
        "url": f"{rest}/commits/{commit.sha}",
        "sha": commit.sha,
        "node_id": node_id("Commit", int(commit.sha[:8], 16)),
        "html_url": f"{web}/commit/{commit.sha}",
        "comments_url": f"{rest}/commits/{commit.sha}/comments",
        "commit": {
            "url": f"{rest}/git/commits/{commit.sha}",
            "author": who,
            "committer": who,
            "message": commit.message,
            "comment_count": 0,
            "tree": {"sha": commit.sha, "url": f"{rest}/git/trees/{commit.sha}"},
        },
        "author": None,
        "committer": None,
        "parents": [],
    }
