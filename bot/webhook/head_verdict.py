"""The verdict on a pull request's newest commit: what people talk about."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime

from bot.errors import UserError
from bot.github import PullRequest, Repository
from bot.store import EvaluationRecord, EvaluationState
from bot.values import Evaluation, EvaluationRequest, Judgement, Requirement
from bot.webhook.desk import Desk

_MOST_IDS = 30
_CLOCKS_DIFFER_S = 2.0
_WAIT = "Wait for it, then comment again; `/judge` starts a run where none is on its way."


@dataclass(frozen=True, slots=True)
class JudgedHead:
    """The newest verdict on the newest commit; `is_judged_again` while another evaluation is open.

    `address` is where git fetches the repository.
    """

    pull_request: PullRequest
    request: EvaluationRequest
    evaluation: Evaluation
    judgement: Judgement
    address: str
    is_judged_again: bool = False

    def requirement(self, wanted: str, usage: str) -> Requirement:
        """Find a requirement by its id, in any case. Raises UserError that names those there are."""
        items = self.judgement.requirements.items
        named = f"This verdict has {', '.join(one.id for one in items[:_MOST_IDS])}."
        if not wanted:
            raise UserError(f"Name a requirement: `{usage}`.", named)
        for one in items:
            if one.id.lower() == wanted.lower():
                return one
        raise UserError(f"There is no requirement `{wanted[:40]}` here.", named)


async def records_of(
    desk: Desk, repository: Repository, pull_request: PullRequest
) -> tuple[EvaluationRecord, ...]:
    """Every evaluation of a pull request's newest commit, newest first."""
    about = (repository.name, pull_request.number, pull_request.head_sha)
    return await asyncio.to_thread(desk.store.of_commit, *about)


def with_verdict(records: tuple[EvaluationRecord, ...]) -> tuple[EvaluationRecord, ...]:
    """Those that ended with a report."""
    return tuple(one for one in records if one.state is EvaluationState.DONE and one.report_key)


async def judged_head(desk: Desk, repository: Repository, number: int) -> JudgedHead:
    """Find the verdict. Raises UserError, in one line, where there is none."""
    pull_request = await repository.pull_request(number)
    return await judged(desk, pull_request, await records_of(desk, repository, pull_request))


async def judged(
    desk: Desk, pull_request: PullRequest, records: tuple[EvaluationRecord, ...]
) -> JudgedHead:
    """Read the newest verdict among a commit's evaluations. Raises UserError where there is none."""
    verdicts = with_verdict(records)
    if not verdicts:
        raise _no_verdict(pull_request.head_sha[:12], records)
    request = await asyncio.to_thread(desk.store.request, verdicts[0].id)
    if request is None:
        raise AssertionError("an evaluation was recorded without its request")
    evaluation = await desk.verdicts.evaluation(request)
    if evaluation.judgement is None:
        raise AssertionError("a kept verdict has no judgement")
    address = desk.github.clone_url(request.repository)
    again = any(not one.state.is_final for one in records)
    return JudgedHead(pull_request, request, evaluation, evaluation.judgement, address, again)


def check_was_seen(
    pull_request: PullRequest, records: tuple[EvaluationRecord, ...], given_s: float
) -> None:
    """Raise UserError where a commit had no verdict yet when somebody wrote (Unix time)."""
    verdicts = with_verdict(records)
    if verdicts and min(one.updated_s for one in verdicts) > given_s + _CLOCKS_DIFFER_S:
        raise UserError(
            f"`{pull_request.head_sha[:12]}` was judged after you wrote this, so it does not count for "
            "that commit.",
            "Read the new verdict, then comment again.",
        )


def seconds(given_at: str) -> float:
    """Return a webhook's time as Unix time; one without a time counts as now."""
    return datetime.fromisoformat(given_at).timestamp() if given_at else time.time()


def _no_verdict(sha: str, records: tuple[EvaluationRecord, ...]) -> UserError:
    newest = records[0] if records else None
    if newest and not newest.state.is_final:
        return UserError(
            f"The newest commit `{sha}` has no verdict yet: it is being judged right now.",
            "Comment again when its check run is finished.",
        )
    if newest and newest.state is EvaluationState.FAILED:
        return UserError(
            f"The newest commit `{sha}` has no verdict: Assay could not finish judging it.",
            "Comment `/judge` to try again.",
        )
    return UserError(f"The newest commit `{sha}` has no verdict yet.", _WAIT)
