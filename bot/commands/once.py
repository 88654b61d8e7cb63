"""Puts the adapters together for one evaluation; without the engine, which takes a second to load."""

from __future__ import annotations

from contextlib import closing

from bot.kept_key import kept_key
from bot.llm import OpenSession, open_models
from bot.lookup import open_lookup
from bot.models import EvaluationRequest, Publication
from bot.private_key import held_secrets
from bot.settings import Settings
from bot.stages import evaluate
from bot.stages.services import Origin, Services
from bot.steps import run_in_process
from bot.store import open_artifacts, open_records
from sandbox import open_sandbox


async def judge_once(
    settings: Settings,
    origin: Origin,
    request: EvaluationRequest,
    models: OpenSession | None = None,
) -> Publication:
    """Run one evaluation here and now, without an engine. Raises SandboxError, Transient.

    `models` stand in for those that the settings name.
    """
    with closing(open_records(settings)) as store:
        store.migrate()
        sandbox = open_sandbox(settings.sandbox, settings.home / "sandbox")
        services = Services(
            settings=settings,
            sandbox=sandbox,
            store=store,
            artifacts=open_artifacts(settings),
            origin=origin,
            secrets=held_secrets(settings),
            open_session=models or open_models(settings),
            mark_key=kept_key(settings.home / "mark.key"),
            web=open_lookup(settings, sandbox),
        )
        return await evaluate(request, services, run_in_process)
