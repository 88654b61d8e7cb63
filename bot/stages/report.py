"""Stage 8: one view, as Markdown, HTML, PDF and JSON, stored as artifacts."""

from __future__ import annotations

import asyncio
import logging

from bot.models import Evaluation
from bot.report.html import html
from bot.report.machine import machine, plan_rows
from bot.report.markdown import markdown
from bot.report.pdf import pdf
from bot.report.view import view
from bot.stages.services import Services, evaluation_key

log = logging.getLogger(__name__)


async def write_report(services: Services, evaluation: Evaluation) -> str:
    """Render the four formats, and a test plan's rows, and store them; returns the artifacts' key."""
    request = evaluation.request
    await services.origin.announce(request, "report")
    shown = view(evaluation, services.secrets)
    page = html(shown)
    files = {
        "report.json": machine(shown).encode(),
        "report.md": markdown(shown, services.origin.link(request)).encode(),
        "report.html": page.encode(),
    }
    if shown.plan is not None:
        files["plan.json"] = plan_rows(shown.plan).encode()
    printed = await pdf(page, services.settings.chromium)
    if printed.content is not None:
        files["report.pdf"] = printed.content
    else:
        log.warning("%s: %s", request.id, printed.remark)
    key = evaluation_key(request.id)
    for name, content in files.items():
        await asyncio.to_thread(services.artifacts.put, key, name, content)
    return key
