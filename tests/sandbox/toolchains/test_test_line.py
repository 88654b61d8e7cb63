"""A configured test line is followed to the runners that it calls, or run as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.toolchains.test_line import test_places
from sandbox.toolchains.tree import Tree
from tests.sandbox.toolchains.projects import write

MAKEFILE = """
PYTHON ?= python3
PYTEST = $(PYTHON) -m pytest
.PHONY: test lint
test: unit
\t@echo testing
\t@cd packages/b && $(PYTEST) -q \\
\t\t--strict-markers
unit:
\t$(PYTEST) packages/a
lint:
\truff check .
both: unit lint
odd:
\tpytest $(ARGS)
unset:
\t$(PYTHON3) -m pytest
loop: loop
\tpytest
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    folder = tmp_path_factory.mktemp("tree")
    write(
        folder,
        {"Makefile": MAKEFILE, "packages/a/x": "", "packages/b/Makefile": "test:\n\tnpm test\n"},
    )
    return Tree(folder)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("pytest -q tests", [("", "pytest -q tests")]),
        ("python3.11 -m pytest -k 'a or b'", [("", "pytest -k 'a or b'")]),
        ("uv run pytest -q", [("", "pytest -q")]),
        ("coverage run -m pytest", [("", "pytest")]),
        ("python -m coverage run -m unittest", [("", "python -m unittest")]),
        ("cd packages/a && pytest", [("packages/a", "pytest")]),
        ("cd ./packages/a; python -m pytest", [("packages/a", "pytest")]),
        (
            "cd packages/a && pytest && cd ../b && npm test",
            [("packages/a", "pytest"), ("packages/b", "npm test")],
        ),
        (
            "(cd packages/a && pytest -q) && (cd packages/b && npx mocha)",
            [("packages/a", "pytest -q"), ("packages/b", "npx mocha")],
        ),
        ("npm --prefix packages/b test", [("packages/b", "npm test")]),
        ("npm test -w packages/b", [("packages/b", "npm test")]),
        ("make unit", [("", "pytest packages/a")]),
        ("make test", [("packages/b", "pytest -q --strict-markers"), ("", "pytest packages/a")]),
        ("make odd", [("", "pytest")]),
        ("make loop", [("", "pytest")]),
        ("make -C packages/b test", [("packages/b", "npm test")]),
    ],
)
def test_calls_of_known_runners_are_found(
    tree: Tree, line: str, found: list[tuple[str, str]]
) -> None:
    assert [(one.folder, one.line) for one in test_places(line, tree)] == found


@pytest.mark.parametrize(
    "line",
    [
        "make both", "make missing", "make", "make unset", "make -j4 test",
        "ruff check . && pytest",
        "pytest | tee log", "pytest || true", "pytest &", "pytest $ARGS", "FOO=1 pytest", "cd .. && pytest",
        "cd /etc && pytest", "cd packages/missing && pytest", "pytest && pytest -m slow", "(pytest",
        "pytest)",
        "pytest 'a", "tox", "", "cd packages/a", "uv run --extra test pytest", "bash test.sh", "pytest > log",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_run_as_it_stands(tree: Tree, line: str) -> None:
    assert [(one.folder, one.line) for one in test_places(line, tree)] == [("", line)]


@given(st.text(max_size=60))
def test_any_line_is_answered(line: str) -> None:
    found = test_places(line, Tree(Path("/nonexistent")))
    assert found
    assert all(not one.folder.startswith(("/", "..")) for one in found)
