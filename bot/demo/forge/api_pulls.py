"""Pull requests: opened, shown and listed, and the issues that they close."""

from __future__ import annotations

import re
from dataclasses import replace

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import Refused, invalid, may_see, principal_of
from bot.demo.forge.api_issues import announce_pull, checked, new_issue, pull_at
from bot.demo.forge.context import answer, body, context, granted, page_of, required_text
from bot.demo.forge.rows import IssueRow, PullPart, RepositoryRow
from bot.demo.forge.shapes import Json
from bot.text.json_reading import Payload

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


# --- the GraphQL query for the issues that a pull request closes; every other is refused -----------
# A query is recognised by its operation name; the tests hold its text against GitHub's schema.


graphql_routes = Blueprint("graphql", __name__)
OPERATION = re.compile(r"\s*query\s+(\w+)")
# https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+/[\w.-]+))?#([0-9]{1,9})\b", re.I
)


@graphql_routes.post("", endpoint="graphql")
def query_answered() -> Response:
    """Runs a known query."""
    forge, wishes = context(), body()
    principal = principal_of(forge.state, request.headers.get("Authorization", ""))
    if principal.token is None:
        raise Refused(401, "This endpoint requires you to be authenticated.")
    match = OPERATION.match(wishes.text("query"))
    variables = wishes.at("variables")
    name = f"{variables.text('owner')}/{variables.text('name')}"
    repository = forge.state.repository(name)
    if repository is None or not may_see(principal, repository):
        return _failed("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
    if match and match[1] == "ClosingIssues":
        return _closing_issues(repository, variables)
    return _failed("UNKNOWN_OPERATION", "The forge does not know this query.")


def closing_references(repository: RepositoryRow, row: IssueRow) -> list[IssueRow]:
    """The issues that the pull request's body closes by a keyword, when they exist."""
    found: dict[str, IssueRow] = {}
    # GitHub links only what targets the default branch.
    if row.pull and row.pull.base_ref == repository.default_branch:
        for named, number in CLOSING.findall(row.body):
            issue = context().state.issue(named or repository.name, int(number))
            if issue and not issue.pull:
                found.setdefault(f"{issue.repository}#{number}", issue)
    return list(found.values())


def _closing_issues(repository: RepositoryRow, variables: Payload) -> Response:
    number = variables.integer("number")
    row = context().state.issue(repository.name, number)
    if row is None or row.pull is None:
        message = f"Could not resolve to a PullRequest with the number of {number}."
        return _failed("NOT_FOUND", message)
    nodes = [
        {"number": issue.number, "repository": {"nameWithOwner": issue.repository}}
        for issue in closing_references(repository, row)
    ]
    pull: Json = {"closingIssuesReferences": {"nodes": nodes}}
    return answer({"data": {"repository": {"pullRequest": pull}}})


def _failed(kind: str, message: str) -> Response:
    return answer({"data": None, "errors": [{"type": kind, "message": message}]})
