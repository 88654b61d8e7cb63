"""Prints a page as a PDF by the Chromium inside the sandbox, without scripts and without network."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from sandbox.base import Command, Limits, Sandbox
from sandbox.browser import journey
from sandbox.toolchains import layers

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
