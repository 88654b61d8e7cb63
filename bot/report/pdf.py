"""The HTML report on A4 paper, by Chromium without scripts and without network."""

from __future__ import annotations

import asyncio
import functools
import importlib
import importlib.util
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 60.0
NO_PDF = "no-pdf.txt"
"""Stands among the artifacts where a report could not be printed, and says why."""


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF, or None with a remark that says why there is none."""

    content: bytes | None
    remark: str = ""


async def pdf(html: str, chromium: str) -> Pdf:
    """Print a page of our own making. Never raises for a browser's sake: a report needs no PDF."""
    if not Path(chromium).is_file():  # noqa: ASYNC240 - one stat
        return Pdf(None, f"No PDF: there is no Chromium at {chromium} (set ASSAY_CHROMIUM).")
    if problem := await asyncio.to_thread(_driver_problem):
        return Pdf(None, f"No PDF: Playwright's driver does not run ({problem}).")
    try:
        async with asyncio.timeout(TIMEOUT_S):
            # Playwright takes a fifth of a second to import.
            printing = importlib.import_module("bot.report.printing")
            content, problem = await printing.printed(html, chromium, TIMEOUT_S)
    except TimeoutError:
        return Pdf(None, f"No PDF: Chromium took longer than {TIMEOUT_S:.0f} s.")
    return Pdf(content, f"No PDF: Chromium failed ({problem})." if problem else "")


@functools.cache
def _driver_problem() -> str:
    """Say why the driver cannot run, empty when it can; Playwright itself raises a bare Exception then."""
    found = importlib.util.find_spec("playwright")
    if found is None or found.origin is None:
        return "Playwright is not installed"
    node = Path(found.origin).parent / "driver" / "node"
    try:
        done = subprocess.run([node, "--version"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return type(error).__name__
    said = done.stderr.decode(errors="replace").strip().partition("\n")[0]
    return said.rpartition("node: ")[2][:200] if done.returncode else ""
