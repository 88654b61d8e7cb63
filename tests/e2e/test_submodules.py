"""A project whose tests read a submodule: run with it where it can be had, else said what was missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import FIX, TASK, Folder, open_folder
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]

CASES = """import pathlib

import pytest

import shop

CASES = [line.split() for path in pathlib.Path("cases").glob("*.txt") for line in path.open()]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_case(name, value):
    assert getattr(shop, name)() == value
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The suite of `cases` is a submodule, which is not in the clone yet."""
    opened = open_folder(tmp_path)
    repository = opened.repository
    suite = Repository(tmp_path / "cases").commit({"names.txt": "name shop\n"})
    repository.commit({"tests/test_cases.py": CASES})
    config = '[submodule "cases"]\n\tpath = cases\n\turl = https://forge.example/owner/cases\n'
    (repository.folder / ".gitmodules").write_text(config)
    (repository.folder / "cases").mkdir()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{suite},cases")
    repository.git("add", ".gitmodules")
    repository.git("commit", "--quiet", "--message", "submodule")
    return opened


def branch(folder: Folder, name: str, shop: str) -> str:
    """Commit a change without `git add`, which would take the empty folder for a removal."""
    repository = folder.repository
    repository.git("checkout", "--quiet", "-b", name, "main")
    (repository.folder / "shop.py").write_text(shop)
    (repository.folder / "tests/test_price.py").write_text(str(FIX["tests/test_price.py"]))
    repository.git("add", "shop.py", "tests")
    repository.git("commit", "--quiet", "--message", name)
    repository.git("checkout", "--quiet", "main")
    return name


def test_what_a_missing_submodule_hides_is_not_held_to_pass(folder: Folder, tmp_path: Path) -> None:
    right = str(FIX["shop.py"])
    right_head = branch(folder, "right", right)
    judged = folder.judge(right_head, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    (held,) = [row for row in judged.document.requirements if row.id == "B2"]
    assert held.verdict == "unverified"
    assert "But submodule cases at " in held.reason
    assert (
        "it is not in the local clone: run `git submodule update --init --recursive`."
        in held.reason
    )

    modules = folder.repository.folder / ".git" / "modules"
    modules.mkdir()
    folder.repository.git(
        "clone", "--quiet", "--bare", str(tmp_path / "cases"), str(modules / "cases")
    )
    assert folder.judge(right_head, task=TASK).conclusion == "success"
    wrong = folder.judge(branch(folder, "wrong", right.replace("'shop'", "'store'")), task=TASK)
    assert wrong.conclusion == "failure"
    assert wrong.document.tests
    assert "tests/test_cases.py::test_case[name-shop]" in wrong.document.tests.pass_to_fail


def test_what_cannot_be_loaded_without_its_submodule_names_it(folder: Folder) -> None:
    conftest = folder.repository.folder / "tests/conftest.py"
    conftest.write_text('import pathlib\n\nNAMES = pathlib.Path("cases/names.txt").read_text()\n')
    folder.repository.git("add", "tests/conftest.py")
    folder.repository.git("commit", "--quiet", "--message", "conftest")
    judged = folder.judge(branch(folder, "right", str(FIX["shop.py"])), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    (held,) = [row for row in judged.document.requirements if row.id == "B2"]
    assert held.verdict == "unverified"
    assert "FileNotFoundError (tests/conftest.py)" in held.reason
    assert "submodule cases at " in held.reason
