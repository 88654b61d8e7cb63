"""The PDF by the docker driver, on a real engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox import open_sandbox
from sandbox.base import Sandbox
from tests.bot.report.printing import Printing
from tests.docker_engine import IMAGE

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def sandbox(docker_engine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield open_sandbox("docker", tmp_path_factory.mktemp("state"))


class TestPrinting(Printing): ...
