"""A Node project in docker comes out as it does in bubblewrap."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker_engine import IMAGE
from tests.e2e.test_node import DISCOUNT, DISCOUNT_TEST, PROJECT, TASK, opened

pytestmark = pytest.mark.real


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


@pytest.mark.parametrize(
    ("code", "expected"), [(DISCOUNT, "success"), (DISCOUNT.replace("/ 100", ""), "failure")]
)
def test_a_good_and_a_bad_change(tmp_path: Path, code: str, expected: str) -> None:
    folder = opened(tmp_path, PROJECT, "docker")
    files = {"price.js": code, "test/discount.test.js": DISCOUNT_TEST}
    judged = folder.judge(folder.branch("change", files), task=TASK)
    assert judged.conclusion == expected, judged.said()
