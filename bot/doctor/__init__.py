"""What Assay needs on this machine and at GitHub, looked at without changing anything."""

from __future__ import annotations

import asyncio
import importlib
import os
from types import ModuleType

from bot.doctor.machine import Diagnosis, Importance, look_at_machine
from bot.errors import Transient, UserError
from bot.settings import Settings
from sandbox.bubblewrap.selfcheck import as_root


async def examine(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at everything at the same time; each part keeps to a few seconds."""
    parts = await asyncio.gather(
        look_at_machine(settings), look_at_state(settings), _look_at_app(settings)
    )
    return tuple(diagnosis for part in parts for diagnosis in part)


async def _look_at_app(settings: Settings) -> tuple[Diagnosis, ...]:
    if not settings.app_id:
        seen = "not registered; `assay judge` works without"
        return (Diagnosis("GitHub App", False, seen, "assay setup", Importance.USEFUL),)
    found: tuple[Diagnosis, ...] = await _services().look_at_app(settings)
    return found


DATABASE_TIMEOUT_S = 15.0


async def look_at_state(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at the folder, the databases, and what came in last."""
    databases = await _look_at_databases(settings)
    webhooks: tuple[Diagnosis, ...] = ()
    if settings.app_id and databases.is_well:
        webhooks = (_services().look_at_webhooks(settings),)
    home = settings.home.absolute()
    existing = next(path for path in (home, *home.parents) if path.exists())
    if os.access(existing, os.W_OK | os.X_OK):
        folder = Diagnosis("ASSAY_HOME", True, str(home))
    else:
        remedy = as_root(f"install -d -m 700 -o {os.geteuid()} {home}")
        folder = Diagnosis("ASSAY_HOME", False, f"{existing} cannot be written to", remedy)
    return (folder, databases, *webhooks)


async def _look_at_databases(settings: Settings) -> Diagnosis:
    if not settings.database_url and not (settings.home / "records.db").is_file():
        return Diagnosis("database", True, "SQLite, made at the first start")
    try:
        async with asyncio.timeout(DATABASE_TIMEOUT_S):
            await asyncio.to_thread(_services().ask_databases, settings)
    except (Transient, TimeoutError) as error:
        seen = str(error) or f"no answer within {DATABASE_TIMEOUT_S} s"
        remedy = "check ASSAY_DATABASE_URL and the server; `assay web` makes the tables"
        return Diagnosis("database", False, seen, remedy)
    except UserError as error:
        return Diagnosis("database", False, error.what, error.next_step)
    kind = "SQLite" if not settings.database_url else settings.database_url.partition(":")[0]
    return Diagnosis("database", True, f"{kind} answers and has its tables")


def _services() -> ModuleType:
    """Import what talks to GitHub and databases only where there are some: it takes a second."""
    return importlib.import_module("bot.doctor.services")
