"""Doctests that base's own way of testing runs are run, and judged as tests of the source."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

SHOP = '''"""Prices."""


def price(cents):
    """Return the price.

    >>> price(4)
    4
    """
    return cents


def name():
    """Return the name of the shop.

    >>> name()
    'shop'
    """
    return "shop"
'''
WORKFLOW = """on: push
jobs:
  test:
    steps:
      - run: |
          coverage run -m pytest --cov shop --doctest-modules $EXTRA shop.py
          pytest tests
"""
PROJECT: Files = {
    "shop.py": SHOP,
    "README.md": "The shop\n\n>>> import shop\n>>> shop.name()\n'shop'\n",
    "tox.ini": "[testenv]\ncommands = py.test {posargs}\n"
    "[testenv:docs]\ncommands = py3{11,12}: pytest --doctest-glob *.md README.md\n",
    ".github/workflows/test.yml": WORKFLOW,
    "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(0) == 0\n",
}
DOUBLED = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("doctests"))
    opened.repository.commit(PROJECT)
    return opened


def told(judged: Judged, which: str) -> list[str]:
    assert judged.document.tests, judged.said()
    found: list[str] = getattr(judged.document.tests, which)
    return found


def test_a_regression_that_only_doctests_see(folder: Folder) -> None:
    broken = SHOP.replace('return "shop"', 'return "store"')
    judged = folder.judge(folder.branch("broken", {"shop.py": broken}), task="Rename the shop")
    assert judged.conclusion == "failure", judged.said()
    assert set(told(judged, "pass_to_fail")) == {"shop.py::shop.name", "README.md::README.md"}


def test_head_cannot_take_doctests_out_of_what_is_run(folder: Folder) -> None:
    hidden: Files = {
        "shop.py": SHOP.replace('return "shop"', 'return "store"'),
        "README.md": None,
        "tox.ini": "[testenv]\ncommands = py.test {posargs}\n",
        ".github/workflows/test.yml": WORKFLOW.replace("--doctest-modules", "--strict"),
    }
    judged = folder.judge(folder.branch("hidden", hidden), task="Rename the shop")
    assert judged.conclusion == "failure", judged.said()
    assert "shop.py::shop.name" in told(judged, "pass_to_fail")


def test_a_doctest_that_changed_with_its_code_asks_a_person(folder: Folder) -> None:
    edited = SHOP.replace('return "shop"', 'return "store"').replace("'shop'", "'store'")
    readme = str(PROJECT["README.md"]).replace("'shop'", "'store'")
    head = folder.branch("edited", {"shop.py": edited, "README.md": readme})
    judged = folder.judge(head, task="Make the price faster")
    assert judged.conclusion == "action_required", judged.said()
    assert "shop.py::shop.name" in judged.said()
    assert "README.md::README.md" in judged.said()


def test_a_doctest_proves_a_change_that_was_asked_for(folder: Folder) -> None:
    doubled = SHOP.replace("return cents", "return 2 * cents").replace(
        "price(4)\n    4", "price(4)\n    8"
    )
    judged = folder.judge(folder.branch("doubled", {"shop.py": doubled}), task=DOUBLED)
    assert judged.conclusion == "success", judged.said()
    (asked,) = [row for row in judged.document.requirements if row.id == "R1"]
    assert asked.decided_by == "author's test"


def test_an_example_without_its_function_fails_on_base(folder: Folder) -> None:
    total = '\n\ndef total(prices):\n    """\n    >>> total([1, 2])\n    3\n    """\n    return sum(prices)\n'
    more = SHOP + total
    judged = folder.judge(folder.branch("more", {"shop.py": more}), task="`total` adds up prices")
    assert list(told(judged, "fail_to_pass")) == ["shop.py::shop.total"], judged.said()


# --- where the project's own tests run none -------------------------------------------------------------

QUIET: Files = {
    "shop.py": SHOP,
    "till.py": '"""\n>>> 1 + 1\n3\n"""\n\n\ndef count():\n    return 1\n',
    "requirements.txt": "pytest\n",
    "pytest.ini": "[pytest]\ntestpaths = tests\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_price():\n    assert shop.price(0) == 0\n",
}
RENAMED = "The shop is called a store\n\n`price` has nothing to do with it.\n"
TEST = "import shop\n\n\ndef test_name():\n    assert shop.name() == 'store'\n"


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("quiet"), QUIET)


@pytest.mark.parametrize(
    ("name", "files", "broken"),
    [
        ("broken", {"shop.py": SHOP.replace('"shop"', '"store"')}, "shop.py::shop.name"),
        (
            "wrong",
            {"shop.py": SHOP.replace('"shop"', '"store"').replace("'shop'", "'market'")},
            "shop.py::shop.name",
        ),
        (
            "right",
            {"shop.py": SHOP.replace('"shop"', '"store"').replace("'shop'", "'store'")},
            "",
        ),
        (
            "other",
            {
                "shop.py": SHOP.replace('"shop"', '"store"').replace("'shop'", "'store'"),
                "till.py": '"""\n>>> 1 + 1\n3\n"""\n\n\ndef count():\n    return 2 - 1\n',
            },
            "",
        ),
    ],
)
def test_what_a_docstring_shows_is_run_though_no_test_of_the_project_does(
    quiet: Folder, name: str, files: Files, broken: str
) -> None:
    head = quiet.branch(name, {**files, "tests/test_name.py": TEST})
    judged = quiet.judge(head, task=RENAMED)
    (evidence,) = [one for one in judged.document.evidence if one.action == "doctests"]
    regressions = next(row for row in judged.document.requirements if row.id == "B2")
    if broken:
        assert judged.conclusion == "action_required", judged.said()
        assert f"passed on base and fails on head: `{broken}`" in regressions.reason
        assert list(regressions.evidence) == [evidence.id]
    else:
        assert regressions.verdict == "satisfied", judged.said()
    assert evidence.transition == {
        "broken": "regressed",
        "wrong": "regressed",
        "other": "still_failing",
    }.get(name, "held")


def test_a_project_whose_tests_run_them_runs_them_once(folder: Folder) -> None:
    renamed = SHOP.replace('"shop"', '"store"').replace("'shop'", "'store'")
    judged = folder.judge(folder.branch("once", {"shop.py": renamed}), task=RENAMED)
    assert not any(one.action == "doctests" for one in judged.document.evidence)
