"""Projects of every ecosystem judged in docker come out as in bubblewrap: what the image brings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker_engine import IMAGE
from tests.e2e.ecosystems.judging import PROJECTS, judge_both
from tests.e2e.ecosystems.project import Project

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


_NOT_HERE = {
    "vitest-1": "older vitests are judged in bubblewrap",
    "vitest-2": "older vitests are judged in bubblewrap",
    "vitest-4": "the image's Node 18 is too old for vitest 4",
}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_good_change_succeeds_and_a_bad_one_fails(tmp_path: Path, project: Project) -> None:
    if reason := _NOT_HERE.get(project.name):
        pytest.skip(reason)
    judge_both(tmp_path, project, "docker")
