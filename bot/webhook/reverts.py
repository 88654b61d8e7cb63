"""A merged pull request that reverts an earlier one: kept as a label of the earlier one's verdict.

Titles, texts and commit messages only claim it. A claim counts where GitHub says that the pull request was
merged into the default branch from a branch of this repository, by an author who may write here, and
that both pull requests change the same files. So no fork's words make a label, and none is made of a
part that was taken back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable

from bot.errors import UserError
from bot.github import NotThere, PullRequest, Repository
from bot.values import LabelKind
from bot.webhook.decisions import Cancel
from bot.webhook.desk import Desk
from bot.webhook.labelling import Said, change_label

MOST_CLAIMS = 5
_TITLE = 'Revert "'
# What GitHub's "Revert" button writes into the text, and what `git revert` writes into a commit's message.
_PULL_REQUEST = re.compile(
    r"^Reverts ([\w.-]{1,100}/[\w.-]{1,100})#([1-9][0-9]{0,9})[ \t\r]*$", re.M
)
_COMMIT = re.compile(r"\bThis reverts commit ([0-9a-f]{40})\b")


async def keep_revert(desk: Desk, repository: Repository, decision: Cancel) -> None:
    """Keep for each pull request that a merged one reverts that its change was taken back."""
    source = f"revert {decision.number:d}"
    said = Said(
        LabelKind.REVERTED, decision.place.actor, f"Reverted by #{decision.number:d}.", source
    )
    for reverted in await _reverted(repository, await repository.pull_request(decision.number)):
        head = (reverted.number, reverted.head_sha)
        if label := await change_label(desk, repository.name, head, said):
            await asyncio.to_thread(desk.store.keep_labels, label)


async def _reverted(repository: Repository, revert: PullRequest) -> tuple[PullRequest, ...]:
    """The pull requests that a merged one says to revert, where that is to be believed."""
    if not revert.merged or revert.from_fork:
        return ()
    numbers = _numbers(repository.name, revert)
    commits = _commits((revert.body, *await repository.commit_messages(revert.number)))
    if not (numbers or commits) or not await _is_believed(repository, revert):
        return ()
    for sha in commits:
        numbers += await _merged_with(repository, sha)
    changed = await repository.changed_paths(revert)
    found = []
    for number in tuple(dict.fromkeys(numbers))[:MOST_CLAIMS]:
        earlier = await _merged(repository, number)
        if number != revert.number and earlier and earlier.base_ref == revert.base_ref:
            paths = await repository.changed_paths(earlier)
            if changed.complete and paths.complete and set(changed.paths) == set(paths.paths):
                found.append(earlier)
    return tuple(found)


async def _is_believed(repository: Repository, revert: PullRequest) -> bool:
    """Whether it went into the default branch, and its words are of somebody who may write.

    Who may only read can open a pull request from a branch that others pushed.
    """
    if revert.base_ref != await repository.default_branch():
        return False
    return (await repository.permission(revert.author)).can_write


def _numbers(repository: str, revert: PullRequest) -> tuple[int, ...]:
    """The pull requests of this repository that title and text together say to revert."""
    if not revert.title.startswith(_TITLE):
        return ()
    named = _PULL_REQUEST.findall(revert.body)
    return tuple(int(number) for name, number in named if name.lower() == repository.lower())


def _commits(texts: Iterable[str]) -> tuple[str, ...]:
    named = dict.fromkeys(sha for text in texts for sha in _COMMIT.findall(text))
    return tuple(named)[:MOST_CLAIMS]


async def _merged_with(repository: Repository, sha: str) -> tuple[int, ...]:
    """The pull requests that brought a commit; none for one that is not there."""
    try:
        return tuple(one.number for one in await repository.merged_with(sha))
    except UserError:  # GitHub refuses a commit that it does not know
        return ()


async def _merged(repository: Repository, number: int) -> PullRequest | None:
    """A pull request, where there is one and it was merged."""
    try:
        found = await repository.pull_request(number)
    except NotThere:
        return None
    return found if found.merged else None
