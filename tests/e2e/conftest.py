"""One town for all: what its parts cost to start is paid once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.judges import Judges, running_judged_town
from tests.e2e.town import Town, running_town


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A running forge with Assay beside it."""
    with running_town(tmp_path_factory.mktemp("town")) as running:
        yield running


@pytest.fixture(scope="session")
def printing_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """One that prints each report, as it is shipped."""
    with running_town(tmp_path_factory.mktemp("printing"), ASSAY_PDF="true") as running:
        yield running


@pytest.fixture(scope="session")
def judged_town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Town, Judges]]:
    """A running forge with Assay beside it, and the models that it asks."""
    with running_judged_town(tmp_path_factory.mktemp("judged")) as running:
        yield running
