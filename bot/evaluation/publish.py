"""Stage 10: the answer, where the request came from."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

from pydantic import ValidationError

from bot.evaluation.on_host import on_this_host
from bot.report.checks import annotate, check_summary, requirement_checks
from bot.report.machine import read_machine
from bot.report.markdown import EarlierVerdicts, PastVerdict, VerdictChange, changes_since, markdown
from bot.report.model import ReportView
from bot.report.suggestions import review
from bot.report.view import view
from bot.services import Answer, Services
from bot.store import EvaluationRecord
from bot.values import Conclusion, Evaluation, EvaluationRequest, Publication
from sandbox.values import Checkout, Diff


@on_this_host
async def publish(
    services: Services, evaluation: Evaluation, checkout: Checkout | None, report_key: str
) -> Publication:
    """Publish once, whatever happened before; what is superseded says so."""
    request = evaluation.request
    shown = view(evaluation, services.secrets, services.origin.home(request))
    link = services.origin.link(request)
    diff = checkout.diff if checkout else Diff(())
    observed = evaluation.observed
    memory = await asyncio.to_thread(_remember, services, request, shown)
    answer = Answer(
        evaluation,
        report_key,
        markdown(shown, link, memory),
        check_summary(shown, link, memory),
        annotate(shown, diff),
        requirement_checks(shown, link) if evaluation.checks_each else (),
        review(observed.fixes, diff, services.secrets) if observed else None,
    )
    return await services.origin.publish(answer)


def _remember(
    services: Services, request: EvaluationRequest, shown: ReportView
) -> EarlierVerdicts | None:
    """What was said of the pull request before this evaluation. Raises Transient."""
    if not request.number:
        return None
    records = services.store.history(request.repository, request.number)
    current = services.store.evaluation(request.id)
    began_s = current.created_s if current else time.time()
    earlier = [one for one in records if one.id != request.id and one.created_s <= began_s]
    if not earlier:
        return None
    past = (
        PastVerdict(
            Conclusion(one.conclusion),
            one.title,
            one.head_sha,
            services.origin.link(replace(request, id=one.id)),
            time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(one.updated_s)),
        )
        for one in earlier
        if one.conclusion
    )
    return EarlierVerdicts(
        tuple(past), _changes(services, earlier[0], shown) if shown.judged else ()
    )


def _changes(
    services: Services, last: EvaluationRecord, shown: ReportView
) -> tuple[VerdictChange, ...]:
    """Compare with the last report; one that is gone, or of another version, is compared with nothing."""
    text = services.artifacts.get(last.report_key, "report.json")
    try:
        before = read_machine(text) if text else None
    except ValidationError:
        return ()
    return changes_since(before, shown) if before and before.judged else ()
