"""A change that reverts an earlier pull request: kept as a label of the earlier one's verdict.

Titles, texts and commit messages only claim it. A claim counts where GitHub says that it was merged into the
default branch from a branch of this repository, by an author who may write here, or pushed there by
somebody who may, and that both change the same files. So no fork's words make a label, and none is
made of a part that was taken back.
"""

from __future__ import annotations

import asyncio
import re

from bot.errors import UserError
from bot.github import NotThere, PullRequest, Repository
from bot.store import VerdictLabelFilter
from bot.values import LabelKind, VerdictLabel
from bot.webhook.decisions import Cancel, KeepReverts, RevertingCommit
from bot.webhook.desk import Desk
from bot.webhook.events import MOST_CLAIMS, reverted_commits
from bot.webhook.labelling import Said, change_label

_TITLE = 'Revert "'
# What GitHub's "Revert" button writes into the text.
_PULL_REQUEST = re.compile(
    r"^Reverts ([\w.-]{1,100}/[\w.-]{1,100})#([1-9][0-9]{0,9})[ \t\r]*$", re.M
)


async def keep_revert(desk: Desk, repository: Repository, decision: Cancel) -> None:
    """Keep for each pull request that a merged one reverts that its change was taken back."""
    source = f"revert {decision.number:d}"
    said = Said(
        LabelKind.REVERTED, decision.place.actor, f"Reverted by #{decision.number:d}.", source
    )
    for reverted in await _reverted(repository, await repository.pull_request(decision.number)):
        await _keep(desk, repository, reverted, said)


async def keep_pushed_reverts(
    desk: Desk, repository: Repository, decision: KeepReverts, _delivery_id: str
) -> str:
    """Keep for each pull request that pushed commits revert together that its change was taken back."""
    who = decision.place.actor
    if not (await repository.permission(who)).can_write:
        return f"{who} may not write"
    taken_back: dict[int, list[RevertingCommit]] = {}
    for commit in decision.commits:
        if await _merged_with(repository, commit.sha):
            continue  # it came by a pull request: that one tells
        for sha in commit.reverts:
            for number in await _merged_with(repository, sha):
                taken_back.setdefault(number, []).append(commit)
    kept = 0
    for number, commits in tuple(taken_back.items())[:MOST_CLAIMS]:
        earlier = await _merged(repository, number)
        paths = {path for commit in commits for path in commit.paths}
        is_here = earlier is not None and earlier.base_ref == decision.branch
        if earlier and is_here and await _changes_just(repository, earlier, paths):
            sha = commits[-1].sha
            said = Said(LabelKind.REVERTED, who, f"Reverted by commit {sha}.", f"revert {sha}")
            kept += await _keep(desk, repository, earlier, said)
    return f"{kept} reverts kept"


async def _keep(desk: Desk, repository: Repository, earlier: PullRequest, said: Said) -> bool:
    """Keep it once: GitHub tells of a merge and of its push at the same moment."""
    label = await change_label(desk, repository.name, (earlier.number, earlier.head_sha), said)
    if label is None or await asyncio.to_thread(_is_kept, desk, label):
        return False
    await asyncio.to_thread(desk.store.keep_labels, label)
    return True


def _is_kept(desk: Desk, label: VerdictLabel) -> bool:
    same = VerdictLabelFilter(repository=label.repository, number=label.number)
    return any(
        one.kind is LabelKind.REVERTED and one.head_sha == label.head_sha
        for one in desk.store.labels(same)
    )


async def _reverted(repository: Repository, revert: PullRequest) -> tuple[PullRequest, ...]:
    """The pull requests that a merged one says to revert, where that is to be believed."""
    if not revert.merged or revert.from_fork:
        return ()
    numbers = _numbers(repository.name, revert)
    commits = reverted_commits(revert.body, *await repository.commit_messages(revert.number))
    if not (numbers or commits) or not await _is_believed(repository, revert):
        return ()
    for sha in commits:
        numbers += await _merged_with(repository, sha)
    changed = await repository.changed_paths(revert)
    found = []
    for number in tuple(dict.fromkeys(numbers))[:MOST_CLAIMS]:
        earlier = await _merged(repository, number)
        if number != revert.number and earlier and earlier.base_ref == revert.base_ref:
            paths = set(changed.paths)
            if changed.complete and await _changes_just(repository, earlier, paths):
                found.append(earlier)
    return tuple(found)


async def _changes_just(repository: Repository, earlier: PullRequest, paths: set[str]) -> bool:
    """Whether a pull request changed these files and no others, as far as GitHub lists them."""
    changed = await repository.changed_paths(earlier)
    return changed.complete and set(changed.paths) == paths


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
