"""Opens the adapters that every evaluation is given, and judges once without the engine."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import replace

from bot.errors import Transient, UserError
from bot.evaluation import evaluate
from bot.evaluation.upkeep import too_full
from bot.github.credentials import held_secrets
from bot.judges.model import OpenSession, Session, SessionLimits, open_models
from bot.judges.web_access import open_lookup
from bot.services import Origin, Services
from bot.settings import Settings
from bot.steps import run_in_process
from bot.store import KeptReplies, Records, Store, open_artifacts, open_records
from bot.values import EvaluationRequest, Publication
from sandbox import open_sandbox

log = logging.getLogger(__name__)
CountRuns = Callable[[int, int], None]


def open_services(
    settings: Settings, store: Records, origin: Origin, models: OpenSession | None = None
) -> Services:
    """Open them as the settings say; `models` stand in for those that they name.

    Raises SandboxError when no sandbox works here.
    """
    sandbox = open_sandbox(settings.sandbox, settings.home / "sandbox")
    return Services(
        settings=settings,
        sandbox=sandbox,
        store=store,
        artifacts=open_artifacts(settings),
        origin=origin,
        secrets=held_secrets(settings),
        open_session=counted(models or open_models(settings, KeptReplies(store)), store),
        mark_key=store.kept_key("mark", settings.home / "mark.key"),
        web=open_lookup(settings, sandbox),
    )


def counted(open_session: OpenSession, store: Store) -> OpenSession:
    """Remember what the models of every session took, however it ends: planned, drafted, cancelled."""

    @asynccontextmanager
    async def opened(limits: SessionLimits) -> AsyncIterator[Session | None]:
        async with open_session(limits) as session:
            try:
                yield session
            finally:
                if session is not None:
                    await asyncio.to_thread(_count, store, session)

    return opened


def _count(store: Store, session: Session) -> None:
    try:
        store.used(uuid.uuid4().hex, session.usage)
    except Transient as error:  # what was answered counts, whether it is counted or not
        log.warning("what models took is not in the metrics: %s", error)


async def judge_once(
    settings: Settings,
    origin: Origin,
    request: EvaluationRequest,
    models: OpenSession | None = None,
    count_runs: CountRuns | None = None,
) -> Publication:
    """Run one evaluation here and now, without an engine. Raises SandboxError, Transient, UserError.

    `models` stand in for those that the settings name.
    """
    if why := too_full(settings):
        raise UserError(why, "Free some space, or set ASSAY_DISK_FLOOR_GB lower.")
    with closing(open_records(settings)) as store:
        store.migrate()
        services = open_services(settings, store, origin, models)
        if count_runs:
            services = replace(services, count_runs=count_runs)
        return await evaluate(request, services, run_in_process)
