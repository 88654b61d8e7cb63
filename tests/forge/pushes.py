"""Pushes that the apps are told of, and the commits that they, and pull requests, bring."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import not_found, principal_of
from bot.demo.forge.api_issues import pull_at
from bot.demo.forge.api_pulls import ROOT
from bot.demo.forge.context import Context, answer, body, context, granted, page_of
from bot.demo.forge.control import owner_required
from bot.demo.forge.rows import IssueRow, RepositoryRow
from bot.demo.forge.shapes import Json, iso, node_id
from bot.demo.forge.state import State
from bot.text.json_reading import Payload

routes = Blueprint("pushes", __name__, url_prefix="/api/v3")
door = Blueprint("_pushes", __name__, url_prefix="/_forge")
door.before_request(owner_required)


def repository_of(wishes: Payload) -> RepositoryRow:
    """The repository that a request names, or 404."""
    row = context().state.repository(wishes.text("repository"))
    if row is None:
        raise not_found()
    return row


@door.post("/refresh")
def repository_refreshed() -> Response:
    """Looks at the branches again, after a push straight into the bare repository."""
    forge, wishes = context(), body()
    row = repository_of(wishes)
    return answer({"moved": branches_moved(forge, row, wishes.text("sender") or row.owner)})


@routes.after_app_request
def pushed(response: Response) -> Response:
    """Looks at the branches after a push over HTTP."""
    address = request.view_args or {}
    if request.method == "POST" and address.get("rest") == "git-receive-pack":
        forge = context()
        repository = forge.state.repository(f"{address['owner']}/{address['repo']}")
        if repository is not None and response.status_code == 200:
            token = request.authorization.password if request.authorization else ""
            sender = principal_of(forge.state, f"Bearer {token}").name
            branches_moved(forge, repository, sender or repository.owner)
    return response


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


def commits_between(
    state: State, repository: str, before: str, after: str
) -> tuple[git.Commit, ...]:
    """The commits that a branch has got, oldest first; without their diffs."""
    listed = git.run_git(
        state.git_dir(repository),
        *("log", "--reverse", "-z", "--format=%H%n%an%n%B", f"{before}..{after}"),
    )
    told = (one.split("\n", 2) for one in listed.stdout.decode(errors="replace").split("\0") if one)
    return tuple(git.Commit(sha, author, message.strip(), "") for sha, author, message in told)


@routes.get(f"{ROOT}/<int:number>/commits", endpoint="pulls/list-commits")
def commits_listed(owner: str, repo: str, number: int) -> Response:
    """The commits that a pull request brings, oldest first."""
    at, forge = granted(owner, repo, "pull_requests:read"), context()
    row, pull = pull_at(at, number)
    commits = commits_between(forge.state, row.repository, pull.base_sha, pull.head_sha)
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


@dataclass(frozen=True, slots=True)
class ToldRow:
    """The commit of a default branch that the last `push` told."""

    repository: str
    sha: str


def told_push(forge: Context, repository: RepositoryRow, sender: str) -> None:
    """Send a `push` where the default branch has moved; the first look at it only remembers."""
    told = forge.state.get(ToldRow, repository.name.lower())
    before = told.sha if told else ""
    after = git.branch_sha(forge.state, repository.name, repository.default_branch)
    if not after or after == before:
        return
    forge.state.put(repository.name.lower(), ToldRow(repository.name, after))
    if before:
        web = f"{forge.shapes.web}/{repository.name}"
        commits = [
            _pushed_commit(forge, repository, one)
            for one in commits_between(forge.state, repository.name, before, after)
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
    folder = forge.state.git_dir(repository.name)
    # What is renamed was removed and added.
    plain = ("--name-status", "-z", "--no-renames", "--diff-merges=first-parent", "--format=")
    listed = git.run_git(folder, "show", *plain, commit.sha).stdout.decode(errors="replace")
    words = listed.split("\0")[:-1]
    changed = list(zip(words[::2], words[1::2], strict=True))
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
            kind: [path for status, path in changed if status == letter]
            for letter, kind in (("A", "added"), ("D", "removed"), ("M", "modified"))
        },
    }
