"""Stages 9 to 11: the report in every format, stored; the answer where the request came from; the PDF."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pydantic import ValidationError

from bot.evaluation.decisions import keep_evaluation
from bot.evaluation.on_host import on_this_host
from bot.report.checks import annotate, check_summary, requirement_checks
from bot.report.findings import review, sarif
from bot.report.machine import machine, plan_rows, read_machine
from bot.report.markdown import EarlierVerdicts, PastVerdict, changes_since, html, markdown
from bot.report.model import ReportView
from bot.report.pdf import NO_PDF, pdf
from bot.report.pictures import embedded
from bot.report.view import view
from bot.services import Announcement, Services, evaluation_key
from bot.values import Conclusion, Evaluation, EvaluationRequest, Publication
from sandbox.values import Checkout, Diff

log = logging.getLogger(__name__)


@on_this_host
async def write_report(services: Services, evaluation: Evaluation) -> str:
    """Keep what was judged, render every format but the PDF and store it; returns the artifacts' key."""
    await services.origin.announce(evaluation.request, "report")
    await keep_evaluation(services, evaluation)
    return await keep_report(services, evaluation)


async def keep_report(services: Services, evaluation: Evaluation) -> str:
    """Render every format but the PDF and store it; returns the artifacts' key."""
    request = evaluation.request
    shown = view(evaluation, services.secrets, services.origin.home(request))
    page = html(shown)
    files = {
        "report.json": machine(shown).encode(),
        "report.sarif": sarif(shown).encode(),
        "report.md": markdown(shown, services.origin.link(request)).encode(),
        "report.html": page.encode(),
    }
    if shown.plan is not None:
        files["plan.json"] = plan_rows(shown.plan).encode()
    key = evaluation_key(request.id)
    for name, content in files.items():
        await asyncio.to_thread(services.artifacts.put, key, name, content)
    return key


@on_this_host
async def print_report(services: Services, key: str) -> bool:
    """Print the stored page as a PDF, after the verdict is out; false where there is none.

    Why there is none is stored in its place, so that nobody waits for it.
    """
    page = await asyncio.to_thread(services.artifacts.get, key, "report.html")
    if page is None or not services.settings.pdf:
        return False
    read = partial(services.artifacts.get, key)
    whole = await asyncio.to_thread(embedded, page.decode(), read)
    printed = await pdf(services.sandbox, whole, services.settings.chromium)
    if printed.content is None:
        log.warning("%s: %s", key, printed.remark)
        await asyncio.to_thread(services.artifacts.put, key, NO_PDF, printed.remark.encode())
        return False
    await asyncio.to_thread(services.artifacts.put, key, "report.pdf", printed.content)
    return True


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
    answer = Announcement(
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
    before = None
    if shown.judged:  # with a last report that is gone, or of another version, nothing is compared
        text = services.artifacts.get(earlier[0].report_key, "report.json")
        with suppress(ValidationError):
            before = read_machine(text) if text else None
    changes = changes_since(before, shown) if before and before.judged else ()
    return EarlierVerdicts(tuple(past), changes)
