"""Commands in comments, by a fixed grammar: there is nothing to inject and no `key=value`."""

from __future__ import annotations

from bot.github import Payload
from bot.intake.decisions import Command, Decision, Ignore, ObeyCommand, place_of

_WORD = "/judge"
_COMMANDS = {
    (): Command.JUDGE,
    ("help",): Command.HELP,
    ("cancel",): Command.CANCEL,
    ("plan",): Command.PLAN,
    ("rubric",): Command.RUBRIC,
    ("rubric", "approve"): Command.APPROVE_RUBRIC,
}
_WITH_WORDS = {"accept": Command.ACCEPT, "override": Command.OVERRIDE}
_ASK_MODELS = (Command.PLAN, Command.RUBRIC, Command.APPROVE_RUBRIC)
_ON_ISSUES = (Command.RUBRIC, Command.APPROVE_RUBRIC)
_LONGEST_LINE = 200
_LONGEST_WORDS = 4_000


def issue_comment_created(payload: Payload) -> Decision:
    """A comment's first line may hold a command, by a person; on an issue, one about its rubric."""
    line = first_line(payload.text("comment", "body"))
    command = parse(line)
    if command is None:
        return Ignore("no command")
    on_pull_request = payload.has("issue", "pull_request")
    if not on_pull_request and command not in _ON_ISSUES:
        return Ignore("a command on an issue, not on a pull request")
    if payload.text("comment", "user", "type") == "Bot":
        return Ignore("bots give no commands")
    return ObeyCommand(
        place=place_of(payload),
        number=payload.integer("issue", "number"),
        comment=payload.integer("comment", "id"),
        command=command,
        line=line[:_LONGEST_LINE],
        on_pull_request=on_pull_request,
        given_at=payload.text("comment", "created_at"),
        words=_words(payload.text("comment", "body")) if command in _WITH_WORDS.values() else "",
    )


def asks_models(payload: Payload) -> bool:
    """Whether a comment gives a command that may take minutes, or one that must wait for such."""
    return parse(first_line(payload.text("comment", "body"))) in _ASK_MODELS


def first_line(body: str) -> str:
    """Cut the first line of a comment, without the spaces around it."""
    return body.partition("\n")[0].strip()


def parse(line: str) -> Command | None:
    """Read one line: None when it is no command of ours, UNKNOWN when it is a wrong one."""
    words = line.split()
    if not words or words[0] != _WORD:
        return None
    if len(words) > 1 and words[1] in _WITH_WORDS:
        return _WITH_WORDS[words[1]]
    return _COMMANDS.get(tuple(words[1:]), Command.UNKNOWN)


def _words(body: str) -> str:
    """What stands behind `/judge accept`, on one line; a reason may go on below."""
    return " ".join(body[:_LONGEST_WORDS].split()[2:])
