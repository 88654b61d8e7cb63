"""A model that caches the replies of another one, counts its calls, and writes them down for people."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from openai import APIConnectionError
from pydantic import TypeAdapter, ValidationError
from pydantic_ai import exceptions
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from bot.judges.model.account import Account, TokenCount
from bot.judges.model.base import Answerless, Memory, ModelAway, Prompt
from bot.values import Exchange

_RESPONSE = TypeAdapter(ModelResponse)
# What differs from run to run and says nothing of what was asked.
_VOLATILE = frozenset(
    {"timestamp", "run_id", "conversation_id", "usage", "provider_response_id", "metadata"}
)


@dataclass(frozen=True, slots=True)
class SessionState:
    """What all models of one session share: the account, how many calls may be under way, and
    what was said.

    A call may take `patience_s` with all its tries. Who did not answer in that time is among the
    `silent` and not asked again: every further question would wait as long for nothing.
    """

    account: Account
    at_once: asyncio.Semaphore
    patience_s: float = 300.0
    silent: set[str] = field(default_factory=set)
    exchanges: list[Exchange] = field(default_factory=list)


class RememberingModel(WrapperModel):
    """Wraps the endpoint's model for one question of one session."""

    def __init__(self, wrapped: Model, prompt: Prompt, memory: Memory, state: SessionState) -> None:
        super().__init__(wrapped)
        self._prompt, self._memory, self._state = prompt, memory, state

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Answer from memory, else ask and remember. Raises BudgetSpent or ModelAway."""
        role, account = self._prompt.counted_as, self._state.account
        key = self._key(messages, model_settings, model_request_parameters)
        kept, response = await asyncio.to_thread(self._memory.reply, key), None
        if kept is not None:
            with suppress(ValidationError):  # a truncated file is as none
                response = _RESPONSE.validate_json(kept)
        if response is not None:
            account.add_cached(role, self.model_name)
        else:
            async with self._state.at_once:
                account.check()
                started_s = time.monotonic()
                response = await self._answer(messages, model_settings, model_request_parameters)
                # Kept before the next call begins: a killed run loses only what was under way.
                await asyncio.to_thread(self._memory.keep_reply, key, _RESPONSE.dump_json(response))
            tokens = TokenCount(response.usage.input_tokens, response.usage.output_tokens)
            account.add(role, self.model_name, tokens, time.monotonic() - started_s)
        _, sent = self.wrapped.prepare_request(model_settings, model_request_parameters)
        self._state.exchanges.append(heard(self._prompt, messages, sent, response))
        return response

    async def _answer(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Ask the endpoint. Raises ModelAway, or BudgetSpent when the evaluation's time is over."""
        state = self._state
        if self.model_name in state.silent:
            raise silent()
        try:
            async with asyncio.timeout(min(state.patience_s, state.account.left_s)):
                return await super().request(messages, settings, parameters)
        except TimeoutError as error:
            if not state.account.left_s:
                raise state.account.too_late() from error
            state.silent.add(self.model_name)
            raise silent() from error
        except ModelAPIError as error:
            if is_silent(error):
                state.silent.add(self.model_name)
            raise away(error) from error

    def _key(
        self,
        messages: list[ModelMessage],
        settings: ModelSettings | None,
        parameters: ModelRequestParameters,
    ) -> str:
        asked = {
            "model": self.model_name,
            "endpoint": self.base_url or "",
            "messages": _plain(ModelMessagesTypeAdapter.dump_python(messages, mode="json")),
            "settings": dict(settings or {}),
            "sample": self._prompt.sample,
            "tools": [
                [tool.name, tool.description, tool.parameters_json_schema]
                for tool in parameters.function_tools
            ],
        }
        text = json.dumps(asked, sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items() if key not in _VOLATILE}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value


def heard(
    prompt: Prompt,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    response: ModelResponse,
) -> Exchange:
    """The call with what is new in its last message; `parameters` are those that the endpoint gets."""
    form = parameters.prompted_output_instructions or ""
    system = f"{prompt.system}\n\n{form}"
    requests = [  # what the user's side said; a picture is only named
        "\n\n".join(_content(one) for one in request.parts if not isinstance(one, SystemPromptPart))
        for request in messages
        if isinstance(request, ModelRequest)
    ]
    replies = [_replied(one) for one in messages if isinstance(one, ModelResponse)]
    tools = "\n".join(
        f"{one.name}: {one.description} {json.dumps(one.parameters_json_schema)}"
        for one in parameters.function_tools
    )
    return Exchange(
        role=prompt.counted_as,
        about=prompt.about,
        sample=prompt.sample,
        turn=len(requests) - 1,
        system=_plain_answer(system),
        said=_plain_answer(requests[-1]),
        reply=_plain_answer(_replied(response)),
        chars=sum(map(len, (system, tools, *requests, *replies))),
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        tools=_plain_answer(tools) if len(requests) == 1 else "",
    )


def _content(part: object) -> str:
    match part:
        case UserPromptPart(content=str(text)):
            return text
        case UserPromptPart(content=pieces):
            return "\n".join(one if isinstance(one, str) else "(a picture)" for one in pieces)
        case ToolReturnPart(tool_name=name):
            return f"{name} gave:\n{part.model_response_str()}"
    asked_again = getattr(part, "model_response", None)
    return str(asked_again() if asked_again else getattr(part, "content", ""))


def _replied(message: ModelResponse) -> str:
    return "\n".join(
        part.content
        if isinstance(part, TextPart)
        else f"{part.tool_name}({part.args_as_json_str()})"
        for part in message.parts
        if isinstance(part, TextPart | ToolCallPart)
    )


def _plain_answer(text: str) -> str:
    """Half a surrogate pair cannot be stored as JSON."""
    return text.encode("utf-8", "replace").decode()


# --- explains in one sentence why a model gave no usable answer -----------------------------------


log = logging.getLogger(__name__)
_AGAIN = "Try again when it is back: comment `/judge`, or run the command again"


def away(error: exceptions.ModelAPIError) -> ModelAway:
    """Return the error for an endpoint that still fails after all retries."""
    log.warning("a model's endpoint failed: %s", error)
    if isinstance(error, exceptions.ModelHTTPError):
        match error.status_code:
            case 401 | 403:
                why = "rejects the key in `ASSAY_MODEL_KEY`"
            case 404:
                why = f"does not know the model {error.model_name!r}"
            case 429:
                why = f"is busy (status 429). {_AGAIN}"
            case status if status >= 500:
                why = f"failed (status {status}). {_AGAIN}"
            case status:
                why = f"rejects the request (status {status})"
        return ModelAway(f"The model's endpoint {why}.")
    if is_silent(error):
        return silent()
    return ModelAway(
        "The model's endpoint does not return chat completions: check `ASSAY_MODEL_URL`."
    )


def is_silent(error: exceptions.ModelAPIError) -> bool:
    """Tell whether the endpoint did not respond in time, so that more requests would only waste minutes."""
    return isinstance(error.__cause__, APIConnectionError)


def silent() -> ModelAway:
    """Return the error for an endpoint that does not respond."""
    return ModelAway(f"The model's endpoint does not respond. {_AGAIN}.")


def answerless(error: exceptions.UnexpectedModelBehavior) -> Answerless:
    """Return the error for a reply that is still unusable after all retries."""
    log.info("a model's reply could not be used: %s", error.message)
    match error:
        case exceptions.ContentFilterError():
            return Answerless("The model refused to answer.")
        case exceptions.IncompleteToolCall() | exceptions.OutputTokenLimitExceeded():
            return Answerless("The model's reply exceeded the length limit.")
    return Answerless("The model's reply could not be parsed, twice in a row.")
