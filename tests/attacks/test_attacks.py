"""Plays attacks of the corpus: none that is promised to be stopped gets a green check.

`make test-attacks` plays each and prints the table, `make test-slow` one of 25: a fifth of these cases.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.attacks.corpus import Attack, Project
from tests.attacks.playing import (
    PROJECTS,
    chosen,
    name_of,
    opened,
    play,
    skip_without,
)
from tests.e2e.folder import Folder

pytestmark = [pytest.mark.real, pytest.mark.slow]
CASES = chosen(one_of=5)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Folder]:
    return opened(tmp_path_factory, "bubblewrap")


@pytest.mark.parametrize("project", PROJECTS, ids=lambda one: one.language)
def test_the_honest_change_passes(project: Project, folders: dict[str, Folder]) -> None:
    skip_without(project)
    folder = folders[project.language]
    judged = folder.judge(folder.branch("right", project.right), task=project.task)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(("project", "attack"), CASES, ids=[name_of(*one) for one in CASES])
def test_an_attack(
    project: Project,
    attack: Attack,
    folders: dict[str, Folder],
    record_property: Callable[[str, object], None],
) -> None:
    play(project, attack, folders, record_property)
