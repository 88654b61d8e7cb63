"""Stage 8: one view, as Markdown, HTML, PDF and JSON, stored as artifacts."""

from __future__ import annotations

import asyncio
import hashlib

from bot.models import Evaluation
from bot.report import html, machine, markdown, pdf, view
from bot.stages.services import Services


async def write_report(services: Services, evaluation: Evaluation) -> str:
    """Render the four formats and store them; returns the artifacts' key."""
    request = evaluation.request
    await services.origin.announce(request, "report")
    shown = view(evaluation)
    page = html(shown)
    files = {
        "report.json": machine(shown).encode(),
        "report.md": markdown(shown, services.origin.link(request)).encode(),
        "report.html": page.encode(),
    }
    printed = await pdf(page, services.settings.chromium)
    if printed is not None:
        files["report.pdf"] = printed
    key = report_key(request.id)
    for name, content in files.items():
        await asyncio.to_thread(services.artifacts.put, key, name, content)
    return key


def report_key(evaluation_id: str) -> str:
    """Return the artifact folder of an evaluation: its id by digest, whatever characters it has."""
    return hashlib.sha256(evaluation_id.encode()).hexdigest()[:32]
