"""Plays one attack of the corpus in a driver of the sandbox."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable

import pytest

from tests.attacks.corpus import REFUSED, Attack, Project
from tests.attacks.native import GO, SHELL, C
from tests.attacks.node import NODE
from tests.attacks.node_runners import JEST, VITEST
from tests.attacks.python import PYTHON
from tests.e2e.folder import Folder, open_folder

PROJECTS = (PYTHON, NODE, JEST, VITEST, C, SHELL, GO)
_PATH = "/usr/local/bin:/usr/bin:/bin"


def name_of(project: Project, attack: Attack) -> str:
    return f"{project.language}/{attack.id}"


def chosen(one_of: int) -> list[tuple[Project, Attack]]:
    """What `ASSAY_ATTACKS` names: "all", or the beginning of ids; without it one of so many."""
    every = [(project, attack) for project in PROJECTS for attack in project.attacks]
    wanted = os.environ.get("ASSAY_ATTACKS", "")
    if not wanted:
        return every[::one_of]
    if wanted == "all":
        return every
    return [one for one in every if any(n.startswith(wanted) for n in (name_of(*one), one[1].id))]


def opened(folders: pytest.TempPathFactory, driver: str) -> dict[str, Folder]:
    """One repository a language: its base is built and run once."""
    found = {}
    for project in PROJECTS:
        found[project.language] = open_folder(
            folders.mktemp(project.language), project.files, driver
        )
    return found


def skip_without(project: Project) -> None:
    missing = [name for name in project.needs if not shutil.which(name, path=_PATH)]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed where the sandbox looks")


def play(
    project: Project,
    attack: Attack,
    folders: dict[str, Folder],
    record_property: Callable[[str, object], None],
) -> None:
    """Judge an attack, note it for the table; it must be refused where that is promised."""
    skip_without(project)
    folder = folders[project.language]
    judged = folder.judge(folder.branch(attack.id, attack.files), task=project.task)
    record_property("attack", name_of(project, attack))
    record_property("about", attack.about)
    record_property("conclusion", str(judged.conclusion))
    record_property("promised", "yes" if attack.promised else "no")
    if attack.promised:
        assert judged.conclusion in REFUSED, judged.said()
