"""Stages 9 and 11: one view, as Markdown, HTML, JSON and SARIF, stored as artifacts; then the PDF."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from bot.evaluation.decisions import keep_evaluation
from bot.evaluation.on_host import on_this_host
from bot.report.machine import machine, plan_rows
from bot.report.markdown import html, markdown
from bot.report.pdf import NO_PDF, pdf
from bot.report.pictures import embedded
from bot.report.sarif import sarif
from bot.report.view import view
from bot.services import Services, evaluation_key
from bot.values import Evaluation

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
