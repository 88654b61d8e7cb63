"""Keeps what models were asked and answered in one evaluation, and its plan: to be used again, and read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from pydantic import TypeAdapter

from bot.context import Planned
from bot.errors import UserError
from bot.judges.model.base import Session
from bot.services import Services, evaluation_key
from bot.values import EvaluationRequest, Exchange, Trigger

ASKING_STAGES = ("plan", "deliberate")
_REPLIES = TypeAdapter(dict[str, bytes])
_EXCHANGES = TypeAdapter(tuple[Exchange, ...])
_PLAN = "planned.json"
_PLANNED = TypeAdapter(Planned)
_COMPARED = (Trigger.AGENT_PATCH, Trigger.LOCAL)
"""Of these there can be several for one task."""


async def keep_plan(services: Services, request: EvaluationRequest, planned: Planned) -> Planned:
    """Store a plan by which other patches may be judged too, and return it. Raises Transient."""
    if request.trigger in _COMPARED:
        text = json.dumps(_PLANNED.dump_python(planned, mode="json"))  # as it is: it is run again
        key = evaluation_key(request.id)
        await asyncio.to_thread(services.artifacts.put, key, _PLAN, text.encode())
    return planned


def kept_plan(services: Services, request: EvaluationRequest) -> Planned:
    """Read the plan that a request names. Raises UserError where there is none, and Transient."""
    text = services.artifacts.get(evaluation_key(request.plan_of), _PLAN)
    if text is None:
        raise UserError(
            f"The plan of {request.plan_of} is not there, or not any more.",
            "Send the patch without it, or name another evaluation.",
        )
    return _PLANNED.validate_python(json.loads(text))


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
