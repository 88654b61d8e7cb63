"""Reads pull requests, issues and what a pull request closes."""

from __future__ import annotations

from bot.github.addresses import segment
from bot.github.base import Issue, IssueReference, PullRequest
from bot.github.readings import read_issue, read_pull_request
from bot.github.transport import Transport

CLOSING_ISSUES = """
query ClosingIssues($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      closingIssuesReferences(first: 20) {
        nodes { number repository { nameWithOwner } }
      }
    }
  }
}
"""


async def pull_request(transport: Transport, root: str, number: int) -> PullRequest:
    """One pull request of the repository at `root`."""
    return read_pull_request(await transport.get(f"{root}/pulls/{number:d}"))


async def issue(transport: Transport, root: str, number: int) -> Issue:
    """One issue of the repository at `root`."""
    return read_issue(await transport.get(f"{root}/issues/{number:d}"))


async def branch_sha(transport: Transport, root: str, branch: str) -> str:
    """The commit at a branch's tip."""
    reply = await transport.get(f"{root}/git/ref/heads/{segment(branch)}")
    return reply.text("object", "sha")


async def closing_issues(
    transport: Transport, repository: str, number: int
) -> tuple[IssueReference, ...]:
    """The issues that merging this pull request closes, by GitHub's own reading."""
    owner, _, name = repository.partition("/")
    reply = await transport.graphql(
        f"closing issues of {repository}#{number}",
        CLOSING_ISSUES,
        {"owner": owner, "name": name, "number": number},
    )
    nodes = reply.items("repository", "pullRequest", "closingIssuesReferences", "nodes")
    return tuple(
        IssueReference(node.text("repository", "nameWithOwner"), node.integer("number"))
        for node in nodes
        if node.integer("number")
    )
