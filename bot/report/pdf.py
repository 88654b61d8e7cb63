"""The HTML report on A4 paper, by the Chromium of the sandbox: the page holds strangers' text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from sandbox.base import Command, Limits, Sandbox, SandboxError
from sandbox.browser import journey
from sandbox.toolchains import layers

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
    match printed.why:
        case None:
            remark = ""
        case NotPrinted.NO_CHROMIUM:
            remark = (
                f"No PDF: there is no Chromium at {chromium} in the sandbox (set ASSAY_CHROMIUM)."
            )
        case NotPrinted.LIMIT:
            remark = f"No PDF: Chromium was stopped at its limit ({printed.said})."
        case NotPrinted.FAILED:
            remark = f"No PDF: Chromium failed ({printed.said or 'without a word'})."
    return Pdf(printed.content, remark)


# --- one page by the Chromium inside the sandbox, without scripts and without network --------------


_SPARE_S = 5.0  # of the time limit, for the browser to say itself that it was too slow
_PDF_BYTES = 200_000_000
_PDF_MARK = b"%PDF-"
_NO_CHROMIUM = 2  # see inside/print.mjs


class NotPrinted(Enum):
    """Why there is no PDF."""

    NO_CHROMIUM = auto()
    LIMIT = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A PDF; or None, why there is none, and what was said (the name of a limit, the browser's words)."""

    content: bytes | None
    why: NotPrinted | None = None
    said: str = ""


async def print_page(sandbox: Sandbox, html: str, chromium: str, timeout_s: float) -> PrintedPage:
    """Print one page; `chromium` is a path inside the sandbox. Raises SandboxError."""
    done = await sandbox.run(
        Command(
            argv=(
                journey.NODE,
                f"{journey.PROGRAMS}/print.mjs",
                chromium,
                f"{timeout_s - _SPARE_S:.0f}",
            ),
            mounts=journey.program_mounts(),
            environment=(("PATH", layers.SYSTEM_PATH), ("LANG", "C.UTF-8")),
            cwd="/tmp",  # noqa: S108 - the sandbox's own
            stdin=html.encode(errors="replace"),
            limits=Limits(timeout_s, memory_mb=2048, disk_mb=1024, output_bytes=10_000),
            channel_bytes=_PDF_BYTES,
        )
    )
    if done.killed:
        return PrintedPage(None, NotPrinted.LIMIT, done.killed)
    if done.exit_code == _NO_CHROMIUM:
        return PrintedPage(None, NotPrinted.NO_CHROMIUM)
    if done.exit_code != 0 or not done.channel.startswith(_PDF_MARK):
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200]
        return PrintedPage(None, NotPrinted.FAILED, said)
    return PrintedPage(done.channel)
