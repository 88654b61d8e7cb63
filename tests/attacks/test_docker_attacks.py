"""Plays attacks of the corpus in docker: one of every 48, a third of these cases, or those that
`ASSAY_ATTACKS` names ("all": each).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.attacks.corpus import Attack, Project
from tests.attacks.playing import chosen, name_of, opened, play
from tests.docker_engine import IMAGE
from tests.e2e.folder import Folder

pytestmark = pytest.mark.real
CASES = chosen(one_of=16)


@pytest.fixture(autouse=True, scope="module")
def engine(docker_engine: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DOCKER_HOST", docker_engine)
        environment.setenv("ASSAY_DOCKER_IMAGE", IMAGE)
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Folder]:
    return opened(tmp_path_factory, "docker")


@pytest.mark.parametrize(("project", "attack"), CASES, ids=[name_of(*one) for one in CASES])
def test_an_attack(
    project: Project,
    attack: Attack,
    folders: dict[str, Folder],
    record_property: Callable[[str, object], None],
) -> None:
    play(project, attack, folders, record_property)
