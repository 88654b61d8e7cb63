"""Which pull requests are judged by themselves: `triggers` and `when` of the target branch's configuration.

A required check passes on `neutral`. So a filter concludes so only for what a maintainer said on the
default or a protected branch, into such a branch, and on a commit that nobody judged; anything else
blocks until somebody with write access asks. A label counts for the commit that it was set on, and never
by the author; an author's name only for what the author pushed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from bot.configuration import PATH, Configuration, ConfiguredTrigger, effective, matches_any
from bot.github import CheckStatus, PullRequest
from bot.source.repository import branch_layer, policy_context
from bot.values import EvaluationRequest, Trigger
from bot.webhook.adapters import AtRepository
from bot.webhook.decisions import StartPullRequest

if TYPE_CHECKING:
    from bot.github.repository import Repository


BY_HAND = frozenset({Trigger.COMMAND, Trigger.RERUN})
"""Somebody with write access asked: no filter counts."""
_STARTS = {
    Trigger.OPENED: ConfiguredTrigger.OPENED,
    Trigger.REOPENED: ConfiguredTrigger.OPENED,
    Trigger.SWEEP: ConfiguredTrigger.OPENED,
    Trigger.READY_FOR_REVIEW: ConfiguredTrigger.READY_FOR_REVIEW,
}
"""What else happens to a pull request counts as a push to it."""
ON_LABELS = frozenset({Trigger.LABELED, Trigger.UNLABELED})
_BY_PUSH = frozenset({Trigger.OPENED, Trigger.SYNCHRONIZE})


class NotByItself(StrEnum):
    """What says that a pull request is not judged by itself."""

    DRAFT = "draft"
    BRANCH = "branch"
    LABEL = "label"
    AUTHOR = "author"
    PATHS = "paths"
    TRIGGER = "trigger"
    PAUSED = "paused"
    NOT_ABOUT_IT = "not_about_it"  # a label that the configuration does not know

    @property
    def is_silent(self) -> bool:
        """Whether nothing is shown: there is nothing to pass or to wait for."""
        return self in {NotByItself.DRAFT, NotByItself.BRANCH, NotByItself.NOT_ABOUT_IT}


class Doubt(StrEnum):
    """Why what is left out does not pass."""

    NOT_ASKED = "not_asked"
    TARGET = "target"
    OLDER_LABEL = "older_label"
    PUSHED_BY = "pushed_by"
    JUDGED_ELSEWHERE = "judged_elsewhere"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Sifted:
    """What was decided about one head. `by` is what leaves it out (None: it is judged), and `what` the
    label, the author or who paused it; without a doubt it passes unjudged."""

    by: NotByItself | None = None
    what: str = ""
    doubt: Doubt | None = None


@dataclass(frozen=True, slots=True)
class _Filtered:
    """What a filter looks at."""

    repository: Repository
    pull_request: PullRequest
    decision: StartPullRequest
    configuration: Configuration


async def sift(
    at: AtRepository,
    pull_request: PullRequest,
    decision: StartPullRequest,
) -> Sifted:
    """Ask the configuration whether a head is judged by itself. Raises UserError and Transient.

    Where it cannot be read, the evaluation says why.
    """
    opened = partial(at.github.repository, installation=decision.place.installation)
    context = await policy_context(opened, at.repository.name, pull_request.base_ref)
    held = effective(await branch_layer(at.repository, pull_request.base_ref), context)
    asked = _Filtered(at.repository, pull_request, decision, held.configuration)
    label = decision.label.casefold()
    about = {*held.configuration.when.labels.skip, *held.configuration.when.labels.ask}
    if decision.trigger in ON_LABELS and label not in {name.casefold() for name in about}:
        return Sifted(NotByItself.NOT_ABOUT_IT)
    if held.problem:
        return Sifted(NotByItself.DRAFT if pull_request.draft else None)
    skipping, asking = await _labels(asked)
    by, what = (None, asking) if asking else await _filtered(asked, skipping)
    start = _STARTS.get(decision.trigger, ConfiguredTrigger.SYNCHRONIZE)
    if not asking and by is None and start not in held.configuration.triggers:
        by, what = NotByItself.TRIGGER, ""
    doubt = Doubt.TARGET if context.trusted else None
    if by is NotByItself.TRIGGER:
        doubt = Doubt.NOT_ASKED
    elif by is NotByItself.LABEL and (decision.trigger, decision.label) != (Trigger.LABELED, what):
        doubt = Doubt.OLDER_LABEL
    elif by is NotByItself.AUTHOR and decision.trigger not in _BY_PUSH:
        doubt = Doubt.PUSHED_BY
    return Sifted(by, what, doubt)


async def unless_paused(at: AtRepository, number: int, sifted: Sifted) -> Sifted:
    """What was decided, or that somebody paused the pull request: whatever filters say, it blocks then."""
    said = await asyncio.to_thread(at.store.pause_of, at.repository.name, number)
    if said is None or not said.is_paused or (sifted.by and sifted.by.is_silent):
        return sifted
    return Sifted(NotByItself.PAUSED, said.actor, Doubt.PAUSED)


async def _filtered(asked: _Filtered, skipping: str) -> tuple[NotByItself | None, str]:
    when, pull_request = asked.configuration.when, asked.pull_request
    if pull_request.draft and not when.drafts:
        return NotByItself.DRAFT, ""
    if when.branches and not matches_any(when.branches, pull_request.base_ref):
        return NotByItself.BRANCH, pull_request.base_ref
    if skipping:
        return NotByItself.LABEL, skipping
    if await _touches_nothing_asked_for(asked):
        return NotByItself.PATHS, ""
    # Only as long as the author alone acts: somebody else may have pushed to the branch.
    is_alone = asked.decision.place.actor == pull_request.author
    if is_alone and matches_any(when.authors.skip, pull_request.author):
        return NotByItself.AUTHOR, pull_request.author
    return None, ""


async def _labels(asked: _Filtered) -> tuple[str, str]:
    """The label that counts for leaving the pull request out, and the one that asks for it."""
    labels, there = asked.configuration.when.labels, asked.pull_request.labels
    if not (_known(labels.skip, there) or _known(labels.ask, there)):
        return "", ""
    found = await asked.repository.labels_set(asked.pull_request.number)
    by_people = [one for one in found if not one.by_bot and one.label in there]
    author = asked.pull_request.author.lower()
    skipping = asking = ""
    for one in by_people:
        counts = _known(labels.skip, [one.label]) and one.by.lower() != author
        if counts and (await asked.repository.permission(one.by)).can_triage:
            skipping = one.label
            break
    for one in by_people:
        counts = _known(labels.ask, [one.label])
        if counts and (await asked.repository.permission(one.by)).can_write:
            asking = one.label
            break
    return skipping, asking


def _known(wanted: Iterable[str], there: Iterable[str]) -> bool:
    """Whether one of the labels is there; GitHub's labels differ by more than their case."""
    return not {name.casefold() for name in wanted}.isdisjoint(name.casefold() for name in there)


async def _touches_nothing_asked_for(asked: _Filtered) -> bool:
    """Whether the path filter leaves out every changed file; what cannot be listed whole is judged.

    The configuration itself is always judged.
    """
    paths = asked.configuration.when.paths
    if not (paths.include or paths.exclude):
        return False
    changed = await asked.repository.changed_paths(asked.pull_request)
    now = await asked.repository.pull_request(asked.pull_request.number)
    same = (now.head_sha, now.base_ref) == (
        asked.pull_request.head_sha,
        asked.pull_request.base_ref,
    )
    if not (changed.complete and same) or PATH in changed.paths:
        return False
    return not any(
        (not paths.include or matches_any(paths.include, path))
        and not matches_any(paths.exclude, path)
        for path in changed.paths
    )


class Before(StrEnum):
    """What a commit's check runs say of it already."""

    NOTHING = "nothing"
    RUNNING = "running"  # it is being judged for this pull request and target
    JUDGED = "judged"  # it was judged for them
    ELSEWHERE = "elsewhere"  # for others: a filter must not cover that verdict up


async def judged_before(at: AtRepository, request: EvaluationRequest) -> Before:
    """Look whether a head has a verdict, or is about to get one."""
    found = Before.NOTHING
    for run in await at.repository.check_runs(request.head_sha, at.check_name):
        record = await asyncio.to_thread(at.store.evaluation, run.external_id)
        if record is None:
            is_verdict = run.conclusion != "cancelled"
        else:
            has_report = bool(record.report_key) and record.conclusion != "cancelled"
            is_verdict = has_report or not record.state.is_final
        if not is_verdict:
            continue
        earlier = await asyncio.to_thread(at.store.request, run.external_id)
        same = earlier and (earlier.number, earlier.base_ref) == (request.number, request.base_ref)
        if same and run.status == CheckStatus.COMPLETED:
            return Before.JUDGED
        if not same:
            found = Before.ELSEWHERE
        elif found is Before.NOTHING:
            found = Before.RUNNING
    return found
