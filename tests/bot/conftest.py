"""An empty job store, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.queue import EngineOptions, migrate


@pytest.fixture(scope="session")
def empty_job_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated job store to copy: migrating takes longer than most tests."""
    folder = tmp_path_factory.mktemp("job-store")
    migrate(EngineOptions(f"sqlite:///{folder / 'engine.db'}", folder))
    return folder / "engine.db"
