"""Reads comments and keeps the app's one comment, found again by its hidden marker."""

from __future__ import annotations

from dataclasses import dataclass

from bot.github.base import AppInfo, Comment, NotThere, Reaction
from bot.github.readings import read_comment
from bot.github.transport import Transport


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A comment's text and the hidden marker that finds it again."""

    marker: str
    body: str

    @property
    def whole(self) -> str:
        """The body as it is posted, marker included."""
        return self.body if self.marker in self.body else f"{self.marker}\n{self.body}"


async def comments(
    transport: Transport, root: str, number: int, app: AppInfo | None
) -> tuple[Comment, ...]:
    """All comments of an issue or pull request, oldest first."""
    replies = await transport.pages(f"{root}/issues/{number:d}/comments")
    return tuple(read_comment(reply, app) for reply in replies)


async def put_comment(
    transport: Transport, root: str, number: int, text: MarkedText, app: AppInfo
) -> Comment:
    """Creates or updates the app's comment with that marker; writes nothing if it says so already."""
    body = text.whole
    for comment in await comments(transport, root, number, app):
        if not (comment.own and text.marker in comment.body):
            continue
        if comment.body == body:
            return comment
        path = f"{root}/issues/comments/{comment.id:d}"
        try:
            return read_comment(await transport.write("PATCH", path, {"body": body}), app)
        except NotThere:
            break  # deleted between the look and the write
    reply = await transport.write("POST", f"{root}/issues/{number:d}/comments", {"body": body})
    return read_comment(reply, app)


async def react(transport: Transport, root: str, comment: int, reaction: Reaction) -> None:
    """Puts a reaction on a comment; GitHub answers 200 instead of 201 when it is there already."""
    path = f"{root}/issues/comments/{comment:d}/reactions"
    await transport.write("POST", path, {"content": reaction.value})
