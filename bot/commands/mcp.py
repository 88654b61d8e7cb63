"""`assay mcp`: serve Assay to coding agents, for one folder of this machine."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.asked import OUT
from bot.commands.judge import FolderRequest, copy_report, judge_folder
from bot.errors import UserError
from bot.evaluation import STAGES
from bot.settings import Settings, load_settings, make_home, make_own_folder

if TYPE_CHECKING:
    from bot.mcp.server import AskedChange, ChangeJudge, Root, StageQueue


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
    judging: ChangeJudge = LocalJudging(settings)
    server = module.build_server(root, judging, version("assay"))
    if http is None:
        server.run("stdio")
    else:
        module.serve_http(server, http)


@dataclass(frozen=True, slots=True)
class LocalJudging:
    """Judges as `assay judge` does; the report is put where that puts it."""

    settings: Settings
    stages: tuple[str, ...] = STAGES

    async def judge(self, change: AskedChange, listener: StageQueue) -> Path:
        """Judge the change. Raises SandboxError, Transient, UserError."""
        out = self.reports(change.folder)
        make_own_folder(out, f"Make {out} writable.")
        wanted = FolderRequest(
            folder=change.folder,
            base=change.base,
            head=change.head,
            with_work_tree=change.head is None,
            task_text=change.task_text,
        )
        publication = await judge_folder(self.settings, wanted, listener)
        await asyncio.to_thread(copy_report, self.settings, publication.report_key, out)
        return out

    def reports(self, folder: Path) -> Path:
        """Return `assay-report` at the top of the repository."""
        return folder / OUT
