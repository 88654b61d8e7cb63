"""`/judge ask …`: a question about the present verdict, answered by a model from what was kept."""

from __future__ import annotations

from functools import partial

from bot.configuration import effective, refusal
from bot.errors import UserError
from bot.github import Repository
from bot.source.policy import branch_layer, policy_context
from bot.templates import render_markdown
from bot.values import Question
from bot.webhook.decisions import ObeyCommand
from bot.webhook.desk import Desk
from bot.webhook.head_verdict import judged_head


async def ask(desk: Desk, repository: Repository, decision: ObeyCommand, _delivery_id: str) -> str:
    """Return the answer, paid from the pull request's budget. Raises UserError where there is none."""
    if not desk.verdicts.has_model:
        raise UserError(
            "No model is set, so nobody can answer.",
            "`/judge explain R1` answers without one, from what was kept.",
        )
    if not decision.words:
        raise UserError("Ask something: `/judge ask <question>`.")
    found = await judged_head(desk, repository, decision.number)
    base_ref = found.pull_request.base_ref
    opened = partial(desk.github.repository, installation=decision.place.installation)
    context = await policy_context(opened, repository.name, base_ref)
    held = effective(await branch_layer(repository, base_ref), context)
    if held.problem:
        raise refusal(held.problem)
    question = Question(decision.words, decision.comment, held.configuration.limits.usd)
    return render_markdown(
        "reply/answered.md.j2",
        answered=await desk.verdicts.answer(found.request, question),
        head=found.request.head_sha,
        link=desk.link(found.request.id),
        again=found.is_judged_again,
    )
