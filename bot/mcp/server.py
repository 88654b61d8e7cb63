"""The server of `assay mcp`: four tools over one folder, by the protocol's own library."""

from __future__ import annotations

import asyncio
import inspect
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from bot.errors import AssayError, Transient, UserError
from bot.mcp.answers import (
    Answer,
    Commands,
    Explained,
    Judged,
    MissingAnswer,
    commands,
    explained,
    judged,
    missing,
)
from bot.report.machine import ReportDocument, read_machine
from bot.templates import render_text
from bot.values import STAGES, FolderRequest
from sandbox.base import SandboxError
from sandbox.errors import HostTrouble
from sandbox.repository.local_repository import common_dir, toplevel

TASK_CHARACTERS = 200_000
_LAST_WORDS_S = 2
_LOOPBACK = "127.0.0.1"
_CHANGES_NOTHING = ToolAnnotations(read_only_hint=True, open_world_hint=False)
Requirement = Annotated[str, Field(description="The id of a requirement, such as R1 or B2.")]


class StageQueue:
    """Hears where a judgement is, and sends it on as the notifications of one call, in order."""

    def __init__(self) -> None:
        self._at, self._told = 0, asyncio.Queue[tuple[float, str]]()

    def tell(self, stage: str) -> None:
        """Hear that a stage begins."""
        if stage in STAGES:
            self._at = STAGES.index(stage)
        self._told.put_nowait((self._at, stage))

    def count(self, ended: int, of: int) -> None:
        """Hear that some of the test runs have ended."""
        share = min(ended / max(of, 1), 1.0) * 0.9  # the next stage is more
        self._told.put_nowait((self._at + share, f"{STAGES[self._at]}, {ended} of {of} runs"))

    async def send(self, report: Callable[[float, float, str], Awaitable[None]]) -> None:
        """Send what is heard, for ever; the numbers only grow, as the protocol demands."""
        last = -1.0
        while True:
            value, message = await self._told.get()
            if value > last:
                last = value
                await report(value, len(STAGES), message)


JudgeChange = Callable[[FolderRequest, StageQueue], Awaitable[None]]
"""Judges a change and puts its report into its repository. Raises SandboxError, Transient, UserError."""


def build_server(root: Root, judge: JudgeChange, reports: str, version: str) -> MCPServer:
    """Return the server; one judgement runs at a time, and others wait for it.

    `reports` names the folder of a repository's last report.
    """
    server = MCPServer(
        "assay",
        instructions=render_text("mcp/instructions.txt.j2"),
        version=version,
        log_level="WARNING",
    )
    tools = _Tools(root, judge, reports)
    for function, title, hints in (
        (tools.judge, "Judge a change", None),
        (tools.explain, "Explain a verdict", _CHANGES_NOTHING),
        (tools.missing, "Say what is missing", _CHANGES_NOTHING),
        (tools.command, "Show a failure", _CHANGES_NOTHING),
    ):
        server.add_tool(
            function, title=title, description=inspect.getdoc(function), annotations=hints
        )
    return server


def serve_http(server: MCPServer, port: int) -> None:
    """Serve on the loopback until it is stopped, for requests that name it; `port` 0 takes a free one."""
    try:
        listening = socket.create_server((_LOOPBACK, port))
    except OSError as error:
        raise UserError(
            f"Port {port} cannot be served: {error.strerror}.", "Name another one, or 0."
        ) from error
    with listening:
        address = f"{_LOOPBACK}:{listening.getsockname()[1]}"
        own = address.replace(_LOOPBACK, "localhost")
        security = TransportSecuritySettings(
            allowed_hosts=[address, own], allowed_origins=[f"http://{address}", f"http://{own}"]
        )
        app = server.streamable_http_app(transport_security=security)
        print(f"Serving http://{address}/mcp", file=sys.stderr, flush=True)
        config = uvicorn.Config(
            app,
            log_config=None,  # its own writes to stdout
            access_log=False,
            timeout_graceful_shutdown=_LAST_WORDS_S,  # else a stop waits for a whole judgement
        )
        uvicorn.Server(config).run(sockets=[listening])


class _Tools:
    """What an agent can call: it reads the docstrings."""

    def __init__(self, root: Root, judge: JudgeChange, reports: str) -> None:
        self._root, self._judge, self._reports, self._one = root, judge, reports, asyncio.Lock()

    async def judge(
        self,
        context: Context,
        base: Annotated[
            str,
            Field(
                description="Branch that the change wants into. Default: the remote's default one."
            ),
        ] = "",
        head: Annotated[
            str, Field(description="Branch or revision to judge. Default: the files as they stand.")
        ] = "",
        task: Annotated[
            str,
            Field(
                description="What was asked, as an issue would say it.", max_length=TASK_CHARACTERS
            ),
        ] = "",
        task_file: Annotated[str, Field(description="Instead of `task`, a file with it.")] = "",
    ) -> Annotated[CallToolResult, Judged]:
        """Judge the work tree, uncommitted changes included, or a revision, by running it.

        Builds base and head in a sandbox, runs the tests of both on both, and gives each requirement
        of the task a verdict with its evidence. Takes seconds to minutes.
        """
        with _told():
            if task and task_file:
                raise UserError("`task` and `task_file` do not go together.", "Give one of them.")
            repository = await asyncio.to_thread(self._root.repository)
            text = self._root.read(task_file, TASK_CHARACTERS) if task_file else task
            wanted = FolderRequest(
                repository, base or None, head or None, with_work_tree=not head, task_text=text
            )
            async with self._one:
                heard = StageQueue()
                sending = asyncio.create_task(heard.send(context.report_progress))
                try:
                    await self._judge(wanted, heard)
                finally:
                    sending.cancel()
            report = repository / self._reports
            return _answer("judged", judged(_read(report), str(report)))

    async def explain(self, requirement: Requirement) -> Annotated[CallToolResult, Explained]:
        """Explain a requirement's verdict of the last judgement, with its evidence on base and head."""
        with _told():
            return _answer("explained", explained(await self._last(), requirement))

    async def missing(self) -> Annotated[CallToolResult, MissingAnswer]:
        """Say what the last judgement found not met or not verified, and what would count."""
        with _told():
            return _answer("missing", missing(await self._last()))

    async def command(self, requirement: Requirement) -> Annotated[CallToolResult, Commands]:
        """Name the command that shows why a requirement is not met."""
        with _told():
            return _answer("commands", commands(await self._last(), requirement))

    async def _last(self) -> ReportDocument:
        repository = await asyncio.to_thread(self._root.repository)
        return _read(repository / self._reports)


def _read(folder: Path) -> ReportDocument:
    try:
        return read_machine((folder / "report.json").read_bytes())
    except FileNotFoundError as error:
        raise UserError("Nothing was judged here yet.", "Call `judge` first.") from error
    except (OSError, ValidationError) as error:
        raise UserError(
            f"The last report in {folder} cannot be read.", "Call `judge` again."
        ) from error


def _answer(template: str, answer: Answer) -> CallToolResult:
    text = render_text(f"mcp/{template}.txt.j2", answer=answer)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=answer.model_dump(mode="json"),
    )


@contextmanager
def _told() -> Iterator[None]:
    """Tell the agent what it can act on; anything else is a bug, which the library logs and hides."""
    try:
        yield
    except UserError as error:
        raise ToolError(f"{error.what} {error.next_step}".strip()) from error
    except (Transient, HostTrouble) as error:
        raise ToolError(f"{error.what} This says nothing about the change. Try again.") from error
    except SandboxError as error:
        way_out = error.next_step or "Run `assay doctor` to see what is missing."
        raise ToolError(f"The sandbox does not start: {error.what}. {way_out}") from error
    except AssayError as error:
        raise ToolError(str(error)) from error


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that is named once, at the start. `git_dir` is its own, which may lie elsewhere (a linked
    work tree); None where it was no repository then."""

    folder: Path
    git_dir: Path | None

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return the folder as it stands, links followed."""
        folder = folder.resolve()
        return cls(folder, common_dir(folder))

    def repository(self) -> Path:
        """Return the work tree. Raises UserError where its repository, as it stands now, is outside."""
        top = toplevel(self.folder).resolve()
        if top != self.folder:
            raise UserError(
                f"{self.folder} is a part of the repository {top}.", f"Start `assay mcp {top}`."
            )
        git_dir = common_dir(top)
        if git_dir and git_dir != self.git_dir and not git_dir.is_relative_to(top):
            raise UserError(
                f"The git folder of {top} is {git_dir} now, which is outside of it.",
                f"If that is right, start `assay mcp {top}` again.",
            )
        return top

    def read(self, name: str, most_bytes: int) -> str:
        """Return the text of a file below, as far as it is UTF-8. Raises UserError."""
        try:
            path = (self.folder / name).resolve()  # all links followed
        except (OSError, ValueError) as error:  # a loop of links, a null byte
            raise UserError(f"{name!r} is not a path.", f"Name one below {self.folder}.") from error
        if not path.is_relative_to(self.folder):
            raise UserError(
                f"{name} is outside of {self.folder}, the folder that this server was started for.",
                "Name a path inside of it.",
            )
        if not path.is_file():
            raise UserError(f"{name} is not a file below {self.folder}.", "Name another one.")
        try:
            with path.open("rb") as file:
                text = file.read(most_bytes + 1)
        except OSError as error:
            raise UserError(f"{name} cannot be read: {error.strerror}.", "Name a file.") from error
        if len(text) > most_bytes:
            raise UserError(f"{name} is longer than {most_bytes:,} bytes.", "Name a shorter file.")
        return text.decode(errors="replace")
