"""Writes down a call to a model as a person reads it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from bot.llm.base import Prompt
from bot.models import Exchange


def heard(
    prompt: Prompt,
    messages: Sequence[ModelMessage],
    parameters: ModelRequestParameters,
    response: ModelResponse,
) -> Exchange:
    """The call with what is new in its last message; `parameters` are those that the endpoint gets."""
    form = parameters.prompted_output_instructions or ""
    system = f"{prompt.system}\n\n{form}"
    requests = [_said(one) for one in messages if isinstance(one, ModelRequest)]
    replies = [_replied(one) for one in messages if isinstance(one, ModelResponse)]
    tools = "\n".join(
        f"{one.name}: {one.description} {json.dumps(one.parameters_json_schema)}"
        for one in parameters.function_tools
    )
    return Exchange(
        role=prompt.role,
        about=prompt.about,
        sample=prompt.sample,
        turn=len(requests) - 1,
        system=_plain(system),
        said=_plain(requests[-1]),
        reply=_plain(_replied(response)),
        chars=sum(map(len, (system, tools, *requests, *replies))),
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        tools=_plain(tools) if len(requests) == 1 else "",
    )


def _said(message: ModelRequest) -> str:
    """What the user's side says in one message; a picture is only named."""
    return "\n\n".join(
        _content(part) for part in message.parts if not isinstance(part, SystemPromptPart)
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


def _plain(text: str) -> str:
    """Half a surrogate pair cannot be stored as JSON."""
    return text.encode("utf-8", "replace").decode()
