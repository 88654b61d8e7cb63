"""Start evaluations: of a pull request, a merge group, an agent's patch, or once more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from bot.github import CheckAction, NotThere, PullRequest
from bot.store import Ended, EvaluationState
from bot.templates import check_words, render_markdown
from bot.values import Conclusion, EvaluationRequest, Trigger
from bot.webhook.adapters import (
    ALREADY,
    Adapters,
    AtRepository,
    begin,
    claim,
    completed,
    evaluation_id,
    queued_report,
    shared_head,
    stop,
    stop_replaced,
    take_back_each,
)
from bot.webhook.decisions import (
    Approve,
    Clicked,
    RefusePatch,
    Rerun,
    StartMergeGroup,
    StartPatch,
    StartPullRequest,
)
from bot.webhook.events import APPROVE, JUDGE
from bot.webhook.patches import is_full_sha
from bot.webhook.when import (
    BY_HAND,
    ON_LABELS,
    Before,
    Doubt,
    NotByItself,
    Sifted,
    judged_before,
    sift,
    unless_paused,
)

PATCH_MARKER = "<!-- assay:agent-patch -->"


async def start_pull_request(at: AtRepository, decision: StartPullRequest) -> str:
    """Judge a pull request's head as GitHub has it now, if the configuration or somebody asks for it."""
    pull_request = await at.repository.pull_request(decision.number)
    if not pull_request.is_open:
        return "the pull request is closed"
    if decision.head_sha and decision.head_sha != pull_request.head_sha:
        return "the head has moved on; its own delivery follows"
    before = await asyncio.to_thread(at.store.latest, at.repository.name, decision.number)
    if before and before.head_sha not in ("", pull_request.head_sha):
        # For those that still have it.
        await shared_head(at).agree(before.head_sha, decision.number)
    request = request_for(at, pull_request, decision)
    if decision.trigger not in BY_HAND:
        sifted = await sift(at, pull_request, decision)
        sifted = await unless_paused(at, decision.number, sifted)
        done = await _leave_out(at, request, sifted)
        if done:
            return done
    if await _needs_approval(at, pull_request):
        # A finished check run that blocks, with a button that a maintainer can click.
        words = check_words("approval", author=pull_request.author)
        button = CheckAction("Approve and run", "Runs this commit in the sandbox", APPROVE)
        shown = Unjudged(Conclusion.ACTION_REQUIRED, words, button, words[1])
        done = await _end_unjudged(at, request, shown)
        return done or "waits for a maintainer's approval"
    return await begin(at, request)


def request_for(
    at: AtRepository, pull_request: PullRequest, decision: StartPullRequest
) -> EvaluationRequest:
    """What is judged of a pull request's head, asked for by one delivery."""
    place, sha = decision.place, pull_request.head_sha
    return EvaluationRequest(
        id=evaluation_id(place.repository, pull_request.number, sha, at.delivery_id),
        repository=place.repository,
        head_sha=sha,
        base_sha=pull_request.base_sha,
        base_ref=pull_request.base_ref,
        trigger=decision.trigger,
        number=pull_request.number,
        installation=place.installation,
        head_ref=pull_request.head_ref,
        actor=place.actor,
    )


async def _leave_out(at: AtRepository, request: EvaluationRequest, sifted: Sifted) -> str:
    """Show that a head is not judged by itself and return what was done; "" where it shall be judged."""
    by, trigger = sifted.by, request.trigger
    if by is NotByItself.DRAFT:
        about = (request.repository, request.number)
        for record in await asyncio.to_thread(at.store.open_evaluations, *about):
            await stop(at, record, "The pull request is a draft.")
    is_as_before = by is not None and (by.is_silent or trigger is Trigger.EDITED)
    if is_as_before or trigger is Trigger.DRAFTED:
        return f"left alone: {by.value if by else 'drafts are judged too'}"
    if by is None and trigger not in ON_LABELS:
        return ""
    before = await judged_before(at, request)
    if before is Before.JUDGED or (before is Before.RUNNING and by is not NotByItself.LABEL):
        return "it was judged, or is being judged"
    if by is None:
        return ""
    if before is Before.ELSEWHERE:
        sifted = replace(sifted, doubt=sifted.doubt or Doubt.JUDGED_ELSEWHERE)
    words = check_words("not_judged", sifted=sifted, base=request.base_ref)
    button = CheckAction("Judge now", "Runs this commit in the sandbox", JUDGE)
    conclusion = Conclusion.ACTION_REQUIRED if sifted.doubt else Conclusion.NEUTRAL
    shown = Unjudged(conclusion, words, button)
    there = await asyncio.to_thread(at.store.of_head, request.repository, request.head_sha)
    newest = there[0] if there else None
    says = newest and (newest.number, newest.report_key, newest.conclusion, newest.title)
    if says == (request.number, "", conclusion, words[0]):
        return "its check run says so already"
    return await _end_unjudged(at, request, shown) or f"not judged: {words[0]}"


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A check run that is finished without an evaluation: title and summary, and a button to start one.

    `problem` is what the evaluation's page says.
    """

    conclusion: Conclusion
    words: tuple[str, str]
    button: CheckAction
    problem: str = ""


async def _end_unjudged(at: AtRepository, request: EvaluationRequest, shown: Unjudged) -> str:
    """Show it and remember it; why not, if another delivery did."""
    if not await asyncio.to_thread(at.store.queued, request, claim(request)):
        return ALREADY
    await stop_replaced(at, request)
    report = completed(queued_report(at, request), shown.conclusion, shown.words, shown.button)
    run = await at.repository.put_check_run(report)
    await asyncio.to_thread(at.store.check_run, request.id, run.id, True)
    how = Ended(EvaluationState.DONE, shown.conclusion, shown.words[0], shown.problem)
    await asyncio.to_thread(at.store.ended, request.id, how)
    await take_back_each(at, request)
    await shared_head(at).agree(request.head_sha, request.number)
    return ""


async def _needs_approval(at: AtRepository, pull_request: PullRequest) -> bool:
    if not (at.approve_first_time_forks and pull_request.from_fork):
        return False
    head = (pull_request.number, pull_request.head_sha)
    approved = await asyncio.to_thread(at.store.is_approved, at.repository.name, head)
    return not approved and await at.repository.is_first_time_contributor(pull_request)


async def start_merge_group(at: AtRepository, decision: StartMergeGroup) -> str:
    """Judge what a merge queue is about to merge."""
    place = decision.place
    request = EvaluationRequest(
        id=evaluation_id(place.repository, 0, decision.head_sha, at.delivery_id),
        repository=place.repository,
        head_sha=decision.head_sha,
        base_sha=decision.base_sha,
        base_ref=decision.base_ref,
        trigger=Trigger.MERGE_GROUP,
        installation=place.installation,
        head_ref=decision.head_ref,
        actor=place.actor,
    )
    return await begin(at, request)


async def rerun(at: AtRepository, decision: Rerun) -> str:
    """Judge a commit again, as what it was judged before."""
    number = await number_of(at, decision)
    if number:
        start = StartPullRequest(decision.place, number, decision.head_sha, Trigger.RERUN)
        return await start_pull_request(at, start)
    earlier = await _earlier(at, decision)
    if earlier is None:
        return "nothing is known of this commit"
    name, sha = earlier.repository, earlier.head_sha
    again = replace(
        earlier, id=evaluation_id(name, 0, sha, at.delivery_id), actor=decision.place.actor
    )
    return await begin(at, again)


async def _earlier(adapters: Adapters, decision: Clicked) -> EvaluationRequest | None:
    """Find what the clicked commit was asked for, in this repository only."""
    wanted = await asyncio.to_thread(adapters.store.request, decision.evaluation_id)
    if wanted is None:
        found = await asyncio.to_thread(
            adapters.store.of_head, decision.place.repository, decision.head_sha
        )
        wanted = await asyncio.to_thread(adapters.store.request, found[0].id) if found else None
    if wanted and wanted.repository == decision.place.repository:
        return wanted
    return None


async def number_of(adapters: Adapters, decision: Clicked) -> int:
    """The clicked commit's pull request, which GitHub does not name for forks; 0 where it is none."""
    if decision.number:
        return decision.number
    earlier = await _earlier(adapters, decision)
    return earlier.number if earlier else 0


async def approve_and_run(at: AtRepository, decision: Approve) -> str:
    """Remember a maintainer's approval of one head, and judge it."""
    place = decision.place
    if not (await at.repository.permission(place.actor)).can_write:
        return "the clicker may not write"
    number = await number_of(at, decision)
    head = (number, decision.head_sha)
    await asyncio.to_thread(at.store.approve_head, place.repository, head, place.actor)
    again = Rerun(place, *head, decision.evaluation_id)
    return await rerun(at, again)


async def start_patch(at: AtRepository, decision: StartPatch) -> str:
    """Judge an agent's diff or branch; what does not exist is a clear answer."""
    place, base_ref, base_sha = decision.place, decision.base, decision.base
    try:
        if not is_full_sha(decision.base):
            base_ref = decision.base or await at.repository.default_branch()
            base_sha = await at.repository.branch_sha(base_ref)
        head_sha = await at.repository.branch_sha(decision.branch) if decision.branch else ""
    except NotThere as error:
        refusal = RefusePatch(place, decision.issue, (error.what,))
        return await refuse_patch(at, refusal)
    request = EvaluationRequest(
        id=evaluation_id(place.repository, 0, head_sha, at.delivery_id),
        repository=place.repository,
        head_sha=head_sha,
        base_sha=base_sha,
        base_ref=base_ref,
        trigger=Trigger.AGENT_PATCH,
        issue=decision.issue,
        installation=place.installation,
        head_ref=decision.branch,
        actor=place.actor,
        patch=decision.diff,
        task_text=decision.task,
        agent=decision.agent,
        trajectory=decision.trajectory,
    )
    return await begin(at, request)


async def refuse_patch(at: AtRepository, decision: RefusePatch) -> str:
    """Say what is wrong: on the issue, and on the evaluation's page and JSON."""
    place = decision.place
    request = EvaluationRequest(
        id=evaluation_id(place.repository, 0, "", at.delivery_id),
        repository=place.repository,
        head_sha="",
        base_sha="",
        base_ref="",
        trigger=Trigger.AGENT_PATCH,
        issue=decision.issue,
        installation=place.installation,
        actor=place.actor,
    )
    told = "; ".join(decision.problems)
    await asyncio.to_thread(at.store.queued, request)
    how = Ended(EvaluationState.FAILED, Conclusion.ACTION_REQUIRED, "The patch was refused", told)
    await asyncio.to_thread(at.store.ended, request.id, how)
    if decision.issue:
        body = render_markdown("reply/refused_patch.md.j2", problems=decision.problems)
        await at.repository.put_comment(decision.issue, PATCH_MARKER, body)
    return f"refused the patch: {told}"
