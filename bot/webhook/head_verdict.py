"""The verdict on a pull request's newest commit: what people talk about, and have explained."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass
from datetime import datetime

from bot.errors import UserError
from bot.github import PullRequest
from bot.report.model import ReportView, RequirementView
from bot.store import EvaluationRecord, EvaluationState
from bot.templates import render_markdown
from bot.values import Evaluation, EvaluationRequest, Judgement, Requirement
from bot.webhook.adapters import Adapters, AtRepository
from bot.webhook.decisions import ExplainVerdict, ObeyCommand
from bot.webhook.grammar import first_id
from bot.webhook.start import number_of

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


async def records_of(at: AtRepository, pull_request: PullRequest) -> tuple[EvaluationRecord, ...]:
    """Every evaluation of a pull request's newest commit, newest first."""
    about = (at.repository.name, pull_request.number, pull_request.head_sha)
    return await asyncio.to_thread(at.store.of_commit, *about)


def with_verdict(records: tuple[EvaluationRecord, ...]) -> tuple[EvaluationRecord, ...]:
    """Those that ended with a report."""
    return tuple(one for one in records if one.state is EvaluationState.DONE and one.report_key)


async def judged_head(at: AtRepository, number: int) -> JudgedHead:
    """Find the verdict. Raises UserError, in one line, where there is none."""
    pull_request = await at.repository.pull_request(number)
    return await judged(at, pull_request, await records_of(at, pull_request))


async def judged(
    adapters: Adapters,
    pull_request: PullRequest,
    records: tuple[EvaluationRecord, ...],
    given_s: float = math.inf,
) -> JudgedHead:
    """Read the newest verdict among a commit's evaluations.

    Raises UserError where there is none, or was none yet when somebody wrote at `given_s` (Unix time).
    """
    verdicts, sha = with_verdict(records), pull_request.head_sha[:12]
    if not verdicts:
        newest = records[0] if records else None
        if newest and not newest.state.is_final:
            raise UserError(
                f"The newest commit `{sha}` has no verdict yet: it is being judged right now.",
                "Comment again when its check run is finished.",
            )
        if newest and newest.state is EvaluationState.FAILED:
            raise UserError(
                f"The newest commit `{sha}` has no verdict: Assay could not finish judging it.",
                "Comment `/judge` to try again.",
            )
        raise UserError(f"The newest commit `{sha}` has no verdict yet.", _WAIT)
    if min(one.updated_s for one in verdicts) > given_s + _CLOCKS_DIFFER_S:
        raise UserError(
            f"`{sha}` was judged after you wrote this, so it does not count for that commit.",
            "Read the new verdict, then comment again.",
        )
    request = await asyncio.to_thread(adapters.store.request, verdicts[0].id)
    if request is None:
        raise AssertionError("an evaluation was recorded without its request")
    evaluation = await adapters.verdicts.evaluation(request)
    if evaluation.judgement is None:
        raise AssertionError("a kept verdict has no judgement")
    address = adapters.github.clone_url(request.repository)
    again = any(not one.state.is_final for one in records)
    return JudgedHead(pull_request, request, evaluation, evaluation.judgement, address, again)


def seconds(given_at: str) -> float:
    """Return a webhook's time as Unix time; one without a time counts as now."""
    return datetime.fromisoformat(given_at).timestamp() if given_at else time.time()


# --- `/judge explain R2` and the button "Explain": why a verdict is what it is ----------------------
# Nothing is run and no model is asked: the stored evaluation is read, and the answer is put in place.


MOST_ROWS = 5
MOST_CHARACTERS = 60_000
"""GitHub takes 65,536."""


async def explain(at: AtRepository, decision: ObeyCommand) -> str:
    """Return the answer about one requirement. Raises UserError where there is nothing to explain."""
    found = await judged_head(at, decision.number)
    wanted = found.requirement(first_id(decision.words), "/judge explain R1").id
    shown = await at.verdicts.shown(found.request)
    rows = tuple(row for row in shown.requirements if row.requirement.id == wanted)
    return _explained(at, found, shown, rows)


async def explain_all(at: AtRepository, decision: ExplainVerdict) -> str:
    """Explain what is not met of the clicked commit, or everything where nothing is missing."""
    number = await number_of(at, decision)
    if not number or not (await at.repository.permission(decision.place.actor)).can_write:
        return "the clicker may not write"
    try:
        found = await judged_head(at, number)
    except UserError as error:
        return f"refused: {error.what}"
    if found.request.head_sha != decision.head_sha:
        return "the clicked commit is not the newest"
    shown = await at.verdicts.shown(found.request)
    of_task = [row for row in shown.met if not row.requirement.category.is_of_project]
    rows = shown.unmet or tuple(of_task) or shown.met
    body = _explained(at, found, shown, rows)
    await at.repository.put_comment(number, f"<!-- assay:explained {found.request.id} -->", body)
    return "explained"


def _explained(
    adapters: Adapters, found: JudgedHead, shown: ReportView, rows: tuple[RequirementView, ...]
) -> str:
    """The answer, with as many requirements as fit into a comment."""
    body = ""
    for most in range(MOST_ROWS, 0, -1):
        body = render_markdown(
            "reply/explained.md.j2",
            view=shown,
            rows=rows[:most],
            left_out=tuple(row.requirement.id for row in rows[most:]),
            link=adapters.link(found.request.id),
            again=found.is_judged_again,
        )
        if len(body) <= MOST_CHARACTERS:
            break
    return body
