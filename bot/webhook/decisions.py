"""What a delivery leads to, as values; nothing here was looked up or done yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.github import Payload
from bot.values import Trigger


@dataclass(frozen=True, slots=True)
class Place:
    """Where it happened and who did it. `repository` is `owner/name`."""

    repository: str
    installation: int
    actor: str


@dataclass(frozen=True, slots=True)
class StartPullRequest:
    """Judge a pull request's head, when it still is the head.

    `label` is the one that was set or taken away, where that is what happened.
    """

    place: Place
    number: int
    head_sha: str
    trigger: Trigger
    label: str = ""


@dataclass(frozen=True, slots=True)
class StartMergeGroup:
    """Judge what a merge queue is about to merge."""

    place: Place
    head_sha: str
    head_ref: str
    base_sha: str
    base_ref: str


@dataclass(frozen=True, slots=True)
class StartPatch:
    """Judge an agent's work without a pull request: a unified diff, or a branch.

    `base` is a branch or a full sha; empty: the default branch. `issue` is 0 when none is named.
    """

    place: Place
    base: str
    diff: str
    branch: str
    task: str
    issue: int
    agent: str
    trajectory: str


@dataclass(frozen=True, slots=True)
class RefusePatch:
    """Say on the issue it names (if any) what is wrong with an agent's patch."""

    place: Place
    issue: int
    problems: tuple[str, ...]


class JudgeCommand(StrEnum):
    """The whole grammar of comments, on the first line: `/judge`, then nothing or these words.

    After `accept`, `override`, `agree` and `disagree` come ids and a reason in free text, after `explain`
    and `rerun` an id, after `ask` a question.
    """

    JUDGE = "judge"
    RERUN = "rerun"
    HELP = "help"
    CANCEL = "cancel"
    PLAN = "plan"
    EXPLAIN = "explain"
    ASK = "ask"
    PAUSE = "pause"
    RESUME = "resume"
    AGREE = "agree"
    DISAGREE = "disagree"
    ACCEPT = "accept"
    OVERRIDE = "override"
    RUBRIC = "rubric"
    APPROVE_RUBRIC = "rubric approve"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ObeyCommand:
    """Do what a comment on a pull request says, if its author may write. `line` is what stood there.

    On an issue (`on_pull_request` is false) there are only the commands about its rubric. `given_at`
    is when the comment was written, ISO 8601. `words` are what stood behind a
    command that takes some.
    """

    place: Place
    number: int
    comment: int
    command: JudgeCommand
    line: str
    on_pull_request: bool = True
    given_at: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Stop what is queued or running for a pull request, or (number 0) for a merge group's head.

    `is_merged` says that the pull request was merged just now, by the place's actor.
    """

    place: Place
    number: int
    head_sha: str
    why: str
    is_merged: bool = False


@dataclass(frozen=True, slots=True)
class RevertingCommit:
    """A commit whose message says that it reverts others (full shas), and the files that it changes."""

    sha: str
    reverts: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KeepReverts:
    """Keep what commits take back that the place's actor pushed to the default branch."""

    place: Place
    branch: str
    commits: tuple[RevertingCommit, ...]


@dataclass(frozen=True, slots=True)
class Clicked:
    """A click on a commit's check run. `evaluation_id` is that one's, if it was one of ours."""

    place: Place
    number: int
    head_sha: str
    evaluation_id: str


class Rerun(Clicked):
    """Judge a commit again."""

    __slots__ = ()


class Approve(Clicked):
    """Let a first-time contributor's head run, if the clicker may write."""

    __slots__ = ()


class AcceptUnverified(Clicked):
    """Accept what could not be verified about a head, if the clicker may write and is not its author."""

    __slots__ = ()


class ExplainVerdict(Clicked):
    """Say why a head's requirements are not met, if the clicker may write."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Ignore:
    """Do nothing; `reason` goes to the log."""

    reason: str


Deed = (
    StartPullRequest
    | StartMergeGroup
    | StartPatch
    | RefusePatch
    | ObeyCommand
    | Cancel
    | KeepReverts
    | Rerun
    | Approve
    | AcceptUnverified
    | ExplainVerdict
)
Decision = Deed | Ignore


def place_of(payload: Payload) -> Place:
    """Read where a delivery happened and who caused it."""
    return Place(
        repository=payload.text("repository", "full_name"),
        installation=payload.integer("installation", "id"),
        actor=payload.text("sender", "login"),
    )
