"""Keeps what models were asked and answered in one evaluation: to be replayed without them, and read."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import TypeAdapter

from bot.judges.model.base import Session
from bot.services import Services, evaluation_key
from bot.values import EvaluationRequest, Exchange

ASKING_STAGES = ("plan", "deliberate")
_REPLIES = TypeAdapter(dict[str, bytes])
_EXCHANGES = TypeAdapter(tuple[Exchange, ...])


async def keep_replies(
    services: Services, request: EvaluationRequest, stage: str, session: Session
) -> None:
    """Store what a stage's session was answered. Raises Transient when the storage refuses."""
    key = evaluation_key(request.id)
    for name, text in (
        (_name(stage), _REPLIES.dump_json(dict(session.replies))),
        (_heard(stage), _EXCHANGES.dump_json(session.exchanges)),
    ):
        await asyncio.to_thread(services.artifacts.put, key, name, text)


def kept_replies(services: Services, request: EvaluationRequest) -> Mapping[str, bytes]:
    """Everything that the stages of an evaluation were answered, by key; empty without a model."""
    found: dict[str, bytes] = {}
    for stage in ASKING_STAGES:
        text = services.artifacts.get(evaluation_key(request.id), _name(stage))
        found |= _REPLIES.validate_json(text) if text else {}
    return found


def kept_exchanges(services: Services, request: EvaluationRequest) -> tuple[Exchange, ...]:
    """Every call of an evaluation, stage by stage; empty without a model."""
    key = evaluation_key(request.id)
    texts = (services.artifacts.get(key, _heard(stage)) for stage in ASKING_STAGES)
    return tuple(one for text in texts if text for one in _EXCHANGES.validate_json(text))


def _heard(stage: str) -> str:
    return f"exchanges-{stage}.json"


def _name(stage: str) -> str:
    return f"replies-{stage}.json"
