"""Plays every attack of the corpus, in bubblewrap or docker: none that is promised to be stopped gets a green check.

`make test-attacks` prints the table; `ASSAY_ATTACKS` names a language or the beginning of an id.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.attacks.corpus import REFUSED, Attack, Project
from tests.attacks.native import GO, SHELL, C
from tests.attacks.node import NODE
from tests.attacks.python import PYTHON
from tests.e2e.folder import Folder
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]
PROJECTS = (PYTHON, NODE, C, SHELL, GO)
_PATH = "/usr/local/bin:/usr/bin:/bin"


def _wanted(project: Project, attack: Attack) -> bool:
    wanted = os.environ.get("ASSAY_ATTACKS", "")
    return f"{project.language}/{attack.id}".startswith(wanted) or attack.id.startswith(wanted)


CASES = [(p, a) for p in PROJECTS for a in p.attacks if _wanted(p, a)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Folder]]:
    """One repository a language: its base is built and run once."""
    yield {p.language: _opened(tmp_path_factory.mktemp(p.language), p) for p in PROJECTS}


def _opened(folder: Path, project: Project) -> Folder:
    repository = Repository(folder / "repository")
    repository.commit(project.files)
    driver = os.environ.get("ASSAY_SANDBOX", "bubblewrap")
    settings = Settings(home=folder / "home", chromium=str(folder / "none"), sandbox=driver)
    return Folder(repository, settings)


def _skip_without(project: Project) -> None:
    missing = [name for name in project.needs if not shutil.which(name, path=_PATH)]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed where the sandbox looks")


@pytest.mark.parametrize("project", PROJECTS, ids=lambda one: one.language)
def test_the_honest_change_passes(project: Project, folders: dict[str, Folder]) -> None:
    _skip_without(project)
    folder = folders[project.language]
    judged = folder.judge(folder.branch("right", project.right), task=project.task)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("project", "attack"), CASES, ids=[f"{p.language}/{a.id}" for p, a in CASES]
)
def test_an_attack(
    project: Project,
    attack: Attack,
    folders: dict[str, Folder],
    record_property: Callable[[str, object], None],
) -> None:
    _skip_without(project)
    folder = folders[project.language]
    judged = folder.judge(folder.branch(attack.id, attack.files), task=project.task)
    record_property("attack", f"{project.language}/{attack.id}")
    record_property("about", attack.about)
    record_property("conclusion", str(judged.conclusion))
    record_property("promised", "yes" if attack.promised else "no")
    if attack.promised:
        assert judged.conclusion in REFUSED, judged.said()
