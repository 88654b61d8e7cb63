"""A test of base that is red on head, or that head no longer runs, is never called fine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import FIX, TASK, Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

SHARED = "def test_double():\n    assert double(2) == 4\n\n\ndef double(n):\n    return 2 * n\n"
USERS = "from tests.test_util import double\n\n\n" + "\n\n\n".join(
    f"def test_double_of_{n}():\n    assert double({n}) == {2 * n}" for n in (3, 4, 5, 6)
)
PROJECT: Files = {
    "tests/__init__.py": "",
    "tests/test_util.py": SHARED,
    "tests/test_users.py": f"{USERS}\n",
    "ab_test.py": "def chosen(n):\n    return 'a' if n % 2 else 'b'\n",
    "tests/test_choice.py": "import ab_test\n\n\ndef test_odd():\n    assert ab_test.chosen(1) == 'a'\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("red"))
    opened.repository.commit(PROJECT)
    return opened


def test_a_mistake_in_a_file_that_is_named_like_a_test_fails_its_users(folder: Folder) -> None:
    mistake = SHARED.replace("return 2 * n", "return 3 * n if n > 2 else 2 * n")
    judged = folder.judge(folder.branch("util", {**FIX, "tests/test_util.py": mistake}))
    assert judged.conclusion == "failure", judged.said()
    assert "test_double_of_3" in judged.said()


def test_a_source_file_that_is_named_like_a_test(folder: Folder) -> None:
    broken = {"ab_test.py": "def chosen(n):\n    return 'b'\n"}
    judged = folder.judge(folder.branch("choice", {**FIX, **broken}))
    assert judged.conclusion == "failure", judged.said()
    assert "test_odd" in judged.said()


def test_a_base_whose_tests_cannot_be_loaded_here_says_why(tmp_path: Path) -> None:
    opened = open_folder(tmp_path)
    old = "from inspect import getargspec as _spec\n\n\ndef name():\n    return 'shop'\n"
    opened.repository.commit({"shop.py": old})
    judged = opened.judge(opened.branch("newer", FIX))
    assert judged.conclusion == "action_required", judged.said()
    assert "Every test of base fails here" in judged.said()
    assert "cannot import name 'getargspec' from 'inspect'" in judged.said()
    assert "Add tests to the base branch" not in judged.said()


def test_new_tests_that_fail_on_a_python_newer_than_the_project_knows_ask_a_person(
    tmp_path: Path,
) -> None:
    """It may be Assay's machine that they fail on; what passes on base there still binds."""
    opened = open_folder(tmp_path)
    failing = {"tests/test_price.py": str(FIX["tests/test_price.py"]).replace("== 8", "== 9")}
    opened.repository.commit({"tox.ini": "[tox]\nenvlist = py36, py38\n"})
    newer = opened.judge(opened.branch("newer", {**FIX, **failing}))
    assert newer.conclusion == "action_required", newer.said()
    assert "is tested with Python 3.6, 3.8; the sandbox has Python" in newer.said()
    known = {**FIX, **failing, "tox.ini": "[tox]\nenvlist = py36, py311, py38\n"}
    judged = opened.judge(opened.branch("known", known))
    assert judged.conclusion == "action_required", "base says what the project is tested with"
    broken = {"shop.py": str(FIX["shop.py"]).replace("'shop'", "'shops'")}
    worse = opened.judge(opened.branch("worse", {**FIX, **broken}))
    assert worse.conclusion == "failure", worse.said()


OWN = "import pytest\nimport shop\n\n\ndef test_name():\n    assert shop.name() == 'shop'\n"
SKIPS = "    import unittest\n\n    raise unittest.SkipTest('not today')"
XFAILS = (
    "import pytest\n\n\ndef pytest_collection_modifyitems(items):\n"
    "    for item in items:\n        if item.name == 'test_name':\n"
    "            item.add_marker(pytest.mark.xfail(run=False))\n"
)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (
            "by-the-source",
            {"shop.py": str(FIX["shop.py"]).replace("    return 'shop'", SKIPS)},
        ),
        (
            "by-the-module",
            {
                "tests/test_shop.py": f"import pytest\npytest.skip('later', allow_module_level=True)\n{OWN}"
            },
        ),
        (
            "by-a-mark",
            {"tests/test_shop.py": OWN.replace("def test", "@pytest.mark.skip\ndef test")},
        ),
        ("by-expecting-failure", {"tests/conftest.py": XFAILS}),
    ],
)
def test_a_test_of_base_that_is_skipped_on_head(folder: Folder, name: str, files: Files) -> None:
    judged = folder.judge(folder.branch(name, {**FIX, **files}))
    assert judged.conclusion in ("action_required", "failure"), judged.said()
    assert "B2 satisfied" not in judged.said()
    assert "tests/test_shop.py" in judged.said()


def test_a_skipped_test_whose_subject_was_asked_to_go(folder: Folder) -> None:
    gone = str(FIX["shop.py"]).replace("    return 'shop'", SKIPS)
    task = f"{TASK}\nRemove `name`: nobody calls it.\n\n- [ ] `name()` is removed\n"
    judged = folder.judge(folder.branch("asked", {**FIX, "shop.py": gone}), task=task)
    (verdict,) = [row.verdict for row in judged.document.requirements if row.id == "B2"]
    assert verdict == "satisfied", judged.said()
