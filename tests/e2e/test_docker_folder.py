"""The demo's sample project judged in docker comes out as it does in bubblewrap."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.demo.town import ISSUES, PROJECT, SCENES, Scene
from bot.settings import Settings
from tests.docker_engine import IMAGE
from tests.e2e.folder import Folder, Judged
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real

RIGHT_FIX, WEAKENED = SCENES[0], SCENES[2]


@pytest.fixture(autouse=True)
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def _judged(folder: Path, driver: str, scene: Scene) -> Judged:
    repository = Repository(folder / "repository")
    repository.commit(_files(PROJECT))
    settings = Settings(
        home=folder / "home", chromium=str(folder / "none"), pdf=False, sandbox=driver
    )
    opened = Folder(repository, settings)
    opened.branch(scene.name, _files(scene.files))
    issue = ISSUES[1 if scene is WEAKENED else 0]
    return opened.judge(scene.name, task=f"{issue.title}\n\n{issue.body}")


@pytest.mark.parametrize("scene", [RIGHT_FIX, WEAKENED], ids=lambda scene: scene.name)
def test_both_drivers_come_to_the_same_conclusion(tmp_path: Path, scene: Scene) -> None:
    found = {}
    for driver in ("bubblewrap", "docker"):
        judged = _judged(tmp_path / driver, driver, scene)
        rows = [(row.id, row.verdict, row.decided_by) for row in judged.document.requirements]
        found[driver] = (judged.conclusion, rows)
    assert found["docker"] == found["bubblewrap"]
    assert found["docker"][0] == scene.expected
