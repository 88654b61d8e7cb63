"""Stage 9: one view, as Markdown, HTML, PDF, JSON and SARIF, stored as artifacts."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from bot.models import Evaluation
from bot.report.html import html
from bot.report.machine import machine, plan_rows
from bot.report.markdown import markdown
from bot.report.pdf import pdf
from bot.report.pictures import embedded
from bot.report.sarif import sarif
from bot.report.view import view
from bot.stages.decisions import keep_evaluation
from bot.stages.services import Services, evaluation_key

log = logging.getLogger(__name__)


async def write_report(services: Services, evaluation: Evaluation) -> str:
    """Keep what was judged, render every format and store it; returns the artifacts' key."""
    await services.origin.announce(evaluation.request, "report")
    await keep_evaluation(services, evaluation)
    return await keep_report(services, evaluation)


async def keep_report(services: Services, evaluation: Evaluation) -> str:
    """Render every format and store it; returns the artifacts' key."""
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
    if services.settings.pdf:
        read = partial(services.artifacts.get, key)
        whole = await asyncio.to_thread(embedded, page, read)
        printed = await pdf(whole, services.settings.chromium)
        if printed.content is not None:
            files["report.pdf"] = printed.content
        else:
            log.warning("%s: %s", request.id, printed.remark)
    for name, content in files.items():
        await asyncio.to_thread(services.artifacts.put, key, name, content)
    return key
