"""Both databases: whether they answer, and what came in last."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.doctor.machine import Diagnosis, Importance
from bot.queue import EngineClient, engine_options
from bot.settings import Settings
from bot.store import open_records


def ask(settings: Settings) -> None:
    """Raise Transient unless both answer and have their tables."""
    with open_records(settings) as records:
        records.check()
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return  # only `assay judge` was used here, which needs no engine
    with closing(EngineClient(engine_options(settings))) as jobs:
        jobs.check()


def look_at_webhooks(settings: Settings) -> Diagnosis:
    """Say when the last webhook came: none, although people push, means that GitHub cannot get here."""
    remedy = "open a pull request, then see Recent Deliveries in the App's settings (Advanced)"
    never = Diagnosis("webhooks", False, "none has come yet", remedy, Importance.USEFUL)
    if not settings.database_url and not Path(settings.home / "engine.db").is_file():
        return never
    with closing(EngineClient(engine_options(settings))) as jobs:
        last_s = jobs.last_delivery_s()
    if last_s is None:
        return never
    when = datetime.fromtimestamp(last_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Diagnosis("webhooks", True, f"the last one came at {when}", "", Importance.USEFUL)
