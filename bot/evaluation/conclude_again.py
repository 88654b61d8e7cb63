"""Concludes a kept evaluation again with what people decided since: nothing is run or judged anew.

Every part may be repeated. Who records a decision concludes again afterwards, and whoever publishes looks
for decisions afterwards: so none is lost, however the two overlap.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.errors import UserError
from bot.evaluation.answering import answer
from bot.evaluation.decisions import decided_here, kept_evaluation
from bot.evaluation.publish import publish
from bot.evaluation.report import keep_report, print_report
from bot.report.model import ReportView
from bot.report.view import view
from bot.services import Services
from bot.values import Answered, Evaluation, EvaluationRequest, Publication, Question
from sandbox.values import Checkout


@dataclass(frozen=True, slots=True)
class KeptVerdicts:
    """The verdicts that were published, for people to decide about."""

    services: Services

    async def evaluation(self, request: EvaluationRequest) -> Evaluation:
        """What was judged, with the decisions until now. Raises UserError when it is gone."""
        kept = await asyncio.to_thread(kept_evaluation, self.services, request)
        if kept is None or kept.judgement is None:
            raise UserError(
                "This commit has no verdict to decide about.", "Comment `/judge` to judge it first."
            )
        return await asyncio.to_thread(decided_here, self.services, kept)

    async def shown(self, request: EvaluationRequest) -> ReportView:
        """The same as people read it: capped, and scrubbed of secrets. Raises UserError as well."""
        evaluation, services = await self.evaluation(request), self.services
        home = services.origin.home(request)
        return await asyncio.to_thread(view, evaluation, services.secrets, home)

    @property
    def has_model(self) -> bool:
        """Whether a model is set that can be asked."""
        return bool(self.services.settings.model)

    async def answer(self, request: EvaluationRequest, question: Question) -> Answered:
        """Ask the model about what was kept. Raises UserError where it is gone, or gives no answer."""
        return await answer(self.services, await self.evaluation(request), question)

    async def conclude_again(self, request: EvaluationRequest) -> Evaluation:
        """Write the report, the comment and the check run anew. Raises UserError when it is gone."""
        evaluation = await self.evaluation(request)
        key = await keep_report(self.services, evaluation)
        await publish(self.services, evaluation, None, key)
        await print_report(self.services, key)
        return evaluation


async def publish_decided(
    services: Services, evaluation: Evaluation, checkout: Checkout | None, report_key: str
) -> Publication:
    """Publish; and once more with what people decided in the meantime."""
    publication = await publish(services, evaluation, checkout, report_key)
    now = await asyncio.to_thread(decided_here, services, evaluation)
    if now == evaluation:
        return publication
    key = await keep_report(services, now)
    return await publish(services, now, None, key)
