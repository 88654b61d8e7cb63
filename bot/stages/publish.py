"""Stage 10: the answer, where the request came from."""

from __future__ import annotations

from bot.models import Evaluation, Publication
from bot.report.checks import annotate, check_summary
from bot.report.markdown import markdown
from bot.report.view import view
from bot.stages.services import Answer, Services
from sandbox.models import Checkout, Diff


async def publish(
    services: Services, evaluation: Evaluation, checkout: Checkout | None, report_key: str
) -> Publication:
    """Publish once, whatever happened before; what is superseded says so."""
    shown = view(evaluation, services.secrets, services.origin.home(evaluation.request))
    link = services.origin.link(evaluation.request)
    diff = checkout.diff if checkout else Diff(())
    answer = Answer(
        evaluation,
        report_key,
        markdown(shown, link),
        check_summary(shown, link),
        annotate(shown, diff),
    )
    return await services.origin.publish(answer)
