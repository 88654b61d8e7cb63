"""Keeps what models were asked and answered in one evaluation, its plan, and all that they judged by.

`assay replay` derives the verdicts again from that file, without a model and without a sandbox. It holds
outputs of the code under test as they were, so it is linked nowhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, TypeAdapter

from bot.context import EvaluationContext, Planned
from bot.errors import UserError
from bot.evaluation.judging import Judging, ask_judges, judged
from bot.judges.agents import ANY_DAY, Acting, Agents, Taken
from bot.services import Services, acting_key, evaluation_key, run_delimiter
from bot.settings import Settings
from bot.text import Delimiter
from bot.values import EvaluationRequest, Exchange, Judgement, MemberVerdict, Step, Trigger

if TYPE_CHECKING:
    from bot.judges.model.session import ModelSession

BUNDLE_NAME = "replay.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """Which models were asked, and how the run marked hostile text and named its steps."""

    model: str
    model_url: str
    models: dict[str, str | tuple[str, ...]]
    mark: str
    run: str
    may_look_up: bool


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything from which the verdicts follow. `replies` are what models and steps answered,
    `exchanges` every call as a person reads it (none in bundles of older versions)."""

    schema: Literal[1]
    asked: Asked
    judging: Annotated[Judging, Field(alias="matter")]  # its name in all bundles that are kept
    judgement: Judgement
    members: tuple[MemberVerdict, ...]
    replies: dict[str, bytes]
    exchanges: tuple[Exchange, ...] = ()

    @classmethod
    def of(
        cls,
        services: Services,
        case: EvaluationContext,
        judging: Judging,
        judgement: Judgement,
        members: tuple[MemberVerdict, ...],
    ) -> Bundle:
        """Gather it; this reads files. Raises Transient when the storage refuses."""
        settings, checkout = services.settings, case.checkout
        asked = Asked(
            model=settings.model,
            model_url=settings.model_url,
            models=dict(settings.models),
            mark=run_delimiter(services, checkout).word,
            run=acting_key(case.request, checkout),
            may_look_up=services.web is not None,
        )
        replies = dict(kept_replies(services, case.request))
        exchanges = kept_exchanges(services, case.request)
        return cls(1, asked, judging, judgement, members, replies, exchanges)

    def settings(self) -> Settings:
        """The settings that ask the same models the same way."""
        asked = self.asked
        return Settings(model=asked.model, model_url=asked.model_url, models=asked.models)


_BUNDLE = TypeAdapter(Bundle)

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
    services: Services, request: EvaluationRequest, stage: str, session: ModelSession
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


async def keep_bundle(services: Services, request: EvaluationRequest, bundle: Bundle) -> None:
    """Store it beside the report. Raises Transient when the storage refuses."""
    text = _BUNDLE.dump_json(bundle, by_alias=True)
    await asyncio.to_thread(services.artifacts.put, evaluation_key(request.id), BUNDLE_NAME, text)


def read_bundle(text: bytes) -> Bundle:
    """Read what `keep_bundle` wrote. Raises pydantic's ValidationError for anything else."""
    return _BUNDLE.validate_json(text)


async def derive_again(bundle: Bundle, session: ModelSession) -> Judgement:
    """Judge again by what was said then; `session` answers from the bundle's replies alone."""
    limits = bundle.judging.configuration.limits
    acting = Acting(
        bundle.asked.run,
        _never_taken,
        _no_picture,
        _never_looked_up if bundle.asked.may_look_up else None,
        interactions=limits.interactions,
        minutes=limits.minutes,
    )
    agents = Agents(session, Delimiter(bundle.asked.mark), acting, ANY_DAY)
    deliberation = await ask_judges(bundle.judging, agents)
    return judged(bundle.judging, deliberation, bundle.members)


async def _never_taken(step: Step) -> Taken:
    raise AssertionError(f"a replay took the step {step.id}: its result is not in the bundle")


async def _never_looked_up(wanted: str) -> str:
    raise AssertionError(f"a replay looked up {wanted!r}: the answer is not in the bundle")


async def _no_picture(name: str) -> bytes | None:
    return None
