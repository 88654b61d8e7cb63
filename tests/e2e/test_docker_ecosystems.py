"""Projects of other ecosystems judged in docker come out as in bubblewrap: what the image brings."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.docker_engine import IMAGE
from tests.e2e.ecosystems.projects import MAKE, SCRIPTS, Project
from tests.e2e.folder import Folder
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


@pytest.mark.parametrize("project", [MAKE, SCRIPTS], ids=lambda project: project.name)
def test_a_good_change_succeeds_and_a_bad_one_fails(tmp_path: Path, project: Project) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(project.start)
    settings = Settings(home=tmp_path / "home", chromium=str(tmp_path / "none"), sandbox="docker")
    folder = Folder(repository, settings)
    folder.branch("good", project.good)
    folder.branch("bad", project.bad)

    good = folder.judge("good", task=project.task)
    bad = folder.judge("bad", task=project.task)

    assert good.conclusion == "success", good.said()
    assert project.proof in good.document.tests.fail_to_pass
    assert bad.conclusion == "failure", bad.said()
    assert project.broken in bad.document.tests.pass_to_fail
