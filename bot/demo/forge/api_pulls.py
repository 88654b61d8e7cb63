"""Pull requests: opened, shown and listed."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import invalid, may_see
from bot.demo.forge.api_issues import announce_pull, checked, new_issue, pull_at
from bot.demo.forge.context import answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import PullPart, RepositoryRow

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
