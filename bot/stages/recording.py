"""Keeps what models answered in one evaluation, so that it can be replayed without them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import TypeAdapter

from bot.llm.base import Session
from bot.models import EvaluationRequest
from bot.stages.services import Services, evaluation_key

ASKING_STAGES = ("plan", "deliberate")
_REPLIES = TypeAdapter(dict[str, bytes])


async def keep_replies(
    services: Services, request: EvaluationRequest, stage: str, session: Session
) -> None:
    """Store what a stage's session was answered. Raises Transient when the storage refuses."""
    text = _REPLIES.dump_json(dict(session.replies))
    key = evaluation_key(request.id)
    await asyncio.to_thread(services.artifacts.put, key, _name(stage), text)


def kept_replies(services: Services, request: EvaluationRequest) -> Mapping[str, bytes]:
    """Everything that the stages of an evaluation were answered, by key; empty without a model."""
    found: dict[str, bytes] = {}
    for stage in ASKING_STAGES:
        text = services.artifacts.get(evaluation_key(request.id), _name(stage))
        found |= _REPLIES.validate_json(text) if text else {}
    return found


def _name(stage: str) -> str:
    return f"replies-{stage}.json"
