"""The HTML report on A4 paper, by the Chromium of the sandbox: the page holds strangers' text."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.base import Sandbox, SandboxError
from sandbox.browser.paper import NotPrinted, PrintedPage, print_page

TIMEOUT_S = 60.0
NO_PDF = "no-pdf.txt"
"""Stands among the artifacts where a report could not be printed, and says why."""


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF, or None with a remark that says why there is none."""

    content: bytes | None
    remark: str = ""


async def pdf(sandbox: Sandbox, html: str, chromium: str) -> Pdf:
    """Print a page of our own making. Never raises for the browser's sake: a report needs no PDF."""
    # Folds are ours alone (untrusted text is escaped): on paper those that say so stand open, and what
    # nobody reads on paper stays in the page.
    page = html.replace('<details class="paper">', '<details class="paper" open>')
    try:
        printed = await print_page(sandbox, page, chromium, TIMEOUT_S)
    except SandboxError as error:
        return Pdf(None, f"No PDF: the sandbox does not start ({error}).")
    return Pdf(printed.content, _remark(printed, chromium))


def _remark(printed: PrintedPage, chromium: str) -> str:
    match printed.why:
        case None:
            return ""
        case NotPrinted.NO_CHROMIUM:
            return (
                f"No PDF: there is no Chromium at {chromium} in the sandbox (set ASSAY_CHROMIUM)."
            )
        case NotPrinted.LIMIT:
            return f"No PDF: Chromium was stopped at its limit ({printed.said})."
        case NotPrinted.FAILED:
            return f"No PDF: Chromium failed ({printed.said or 'without a word'})."
