"""One view model, rendered to Markdown, HTML, PDF and JSON.

shown = view(evaluation)
markdown(shown, link), html(shown), await pdf(html(shown), chromium), machine(shown)
check_summary(shown, link), annotate(shown, diff)
"""

from bot.report.checks import Annotation, AnnotationLevel, CheckText, annotate, check_summary
from bot.report.html import html
from bot.report.machine import ReportDocument, machine, read_report
from bot.report.markdown import markdown, marker
from bot.report.model import ReportView
from bot.report.pdf import Pdf, pdf
from bot.report.view import view

__all__ = [
    "Annotation",
    "AnnotationLevel",
    "CheckText",
    "Pdf",
    "ReportDocument",
    "ReportView",
    "annotate",
    "check_summary",
    "html",
    "machine",
    "markdown",
    "marker",
    "pdf",
    "read_report",
    "view",
]
