"""Opens the adapters that every evaluation is given, whoever starts it."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.errors import Transient
from bot.github.credentials import held_secrets
from bot.judges.model import OpenSession, Session, SessionLimits, open_models
from bot.judges.web_access import open_lookup
from bot.services import Origin, Services
from bot.settings import Settings
from bot.store import KeptReplies, Records, Store, open_artifacts
from sandbox import open_sandbox

log = logging.getLogger(__name__)


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
