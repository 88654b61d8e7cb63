"""The docker driver on a real engine against the suite for every driver."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Command, Limits, Sandbox, SandboxError
from tests.sandbox import conformance
from tests.sandbox.docker_engine import IMAGE, NoEngine, running_engine, sandbox_image

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def engine() -> Iterator[str]:
    """The address of an engine that has the image; what the driver reads is in the environment."""
    with pytest.MonkeyPatch.context() as environment:
        try:
            with running_engine() as address:
                environment.setenv("DOCKER_HOST", address)
                environment.setenv("ASSAY_DOCKER_IMAGE", sandbox_image(address))
                yield address
        except NoEngine as error:
            pytest.skip(str(error))


@pytest.fixture(scope="module")
def opened(engine: str, tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return open_sandbox("docker", tmp_path_factory.mktemp("state"))


class Driver:
    @pytest.fixture
    def sandbox(self, opened: Sandbox) -> Sandbox:
        return opened


class TestPrograms(Driver, conformance.Programs): ...


class TestIsolation(Driver, conformance.Isolation): ...


class TestFolders(Driver, conformance.Folders): ...


class TestBounds(Driver, conformance.Bounds): ...


class TestBuildNetwork(Driver, conformance.BuildNetwork): ...
