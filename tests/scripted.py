"""Models that say what a test wrote for them, through the model library's own seam."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bot.judges.model.account import Account
from bot.judges.model.base import Prompt, RecordingMemory, SessionLimits
from bot.judges.model.remembering import SessionState
from bot.judges.model.session import ModelSession
from bot.values import Role

LIMITS = SessionLimits(usd=2.0, minutes=30.0)
Reply = str | dict[str, object] | ModelResponse


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the model: who asks, our own instructions, all that was said, and the tools.

    `sample` tells judges apart that are asked the same.
    """

    role: Role
    system: str
    user: str
    messages: list[ModelMessage]
    tools: tuple[str, ...]
    sample: int = 0
    temperature: float | None = None


@dataclass(frozen=True, slots=True)
class FolderMemory:
    """Replies as files: what a later run of a test is not asked again."""

    folder: Path

    def reply(self, key: str) -> bytes | None:
        path = self.folder / key
        return path.read_bytes() if path.is_file() else None

    def keep_reply(self, key: str, reply: bytes) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / key).write_bytes(reply)


Script = Callable[[Call], Reply]


@dataclass(slots=True)
class Scripted:
    """Scripted models for every role; `calls` are the requests that were really made."""

    script: Script
    folder: Path
    calls: list[Call] = field(default_factory=list)

    def session(self, limits: SessionLimits = LIMITS) -> ModelSession:
        """A session as the program opens it, with this script for an endpoint."""
        state = SessionState(Account(limits, {}), asyncio.Semaphore(8))
        return ModelSession(self._model, RecordingMemory(FolderMemory(self.folder)), state)

    @asynccontextmanager
    async def open(self, limits: SessionLimits) -> AsyncIterator[ModelSession]:
        """What the stages' services take as `open_session`."""
        yield self.session(limits)

    def _model(self, prompt: Prompt, _tools: object) -> FunctionModel:
        async def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            call = Call(
                prompt.role,
                info.instructions or "",
                said(messages),
                messages,
                tuple(tool.name for tool in info.function_tools),
                prompt.sample,
                (info.model_settings or {}).get("temperature"),
            )
            self.calls.append(call)
            reply = self.script(call)
            if isinstance(reply, ModelResponse):
                return reply
            text = reply if isinstance(reply, str) else json.dumps(reply)
            return ModelResponse(parts=[TextPart(text)])

        return FunctionModel(respond, model_name="scripted")


def said(messages: list[ModelMessage]) -> str:
    """Everything that the user's side said so far, tool results included, as one text."""
    parts = [part for one in messages if isinstance(one, ModelRequest) for part in one.parts]
    return "\n".join(_text(part.content) for part in parts if _is_said(part))


def _text(content: object) -> str:
    """A content as text; of one with images, the texts."""
    pieces = content if isinstance(content, list | tuple) else [content]
    return "\n".join(str(piece) for piece in pieces)


def _is_said(part: object) -> bool:
    return isinstance(part, UserPromptPart) or hasattr(part, "content")
