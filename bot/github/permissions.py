"""Asks GitHub who may command the app, and who is new here."""

from __future__ import annotations

from bot.github.addresses import segment
from bot.github.base import NotThere, Permission, PullRequest
from bot.github.transport import Transport

# https://docs.github.com/en/graphql/reference/enums#commentauthorassociation
KNOWN_HERE = frozenset({"OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"})


async def permission(transport: Transport, root: str, login: str) -> Permission:
    """What a user may do; the old field maps maintain to write and triage to read by itself.

    A custom role has a name of its own, so triage is read from what the user may do.
    """
    if not login:
        return Permission.NONE
    try:
        reply = await transport.get(f"{root}/collaborators/{segment(login)}/permission")
    except NotThere:
        return Permission.NONE  # no such user
    level = reply.text("permission")
    if level == Permission.READ and reply.flag("user", "permissions", "triage"):
        return Permission.TRIAGE
    return Permission(level) if level in set(Permission) else Permission.NONE


async def is_first_time_contributor(
    transport: Transport, root: str, pull_request: PullRequest
) -> bool:
    """Whether the author is new. A private member looks like a stranger, so the permission is asked."""
    if pull_request.author_association in KNOWN_HERE:
        return False
    return not (await permission(transport, root, pull_request.author)).can_write
