from __future__ import annotations

import pytest

from sandbox import open_sandbox
from sandbox.base import Sandbox


@pytest.fixture(scope="session")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("bubblewrap", tmp_path_factory.mktemp("sandbox"))
