"""Pull requests: opened, shown, listed, changed, moved by pushes, and merged."""

from __future__ import annotations

import time
from dataclasses import replace

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import invalid, may_see
from bot.demo.forge.api_issues import announce_pull, checked, new_issue, pull_at
from bot.demo.forge.context import Context, answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import IssueRow, PullPart, RepositoryRow
from bot.demo.forge.shapes import Json, iso, node_id

routes = Blueprint("pulls", __name__)
ROOT = "/repos/<owner>/<repo>/pulls"


@routes.post(ROOT, endpoint="pulls/create")
def pull_opened(owner: str, repo: str) -> Response:
    """Opens a pull request from a branch here or in a fork."""
    at, forge, wishes = granted(owner, repo, "pull_requests:write"), context(), body()
    owner, colon, head_ref = required_text(wishes, "PullRequest", "head").rpartition(":")
    source = at.repository
    if colon and owner.lower() != source.owner.lower():
        forks = (
            row
            for row in forge.state.all(RepositoryRow)
            if row.fork_of.lower() == at.repository.name.lower()
            and row.owner.lower() == owner.lower()
            and may_see(at.principal, row)
        )
        if (fork := next(forks, None)) is None:
            raise invalid("PullRequest", "head", "invalid")
        source = fork
    base_ref = required_text(wishes, "PullRequest", "base")
    head_sha = git.branch_sha(forge.state, source.name, head_ref)
    base_sha = git.branch_sha(forge.state, at.repository.name, base_ref)
    if not head_sha or not base_sha:
        raise invalid("PullRequest", "base" if head_sha else "head", "invalid")
    draft = wishes.flag("draft")
    pull = PullPart(source.name, head_ref, head_sha, base_ref, base_sha, draft)
    title = required_text(wishes, "PullRequest", "title")
    with forge.state.change():
        row = replace(new_issue(at, title, checked(wishes.text("body"))), pull=pull)
        git.link_pull(forge.state, row.repository, row.number, pull)
        forge.state.put_issue(row)
    announce_pull("opened", at, row, {})
    return answer(forge.shapes.full_pull(row, pull), 201)


@routes.get(ROOT, endpoint="pulls/list")
def pulls_listed(owner: str, repo: str) -> Response:
    """Pull requests, newest first unless sorted by their last change."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    wanted = request.args.get("state", "open")
    rows = [
        row
        for row in forge.state.issues(at.repository.name)
        if row.pull and wanted in {row.state, "all"}
    ]
    by_update = request.args.get("sort") == "updated"
    newest_first = request.args.get("direction", "asc" if by_update else "desc") == "desc"
    rows.sort(key=lambda row: row.updated_at_s if by_update else row.id, reverse=newest_first)
    return page_of([forge.shapes.pull(row, row.pull) for row in rows if row.pull])


@routes.get(f"{ROOT}/<int:number>", endpoint="pulls/get")
def pull_shown(owner: str, repo: str, number: int) -> Response:
    """One pull request."""
    at = granted(owner, repo, "pull_requests:read")
    row, pull = pull_at(at, number)
    return answer(context().shapes.full_pull(row, pull))


@routes.get(f"{ROOT}/<int:number>/files", endpoint="pulls/list-files")
def files_listed(owner: str, repo: str, number: int) -> Response:
    """What the pull request changes."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, pull = pull_at(at, number)
    files = git.changed_files(forge.state, row.repository, pull)
    return page_of([forge.shapes.changed_file(row.repository, pull, file) for file in files])


@routes.get(
    "/repos/<owner>/<repo>/commits/<sha>/pulls",
    endpoint="repos/list-pull-requests-associated-with-commit",
)
def pulls_of_commit(owner: str, repo: str, sha: str) -> Response:
    """Open pull requests whose head is the commit, and those that brought it when they were merged."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    rows = [
        row
        for row in forge.state.issues(at.repository.name)
        if row.pull
        and (row.state == "open" or row.pull.merged)
        and sha in {row.pull.head_sha, row.pull.merge_sha}
    ]
    return page_of([forge.shapes.pull(row, row.pull) for row in rows if row.pull])


def branches_moved(forge: Context, repository: RepositoryRow, sender: str) -> int:
    """Follows every open pull request whose head branch moved; returns how many did."""
    told_push(forge, repository, sender)
    moved = 0
    for target in forge.state.all(RepositoryRow):
        for row in forge.state.issues(target.name):
            pull = row.pull
            if pull is None or row.state != "open" or pull.head_repository != repository.name:
                continue
            sha = git.branch_sha(forge.state, repository.name, pull.head_ref)
            if not sha or sha == pull.head_sha:
                continue
            base_sha = git.branch_sha(forge.state, target.name, pull.base_ref) or pull.base_sha
            now = replace(pull, head_sha=sha, base_sha=base_sha)
            git.link_pull(forge.state, target.name, row.number, now)
            followed = replace(row, pull=now, updated_at_s=time.time())
            forge.state.put_issue(followed)
            payload: Json = {
                "action": "synchronize",
                "number": row.number,
                "pull_request": forge.shapes.full_pull(followed, now),
                "before": pull.head_sha,
                "after": sha,
            }
            forge.deliveries.emit("pull_request", target, sender, payload)
            moved += 1
    return moved


@routes.get(f"{ROOT}/<int:number>/commits", endpoint="pulls/list-commits")
def commits_listed(owner: str, repo: str, number: int) -> Response:
    """The commits that a pull request brings, oldest first."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, pull = pull_at(at, number)
    commits = git.commits_between(forge.state, row.repository, pull.base_sha, pull.head_sha)
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


# --- pushes to a default branch; of other branches the forge tells nothing -------------------------


def told_push(forge: Context, repository: RepositoryRow, sender: str) -> None:
    """Send a `push` where the default branch has moved; the first look at it only remembers."""
    before = repository.told_sha
    after = git.branch_sha(forge.state, repository.name, repository.default_branch)
    if not after or after == before:
        return
    forge.state.put(repository.name.lower(), replace(repository, told_sha=after))
    if before:
        web = f"{forge.shapes.web}/{repository.name}"
        commits = [
            _pushed_commit(forge, repository, one)
            for one in git.commits_between(forge.state, repository.name, before, after)
        ]
        payload: Json = {
            "ref": f"refs/heads/{repository.default_branch}",
            "before": before,
            "after": after,
            **dict.fromkeys(("created", "deleted", "forced"), False),
            "base_ref": None,
            "compare": f"{web}/compare/{before[:12]}...{after[:12]}",
            "commits": commits,
            "head_commit": commits[-1] if commits else None,
            "pusher": {"name": sender, "email": f"{sender}@localhost"},
        }
        forge.deliveries.emit("push", repository, sender, payload)


def _pushed_commit(forge: Context, repository: RepositoryRow, commit: git.Commit) -> Json:
    who = {"name": commit.author, "email": "noreply@localhost", "date": iso(time.time())}
    changed = git.files_of(forge.state, repository.name, commit.sha)
    return {
        "id": commit.sha,
        "tree_id": commit.sha,
        "distinct": True,
        "message": commit.message,
        "timestamp": iso(time.time()),
        "url": f"{forge.shapes.web}/{repository.name}/commit/{commit.sha}",
        "author": who,
        "committer": who,
        **{
            kind: [one.path for one in changed if one.status == kind]
            for kind in ("added", "removed", "modified")
        },
    }
