"""Says which pull requests a merge queue's group holds."""

from __future__ import annotations

import re

from bot.github.transport import Transport

QUEUE = """
query MergeGroup($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    mergeQueue(branch: $branch) {
      entries(first: 100) {
        nodes { position headCommit { oid } pullRequest { number } }
      }
    }
  }
}
"""
# refs/heads/gh-readonly-queue/<target branch>/pr-<number>-<sha of the group's base>
HEAD_REF = re.compile(r"(?:refs/heads/)?gh-readonly-queue/(.+)/pr-([1-9][0-9]{0,9})-[0-9a-f]{40}")


async def merge_group_members(
    transport: Transport, repository: str, head_ref: str, head_sha: str
) -> tuple[int, ...]:
    """The pull requests merged into the group's head, first in line first.

    The queue is asked; when it has moved on, the ref still names the last member.
    """
    match = HEAD_REF.fullmatch(head_ref)
    if match is None:
        return ()
    owner, _, name = repository.partition("/")
    reply = await transport.graphql(
        f"merge queue of {repository}",
        QUEUE,
        {"owner": owner, "name": name, "branch": match[1]},
    )
    nodes = reply.items("repository", "mergeQueue", "entries", "nodes")
    entries = sorted(nodes, key=lambda node: node.integer("position"))
    numbers = [entry.integer("pullRequest", "number") for entry in entries]
    heads = [entry.text("headCommit", "oid") for entry in entries]
    if head_sha not in heads:
        return (int(match[2]),)
    return tuple(numbers[: heads.index(head_sha) + 1])
