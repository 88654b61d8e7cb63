"""The report as one self-contained HTML page: no script, nothing remote, readable on paper too."""

from __future__ import annotations

from bot.report.model import ReportView
from bot.templates import render_html


def html(view: ReportView) -> str:
    """The whole page; its own policy forbids everything but its inline style."""
    return render_html("report/report.html.j2", view=view)
