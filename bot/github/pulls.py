"""Reads pull requests, issues and what a pull request closes."""

from __future__ import annotations

import base64

from bot.errors import UserError
from bot.github.addresses import segment
from bot.github.base import (
    ChangedPaths,
    Issue,
    IssueReference,
    LabelSet,
    NotThere,
    PullRequest,
)
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


async def is_protected(transport: Transport, root: str, branch: str) -> bool:
    """Whether the branch is among those with a protection rule."""
    listed = await transport.pages(f"{root}/branches", protected="true")
    return any(one.text("name") == branch and one.flag("protected") for one in listed)


async def file(transport: Transport, root: str, path: str, revision: str) -> bytes | None:
    """A regular file at a revision; None for a folder or a link, UserError above 1 MB."""
    address = "/".join(segment(part) for part in path.split("/"))
    try:
        reply = await transport.get(f"{root}/contents/{address}", ref=revision)
    except NotThere:
        return None
    if reply.text("type") != "file":
        return None
    if reply.text("encoding") != "base64":
        raise UserError(f"{path} is larger than 1 MB.", "Make it smaller.")
    return base64.b64decode(reply.text("content"))


async def changed_paths(transport: Transport, root: str, pull_request: PullRequest) -> ChangedPaths:
    """Both names of what was renamed; complete only if all that GitHub counted is listed."""
    listed = await transport.pages(f"{root}/pulls/{pull_request.number:d}/files")
    names = [
        name for one in listed for name in (one.text("filename"), one.text("previous_filename"))
    ]
    complete = 0 < len(listed) == pull_request.changed_files
    return ChangedPaths(tuple(filter(None, names)), complete)


async def pull_requests_of(transport: Transport, root: str, sha: str) -> tuple[PullRequest, ...]:
    """Open pull requests with a commit; GitHub lists merged ones for what the default branch has."""
    listed = await transport.pages(f"{root}/commits/{segment(sha)}/pulls")
    return tuple(one for one in map(read_pull_request, listed) if one.is_open)


async def labels_set(transport: Transport, root: str, number: int) -> tuple[LabelSet, ...]:
    """The labels that are there, by the issue's events, which come oldest first."""
    there: dict[str, LabelSet] = {}
    for event in await transport.pages(f"{root}/issues/{number:d}/events"):
        name, kind = event.text("label", "name"), event.text("event")
        if kind == "labeled":
            by_bot = event.text("actor", "type") != "User"
            there[name] = LabelSet(name, event.text("actor", "login"), by_bot)
        elif kind == "unlabeled":
            there.pop(name, None)
    return tuple(there.values())


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
