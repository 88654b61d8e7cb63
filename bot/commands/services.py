"""Opens the adapters that every evaluation is given, whoever starts it."""

from __future__ import annotations

from bot.kept_key import kept_key
from bot.llm import OpenSession, open_models
from bot.lookup import open_lookup
from bot.private_key import held_secrets
from bot.settings import Settings
from bot.stages.services import Origin, Services
from bot.store import Store, open_artifacts
from sandbox import open_sandbox


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
        open_session=models or open_models(settings),
        mark_key=kept_key(settings.home / "mark.key"),
        web=open_lookup(settings, sandbox),
    )
