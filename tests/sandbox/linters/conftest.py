from __future__ import annotations

from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path / "state")
