"""An empty job store and empty records, made once: that takes longer than most tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.queue import EngineOptions, migrate
from bot.store import Store


@pytest.fixture(scope="session")
def empty_job_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated job store to copy."""
    folder = tmp_path_factory.mktemp("job-store")
    migrate(EngineOptions(f"sqlite:///{folder / 'engine.db'}", folder))
    return folder / "engine.db"


@pytest.fixture(scope="session")
def empty_records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated records' database to copy."""
    path = tmp_path_factory.mktemp("records") / "records.db"
    with Store(f"sqlite:///{path}") as records:
        records.migrate()
    return path
