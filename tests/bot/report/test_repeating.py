"""The lines of the report show again what the evaluation saw, and leave the clone as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.report.tests_views import repeat
from bot.values import TestChange, TestComparison
from sandbox.values import Outcome
from tests.sandbox.repositories import ENVIRONMENT, Repository

pytestmark = pytest.mark.real
PASSED, FAILED = Outcome.PASSED, Outcome.FAILED
PATH, NEW = "tests/test_shop.py", "tests/test_new.py"
BASE_TEST = "import shop\n\n\ndef test_price():\n    assert shop.price() == 1\n"
LOOSENED = "def test_price():\n    pass\n"
NEW_TEST = "import shop\n\n\ndef test_tax():\n    assert shop.tax() == 3\n"
REGRESSED = TestComparison(
    f"{PATH}::test_price", TestChange.PASS_TO_FAIL, PASSED, FAILED, PASSED, PASSED, path=PATH
)
ADDED = TestComparison(
    f"{NEW}::test_tax", TestChange.FAIL_TO_PASS, None, None, FAILED, PASSED, path=NEW
)


@pytest.fixture
def commits(tmp_path: Path) -> tuple[Repository, str, str]:
    clone = Repository(tmp_path / "clone")
    common = {"pytest.ini": "[pytest]\npythonpath = .\naddopts = -p no:cacheprovider\n"}
    base = clone.commit({**common, "shop.py": "def price():\n    return 1\n", PATH: BASE_TEST})
    broken = "def price():\n    return 2\n\n\ndef tax():\n    return 3\n"
    return clone, base, clone.commit({"shop.py": broken, PATH: LOOSENED, NEW: NEW_TEST})


def typed(clone: Repository, lines: str) -> list[tuple[bool, str]]:
    """Paste each line into a shell: whether a test passed in it, and what was said."""
    python = str(Path(sys.executable).parent)
    path = f"{python}{os.pathsep}{ENVIRONMENT['PATH']}"
    environment = {**ENVIRONMENT, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    shown = []
    for line in lines.splitlines():
        done = subprocess.run(
            ["sh", "-c", line], cwd=clone.folder, env=environment, capture_output=True, check=False
        )
        said = (done.stdout + done.stderr).decode()
        shown.append(("1 passed" in said, said))
        assert clone.git("status", "--porcelain") == "", "nothing is left behind"
    return shown


def test_a_loosened_test_is_run_as_base_has_it(commits: tuple[Repository, str, str]) -> None:
    clone, base, head = commits
    ((is_passed, said),) = typed(clone, repeat(REGRESSED, base, head))
    assert not is_passed and "assert 2 == 1" in said
    edited = replace(REGRESSED, head_on_head=FAILED)
    assert "restore" not in repeat(edited, base, head), "then head's own version shows it"


def test_a_new_test_fails_on_bases_code_first(commits: tuple[Repository, str, str]) -> None:
    clone, base, head = commits
    on_base, on_head = typed(clone, repeat(ADDED, base, head))
    assert not on_base[0] and "has no attribute 'tax'" in on_base[1]
    assert on_head[0], on_head[1]


def test_a_work_tree_is_left_as_it_stands() -> None:
    """No clone has the commit that was made of it, and a checkout would lose what is not committed."""
    assert repeat(ADDED, "b" * 40, "") == f"python -m pytest {ADDED.id}"
    assert repeat(REGRESSED, "b" * 40, "") == "", "head's own version passes"


def test_a_test_that_pytest_does_not_name_has_no_line() -> None:
    assert repeat(replace(ADDED, id="adds tax"), "b" * 40, "h" * 40) == ""
    of_jasmine = replace(ADDED, id="spec/tax.spec.js::shop > adds tax", path="spec/tax.spec.js")
    assert repeat(of_jasmine, "b" * 40, "h" * 40) == ""
    assert repeat(replace(ADDED, path=""), "b" * 40, "h" * 40) == f"python -m pytest {ADDED.id}"
    hostile = replace(ADDED, id="t.py::x; rm -rf ~", path="$(reboot)")
    lines = repeat(hostile, "b" * 40, "h" * 40)
    assert "'t.py::x; rm -rf ~'" in lines and "'$(reboot)'" in lines
