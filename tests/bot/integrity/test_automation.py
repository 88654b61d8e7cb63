"""Continuous integration that may fail unseen, or that runs fewer tests."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`price` returns twice the cents"
WORKFLOW = ".github/workflows/test.yml"
BEFORE = """jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install pytest
      - name: Tests
        run: pytest
      - uses: codecov/codecov-action@v5
"""


def found(after: str, asked: str = ASKED, before: str = BEFORE, **others: str) -> list[str]:
    """What is said of a workflow that became another one; `others` are files that the change adds."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    added = [changed(path, None, text) for path, text in others.items()]
    diff = Diff((changed(WORKFLOW, before, after), *added))
    sides = Tree({WORKFLOW: before}), Tree({WORKFLOW: after, **others})
    findings = inspect_integrity(diff, *sides, FourWay(()), wanted)
    return [one.message for one in findings if one.rule == rules.CI_WEAKENED]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("run: pytest\n", "run: pytest || true\n", "fail unseen: `run: pytest || true`"),
        ("run: pytest\n", "run: pytest tests/test_a.py || true\n", "fail unseen"),
        (
            "run: pytest\n",
            "run: pytest\n        continue-on-error: true\n",
            "`continue-on-error: true`",
        ),
        ("name: Tests\n", "name: Tests\n        if: false\n", "fail unseen: `if: false`"),
        ("runs-on", "continue-on-error: true\n    runs-on", "`continue-on-error: true`"),
        ("run: pytest\n", "run: echo well\n", "no longer run by `run: pytest`"),
        ("run: pytest\n", "run: pytest tests/test_price.py\n", "Fewer tests are run"),
        ("run: pytest\n", "run: pytest -k price\n", "Fewer tests are run"),
        ("run: pytest\n", "run: pytest --ignore=tests/slow\n", "Fewer tests are run"),
    ],
)
def test_tests_that_may_fail_unseen_or_are_fewer(old: str, new: str, message: str) -> None:
    (told,) = found(BEFORE.replace(old, new, 1))
    assert message in told
    assert found(BEFORE.replace(old, new, 1), "CI lets the tests fail on the nightly") == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("run: pytest\n", "run: pytest --cov -q\n"),
        ("run: pytest\n", "run: python -m pytest\n"),
        ("run: pytest\n", "run: tox\n"),
        ("run: pytest\n", "run: pytest tests/unit\n      - run: pytest tests/integration\n"),
        ("pip install pytest", "pip install .[test]"),
        ("    steps:", "    strategy:\n      matrix: {tox-env: [py311]}\n    steps:"),
        ("pip install pytest", "pip install pytest || true"),
        ("codecov-action@v5\n", "codecov-action@v5\n        continue-on-error: true\n"),
        ("codecov-action@v5\n", "codecov-action@v5\n      - run: git fetch --tags || true\n"),
        # a job more, that may fail
        (
            "codecov-action@v5\n",
            "codecov-action@v5\n  next:\n    continue-on-error: true\n    steps:\n      - run: pytest\n",
        ),
    ],
)
def test_what_runs_as_many_tests_as_before(old: str, new: str) -> None:
    assert found(BEFORE.replace(old, new, 1)) == []


def test_tests_that_another_file_runs_now() -> None:
    after = BEFORE.replace("run: pytest\n", "run: just checked\n")
    assert found(after, Makefile="checked:\n\tpytest\n") == []
    assert found(after, Makefile="checked:\n\ttrue\n") != []


def test_a_matrix_names_what_another_line_runs() -> None:
    matrix = "    strategy:\n      matrix:\n        tox-env: [py39, py310]\n    steps:"
    before = BEFORE.replace("    steps:", matrix).replace("run: pytest", "run: tox")
    assert found(before.replace("py39, ", ""), before=before) == []
