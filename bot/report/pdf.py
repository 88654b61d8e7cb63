"""The HTML report on A4 paper, by the Chromium of the sandbox: the page holds strangers' text."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.base import Command, Limits, Sandbox, SandboxError
from sandbox.browser import journey
from sandbox.toolchains import layers

TIMEOUT_S = 60.0
_SPARE_S = 5.0  # of the time limit, for the browser to say itself that it was too slow
_PDF_BYTES = 200_000_000
_PDF_MARK = b"%PDF-"
_NO_CHROMIUM = 2  # see inside/print.mjs
NO_PDF = "no-pdf.txt"
"""Stands among the artifacts where a report could not be printed, and says why."""


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF, or None with a remark that says why there is none."""

    content: bytes | None
    remark: str = ""


async def pdf(sandbox: Sandbox, html: str, chromium: str) -> Pdf:
    """Print a page of our own making, without scripts and without network; `chromium` is a path inside.

    Never raises for the browser's sake: a report needs no PDF.
    """
    # Folds are ours alone (untrusted text is escaped): on paper those that say so stand open, and what
    # nobody reads on paper stays in the page.
    page = html.replace('<details class="paper">', '<details class="paper" open>')
    print_program = f"{journey.PROGRAMS}/print.mjs"
    command = Command(
        argv=(journey.NODE, print_program, chromium, f"{TIMEOUT_S - _SPARE_S:.0f}"),
        mounts=journey.program_mounts(),
        environment=(("PATH", layers.SYSTEM_PATH), ("LANG", "C.UTF-8")),
        cwd="/tmp",  # noqa: S108 - the sandbox's own
        stdin=page.encode(errors="replace"),
        limits=Limits(TIMEOUT_S, memory_mb=2048, disk_mb=1024, output_bytes=10_000),
        channel_bytes=_PDF_BYTES,
    )
    try:
        done = await sandbox.run(command)
    except SandboxError as error:
        return Pdf(None, f"No PDF: the sandbox does not start ({error}).")
    if done.killed:
        return Pdf(None, f"No PDF: Chromium was stopped at its limit ({done.killed}).")
    if done.exit_code == _NO_CHROMIUM:
        missing = f"there is no Chromium at {chromium} in the sandbox (set ASSAY_CHROMIUM)"
        return Pdf(None, f"No PDF: {missing}.")
    if done.exit_code != 0 or not done.channel.startswith(_PDF_MARK):
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2][:200]
        return Pdf(None, f"No PDF: Chromium failed ({said or 'without a word'}).")
    return Pdf(done.channel)
