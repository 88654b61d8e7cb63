"""Start the evaluation of an agent's patch that came by `repository_dispatch`, or say why not."""

from __future__ import annotations

import asyncio

from bot.github import NotThere, Repository
from bot.store import Ended, EvaluationState
from bot.templates import render_markdown
from bot.values import Conclusion, EvaluationRequest, Trigger
from bot.webhook.decisions import RefusePatch, StartPatch
from bot.webhook.desk import Desk, begin, evaluation_id
from bot.webhook.patches import is_full_sha

PATCH_MARKER = "<!-- assay:agent-patch -->"


async def start_patch(
    desk: Desk, repository: Repository, decision: StartPatch, delivery_id: str
) -> str:
    """Judge an agent's diff or branch; what does not exist is a clear answer."""
    try:
        request = await _request_for_patch(repository, decision, delivery_id)
    except NotThere as error:
        refusal = RefusePatch(decision.place, decision.issue, (error.what,))
        return await refuse_patch(desk, repository, refusal, delivery_id)
    return await begin(desk, repository, request)


async def _request_for_patch(
    repository: Repository, decision: StartPatch, delivery_id: str
) -> EvaluationRequest:
    base_ref, base_sha = decision.base, decision.base
    if not is_full_sha(decision.base):
        base_ref = decision.base or await repository.default_branch()
        base_sha = await repository.branch_sha(base_ref)
    head_sha = await repository.branch_sha(decision.branch) if decision.branch else ""
    place = decision.place
    return EvaluationRequest(
        id=evaluation_id(place.repository, 0, head_sha, delivery_id),
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


async def refuse_patch(
    desk: Desk, repository: Repository, decision: RefusePatch, delivery_id: str
) -> str:
    """Say what is wrong: on the issue, and on the evaluation's page and JSON."""
    place = decision.place
    request = EvaluationRequest(
        id=evaluation_id(place.repository, 0, "", delivery_id),
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
    await asyncio.to_thread(desk.store.queued, request)
    how = Ended(EvaluationState.FAILED, Conclusion.ACTION_REQUIRED, "The patch was refused", told)
    await asyncio.to_thread(desk.store.ended, request.id, how)
    if decision.issue:
        body = render_markdown("reply/refused_patch.md.j2", problems=decision.problems)
        await repository.put_comment(decision.issue, PATCH_MARKER, body)
    return f"refused the patch: {told}"
