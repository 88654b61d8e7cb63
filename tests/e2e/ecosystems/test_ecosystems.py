"""Each ecosystem end to end: a tiny repository, a good change and a bad one, judged in the sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings
from tests.e2e.ecosystems.projects import PROJECTS, Files, Project
from tests.e2e.folder import Folder, Judged
from tests.sandbox.harness.kept import needs
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real


def opened(folder: Path, files: Files) -> Folder:
    repository = Repository(folder / "repository")
    repository.commit(files)
    return Folder(repository, Settings(home=folder / "home", chromium=str(folder / "none")))


def changes(judged: Judged) -> dict[str, str]:
    """What the four ways said of each test that changed."""
    tests = judged.document.tests
    kinds = ("fail_to_pass", "pass_to_fail", "pass_to_pass")
    return {test_id: kind for kind in kinds for test_id in getattr(tests, kind)}


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_a_good_change_succeeds_and_a_bad_one_fails(tmp_path: Path, project: Project) -> None:
    needs(*project.programs, jars=project.jars)
    folder = opened(tmp_path, project.start)
    folder.branch("good", project.good)
    folder.branch("bad", project.bad)

    good = folder.judge("good", task=project.task)
    bad = folder.judge("bad", task=project.task)

    assert good.conclusion == "success", good.said()
    assert changes(good)[project.proof] == "fail_to_pass"
    assert bad.conclusion == "failure", bad.said()
    assert changes(bad)[project.broken] == "pass_to_fail"
