"""Opens the adapters that every evaluation is given, and judges once without the engine."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import Transient
from bot.evaluation import evaluate
from bot.evaluation.upkeep import refuse_full_disk, tidy_daily
from bot.github.credentials import held_secrets
from bot.judges.agents import Agents
from bot.judges.model import OpenSession, SessionLimits, open_models
from bot.judges.web_access import open_lookup
from bot.services import Origin, Services
from bot.settings import Settings
from bot.steps import run_in_process
from bot.store import Store, open_artifacts, open_records
from bot.text import delimiter_of
from bot.values import EvaluationRequest, Publication
from sandbox import open_sandbox

if TYPE_CHECKING:
    from bot.judges.model.session import ModelSession

log = logging.getLogger(__name__)
CountRuns = Callable[[int, int], None]
_MOST_BYTES = 1_000_000


def open_services(
    settings: Settings, store: Store, origin: Origin, models: OpenSession | None = None
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
        open_session=counted(models or open_models(settings, store), store),
        mark_key=store.kept_key("mark"),
        web=open_lookup(settings, sandbox),
    )


def counted(open_session: OpenSession, store: Store) -> OpenSession:
    """Remember what the models of every session took, however it ends: planned, drafted, cancelled."""

    @asynccontextmanager
    async def opened(limits: SessionLimits) -> AsyncIterator[ModelSession | None]:
        async with open_session(limits) as session:
            try:
                yield session
            finally:
                if session is not None:
                    try:
                        await asyncio.to_thread(store.used, uuid.uuid4().hex, session.usage)
                    except Transient as error:  # what was answered counts, counted or not
                        log.warning("what models took is not in the metrics: %s", error)

    return opened


@asynccontextmanager
async def open_agents(
    settings: Settings, texts: Iterable[str], limits: SessionLimits
) -> AsyncIterator[Agents]:
    """Ask models about `texts`, outside of an evaluation; a model must be set.

    Replies are kept, so that a run which was interrupted goes on for nothing.
    """
    run = hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()
    with open_records(settings) as store:
        store.migrate()
        mark = delimiter_of(store.kept_key("mark"), run)
        async with open_models(settings, store)(limits) as session:
            if session is None:
                raise AssertionError("a model is set")
            yield Agents(session, mark)


def read_bounded(file: Path) -> str:
    """The beginning of a file, as text for a model."""
    with file.open("rb") as stream:
        return stream.read(_MOST_BYTES).decode("utf-8", "replace")


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
    with open_records(settings) as store:
        store.migrate()
        services = open_services(settings, store, origin, models)
        await asyncio.to_thread(tidy_daily, services)
        refuse_full_disk(settings.home, settings.disk_floor_gb)
        if count_runs:
            services = replace(services, count_runs=count_runs)
        return await evaluate(request, services, run_in_process)
