"""What one evaluation leaves behind never decides another one, in docker either."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker_engine import IMAGE
from tests.e2e.poison import POISONINGS, Poisoning, judged_after

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


@pytest.mark.parametrize("case", POISONINGS, ids=lambda case: case.name)
def test_an_evil_base_decides_nothing_for_others(tmp_path: Path, case: Poisoning) -> None:
    lured, judged = judged_after(tmp_path, case, "docker")
    assert lured.document.evidence, lured.said()
    assert judged.conclusion == "failure", judged.said()
