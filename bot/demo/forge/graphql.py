"""Answers the GraphQL query for the issues that a pull request closes, and refuses every other.

A query is recognised by its operation name; the tests hold its text against GitHub's schema.
"""

from __future__ import annotations

import re

from flask import Blueprint, Response, request

from bot.demo.forge.access import Refused, may_see, principal_of
from bot.demo.forge.context import answer, body, context
from bot.demo.forge.rows import IssueRow, RepositoryRow
from bot.demo.forge.shapes import Json
from bot.text.json_reading import Payload

routes = Blueprint("graphql", __name__)
OPERATION = re.compile(r"\s*query\s+(\w+)")
# https://docs.github.com/en/issues/tracking-your-work-with-issues/linking-a-pull-request-to-an-issue
CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+/[\w.-]+))?#([0-9]{1,9})\b", re.I
)


@routes.post("", endpoint="graphql")
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
