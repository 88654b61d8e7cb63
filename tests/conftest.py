"""What every test may lean on."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from tests.docker_engine import NoEngine, running_engine, sandbox_image
from tests.layers import SHARED
from tests.postgres import Postgres, postgres_bin, running_postgres

# A busy machine is slow, not wrong; and the same commit must not pass once and fail once.
EXAMPLES = 200 if os.environ.get("ASSAY_CASES") == "all" else 30
settings.register_profile(
    "assay", deadline=None, derandomize="CI" in os.environ, max_examples=EXAMPLES
)
settings.load_profile("assay")

UNIT = "not real and not slow and not thorough"
LEFT_OUT_WHOLE = re.compile(
    r"^pytestmark = (?:\[[^\]]*?)?pytest\.mark\.(?:real|slow)\b", re.MULTILINE
)


def pytest_configure(config: pytest.Config) -> None:
    """What all processes share: dependencies that were installed, and the engine of the docker tests."""
    if hasattr(config, "workerinput"):
        return
    stack = ExitStack()
    config.add_cleanup(stack.close)
    os.environ[SHARED] = stack.enter_context(TemporaryDirectory(prefix="assay-layers-"))
    if os.environ.get("ASSAY_TEST_DOCKER") != "1" or not config.getoption("numprocesses"):
        return
    with suppress(NoEngine):  # each test says it then
        os.environ["DOCKER_HOST"] = stack.enter_context(running_engine())
        sandbox_image(os.environ["DOCKER_HOST"])


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of what `make check` leaves out whole not even the imports are paid."""
    if config.option.markexpr != UNIT or not collection_path.match("test_*.py"):
        return None
    return bool(LEFT_OUT_WHOLE.search(collection_path.read_text())) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a module's slow tests and their cases leave one in 24, the first one always.

    With ASSAY_CASES=functions the first case of each test is played, with ASSAY_CASES=all each.
    """
    played = os.environ.get("ASSAY_CASES")
    if played == "all":
        return
    slow: dict[Path | tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow"):
            function = item.path, item.nodeid.split("[", 1)[0]
            slow.setdefault(function if played == "functions" else item.path, []).append(item)
    each = sys.maxsize if played == "functions" else 24
    left = {one for cases in slow.values() for place, one in enumerate(cases) if place % each}
    config.hook.pytest_deselected(items=[one for one in items if one in left])
    items[:] = [one for one in items if one not in left]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let no collection of garbage look at what is imported and collected: it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A real Postgres server for the whole session; `postgres.database()` gives an empty one."""
    programs = postgres_bin()
    if programs is None:
        pytest.skip("no Postgres server is installed: apt-get install postgresql")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[str]:
    """The address of a docker engine that has the image of deploy/sandbox.Dockerfile."""
    try:
        with running_engine() as address:
            sandbox_image(address)
            yield address
    except NoEngine as error:
        pytest.skip(str(error))
