"""Where Assay keeps its state: the folder, both databases, and the last webhook that they hold."""

from __future__ import annotations

import asyncio
import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.doctor.diagnosis import Diagnosis, Weight
from bot.engine import EngineClient, engine_options
from bot.errors import Transient, UserError
from bot.settings import Settings
from bot.store import open_records
from sandbox.selfcheck import as_root

DATABASE_TIMEOUT_S = 15.0


async def look_at_state(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at the folder, the databases, and what came in last."""
    databases = await _look_at_databases(settings)
    webhooks = (_look_at_webhooks(settings),) if settings.app_id and databases.is_well else ()
    return (_look_at_home(settings), databases, *webhooks)


def _look_at_webhooks(settings: Settings) -> Diagnosis:
    """Say when the last webhook came: none, although people push, means that GitHub cannot get here."""
    remedy = "open a pull request, then see Recent Deliveries in the App's settings (Advanced)"
    never = Diagnosis("webhooks", False, "none has come yet", remedy, Weight.USEFUL)
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return never
    with closing(EngineClient(engine_options(settings))) as jobs:
        last_s = jobs.last_delivery_s()
    if last_s is None:
        return never
    when = datetime.fromtimestamp(last_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Diagnosis("webhooks", True, f"the last one came at {when}", "", Weight.USEFUL)


def _look_at_home(settings: Settings) -> Diagnosis:
    home = settings.home.absolute()
    existing = next(path for path in (home, *home.parents) if path.exists())
    if os.access(existing, os.W_OK | os.X_OK):
        return Diagnosis("ASSAY_HOME", True, str(home))
    remedy = as_root(f"install -d -m 700 -o {os.geteuid()} {home}")
    return Diagnosis("ASSAY_HOME", False, f"{existing} cannot be written to", remedy)


async def _look_at_databases(settings: Settings) -> Diagnosis:
    if not settings.database_url and not (settings.home / "records.db").is_file():
        return Diagnosis("database", True, "SQLite, made at the first start")
    try:
        async with asyncio.timeout(DATABASE_TIMEOUT_S):
            await asyncio.to_thread(_ask_databases, settings)
    except (Transient, TimeoutError) as error:
        seen = str(error) or f"no answer within {DATABASE_TIMEOUT_S} s"
        remedy = "check ASSAY_DATABASE_URL and the server; `assay web` makes the tables"
        return Diagnosis("database", False, seen, remedy)
    except UserError as error:
        return Diagnosis("database", False, error.what, error.next_step)
    kind = "SQLite" if not settings.database_url else settings.database_url.partition(":")[0]
    return Diagnosis("database", True, f"{kind} answers and has its tables")


def _ask_databases(settings: Settings) -> None:
    """Raise Transient unless both answer and have their tables."""
    with closing(open_records(settings)) as records:
        records.check()
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return  # only `assay judge` was used here, which needs no engine
    with closing(EngineClient(engine_options(settings))) as jobs:
        jobs.check()
