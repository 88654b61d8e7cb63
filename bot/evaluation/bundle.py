"""One run with models as one file: what was laid before them, what they said, what came of it.

`assay replay` derives the verdicts again from it, without a model and without a sandbox. It holds
outputs of the code under test as they were, so it is linked nowhere.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter

from bot.context import Case
from bot.evaluation.judging import Judging, ask_judges, judged
from bot.evaluation.recording import kept_exchanges, kept_replies
from bot.judges.agents import ANY_DAY, Acting, Agents, Taken
from bot.judges.model.base import Session
from bot.services import Services, acting_key, evaluation_key, run_delimiter
from bot.settings import Settings
from bot.text import Delimiter
from bot.values import EvaluationRequest, Exchange, Judgement, Standing, Step

NAME = "replay.json"


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
    matter: Judging
    judgement: Judgement
    members: tuple[Standing, ...]
    replies: dict[str, bytes]
    exchanges: tuple[Exchange, ...] = ()

    @classmethod
    def of(
        cls,
        services: Services,
        case: Case,
        judging: Judging,
        judgement: Judgement,
        members: tuple[Standing, ...],
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


async def keep_bundle(services: Services, request: EvaluationRequest, bundle: Bundle) -> None:
    """Store it beside the report. Raises Transient when the storage refuses."""
    text = _BUNDLE.dump_json(bundle)
    await asyncio.to_thread(services.artifacts.put, evaluation_key(request.id), NAME, text)


def read_bundle(text: bytes) -> Bundle:
    """Read what `keep_bundle` wrote. Raises pydantic's ValidationError for anything else."""
    return _BUNDLE.validate_json(text)


async def derive_again(bundle: Bundle, session: Session) -> Judgement:
    """Judge again by what was said then; `session` answers from the bundle's replies alone."""
    limits = bundle.matter.configuration.limits
    acting = Acting(
        bundle.asked.run,
        _never_taken,
        _no_picture,
        _never_looked_up if bundle.asked.may_look_up else None,
        interactions=limits.interactions,
        minutes=limits.minutes,
    )
    agents = Agents(session, Delimiter(bundle.asked.mark), acting, ANY_DAY)
    deliberation = await ask_judges(bundle.matter, agents)
    return judged(bundle.matter, deliberation, bundle.members)


async def _never_taken(step: Step) -> Taken:
    raise AssertionError(f"a replay took the step {step.id}: its result is not in the bundle")


async def _never_looked_up(wanted: str) -> str:
    raise AssertionError(f"a replay looked up {wanted!r}: the answer is not in the bundle")


async def _no_picture(name: str) -> bytes | None:
    return None
