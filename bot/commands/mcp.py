"""`assay mcp`: serve Assay to coding agents, for one folder of this machine."""

from __future__ import annotations

import asyncio
import importlib
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.asked import OUT
from bot.commands.judge import copy_report, judge_folder
from bot.errors import UserError
from bot.settings import Settings, load_settings, make_home, make_own_folder
from bot.values import FolderRequest

if TYPE_CHECKING:
    from bot.mcp.server import Root, StageQueue


def run(folder: Path, http: int | None = None) -> None:
    """Serve until the client goes; on a port of the loopback if one is given, else over stdio."""
    if find_spec("mcp") is None:
        raise UserError(
            "`assay mcp` needs the package mcp, which is not installed.",
            "Install the extra `mcp`: .venv/bin/pip install --no-deps -r deploy/mcp.lock",
        )
    module = importlib.import_module("bot.mcp.server")
    root: Root = module.Root.of(folder)
    settings = load_settings()
    # No PDF: nobody reads it here, and it takes a second.
    home = root.folder / settings.home.expanduser()
    settings = settings.model_copy(update={"pdf": False, "home": home})
    make_home(home)
    server = module.build_server(root, partial(_judge, settings), OUT, version("assay"))
    if http is None:
        server.run("stdio")
    else:
        module.serve_http(server, http)


async def _judge(settings: Settings, wanted: FolderRequest, listener: StageQueue) -> None:
    """Judge as `assay judge` does, and put the report where that puts it.

    Raises SandboxError, Transient, UserError.
    """
    out = wanted.folder / OUT
    make_own_folder(out, f"Make {out} writable.")
    publication = await judge_folder(settings, wanted, listener)
    await asyncio.to_thread(copy_report, settings, publication.report_key, out)
