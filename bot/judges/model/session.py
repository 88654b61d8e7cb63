"""Asks any OpenAI-compatible endpoint, by pydantic-ai; the only package that imports it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from openai import AsyncOpenAI
from pydantic import ValidationError
from pydantic_ai import Agent, BinaryContent, PromptedOutput, RunContext, exceptions
from pydantic_ai import Tool as AgentTool
from pydantic_ai.models import Model
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import UsageLimits
from pydantic_core import SchemaValidator, core_schema

from bot.judges.model.account import Account
from bot.judges.model.base import (
    BudgetSpent,
    Memory,
    Prompt,
    RecordingMemory,
    Reply,
    SessionLimits,
    Tool,
    Toolbox,
)
from bot.judges.model.remembering import RememberingModel, SessionState, answerless
from bot.settings import Settings
from bot.values import Exchange, RoleUsage

_TRIES = 4  # of one request: the client waits as a 429 asks, else ever longer
_PAUSES_S = 60.0  # between the tries of one request, together; a 429 may ask for a minute
_ASKED_AGAIN = 1
# Many endpoints refuse a forced JSON reply beside tools, or can then call none.
_WITHOUT_JSON_MODE = ModelProfile(supports_json_object_output=False)
# The library takes any JSON for arguments, and a list among them would end the evaluation.
_AN_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema()))


@dataclass(frozen=True, slots=True)
class ModelSession:
    """The models of one evaluation, which share its budget, memory and account.

    `models` gives the endpoint's model for a question and its tools. Who asks gets the typed reply, or
    Answerless, BudgetSpent or ModelAway.
    """

    models: Callable[[Prompt, Sequence[Tool]], Model]
    memory: RecordingMemory
    state: SessionState

    async def ask(self, prompt: Prompt, reply: type[Reply]) -> Reply:
        """Ask once, and once more when the reply cannot be read."""
        return await self.converse(prompt, reply, Toolbox((), _ASKED_AGAIN + 1))

    def endpoint(self, prompt: Prompt) -> str:
        """The model that a prompt asks, and where."""
        model = self.models(prompt, ())
        return f"{model.model_name} at {model.base_url or 'no address'}"

    async def remembered(self, key: str, work: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return what `work` gave when it was first done under this key in this evaluation.

        For what a conversation rests on: a resumed or replayed one must see the same again.
        """
        kept = await self.recall(key, lambda _: True)
        if kept is None:
            kept = await work()
            await self.keep(key, kept)
        return kept

    async def recall(self, key: str, is_wanted: Callable[[bytes], bool]) -> bytes | None:
        """Return what was kept under this key, where it is wanted still; what is not leaves no record."""
        name = _name_of(key)
        kept = await asyncio.to_thread(self.memory.reply, name)
        if kept is not None and not is_wanted(kept):
            self.memory.forget(name)
            return None
        return kept

    async def keep(self, key: str, value: bytes) -> None:
        """Keep a value, also for later evaluations."""
        await asyncio.to_thread(self.memory.keep_reply, _name_of(key), value)

    @property
    def usage(self) -> tuple[RoleUsage, ...]:
        """What was used so far, by role."""
        return self.state.account.usage

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Every call so far, remembered ones too, as a person reads it."""
        return tuple(self.state.exchanges)

    @property
    def replies(self) -> Mapping[str, bytes]:
        """Everything that was answered so far, by key, so that the session can be replayed."""
        return self.memory.seen

    async def converse(self, prompt: Prompt, reply: type[Reply], toolbox: Toolbox[Reply]) -> Reply:
        """Let the model use tools until it gives the typed reply; a refused one is asked for again, once."""
        tools, requests = toolbox.tools, toolbox.interactions
        model = RememberingModel(self.models(prompt, tools), prompt, self.memory, self.state)
        settings = ModelSettings(temperature=prompt.temperature)
        if prompt.most_tokens:
            settings["max_tokens"] = prompt.most_tokens
        agent = Agent(
            model,
            output_type=PromptedOutput(reply),
            instructions=prompt.system,
            tools=[_agent_tool(tool) for tool in tools],
            retries=_ASKED_AGAIN,
            model_settings=settings,
        )

        @agent.output_validator
        def checked(context: RunContext[object], given: Reply) -> Reply:
            """Tell the model once why its answer does not count; the second is taken as it is."""
            why = toolbox.refusal(given) if toolbox.refusal and context.retry < _ASKED_AGAIN else ""
            if why:
                raise exceptions.ModelRetry(why)
            return given

        images = [BinaryContent(image, media_type="image/png") for image in prompt.images_png]
        try:
            done = await agent.run(
                [prompt.user, *images], usage_limits=UsageLimits(request_limit=requests)
            )
        except exceptions.UsageLimitExceeded as error:
            raise BudgetSpent(f"It used all {requests} interactions it was given.") from error
        except exceptions.UnexpectedModelBehavior as error:
            raise answerless(error) from error
        return done.output


def _name_of(key: str) -> str:
    return hashlib.sha256(f"work {key}".encode("utf-8", "surrogatepass")).hexdigest()


def _agent_tool(tool: Tool) -> AgentTool[object]:
    """A tool whose wrong arguments are told to the model as text, like any other result."""

    async def called(**given: Any) -> str:
        try:
            arguments = tool.arguments.model_validate(given)
        except ValidationError as error:
            return f"Wrong arguments: {error.errors(include_url=False, include_input=False)}"
        return await tool.call(arguments)

    schema = tool.arguments.model_json_schema()
    schema.pop("description", None)  # the tool has one
    made = AgentTool[object].from_schema(called, tool.name, tool.description, schema)
    made.function_schema.validator = _AN_OBJECT
    return made


@asynccontextmanager
async def open_session(
    settings: Settings, memory: Memory, limits: SessionLimits
) -> AsyncIterator[ModelSession]:
    """The models that the operator set: `ASSAY_MODEL`, or one of a role in `ASSAY_MODELS`."""
    client = AsyncOpenAI(
        base_url=settings.model_url or None,
        api_key=settings.model_key.get_secret_value() or "none",
        max_retries=_TRIES,
        timeout=settings.model_timeout_s,
    )
    async with client:
        provider = OpenAIProvider(openai_client=client)

        def model_of(prompt: Prompt, tools: Sequence[Tool]) -> Model:
            name = settings.model_of(prompt.role, prompt.sample)
            profile = _WITHOUT_JSON_MODE if tools else None
            return OpenAIChatModel(name, provider=provider, profile=profile)

        account = Account(limits, settings.model_prices)
        at_once = asyncio.Semaphore(settings.model_calls_at_once)
        patience_s = 2 * settings.model_timeout_s + _PAUSES_S
        state = SessionState(account, at_once, patience_s)
        yield ModelSession(model_of, RecordingMemory(memory), state)
