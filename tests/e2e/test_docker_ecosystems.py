"""Projects of every ecosystem judged in docker come out as in bubblewrap: what the image brings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docker_engine import IMAGE
from tests.e2e.ecosystems.judging import PROJECTS, judge_both
from tests.e2e.ecosystems.node_projects import RUNNERS
from tests.e2e.ecosystems.project import Project

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


# What the image brings. Other ages of runners are a matter of the harness, which is the same in both drivers.
_RUNNERS_HERE = ("jest", "vitest", "mocha")
_HERE = [one for one in PROJECTS if one not in RUNNERS or one.name in _RUNNERS_HERE]


@pytest.mark.parametrize("project", _HERE, ids=lambda project: project.name)
def test_a_good_change_succeeds_and_a_bad_one_fails(tmp_path: Path, project: Project) -> None:
    judge_both(tmp_path, project, "docker")
