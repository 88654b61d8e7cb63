"""An author's own title does not lower the bar: what changed in code is asked for proof."""

from __future__ import annotations

import pytest

from bot.judge import changed_meanings
from bot.judge.meaning import is_same_program
from bot.models import TestChange, Trust
from sandbox.models import Diff
from tests.bot.judge.cases import comparison, gate_of, observed, requirements
from tests.bot.judge.test_integrity import Tree, changed

CODE = (
    '"""Shop."""\nimport os\nimport sys\n\n\n@cache\ndef total(a: int, b=1) -> int:\n'
    '    """Add."""\n    return a + b\n\n\ndef half(a: int) -> int:\n    # half\n    return a // 2\n'
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('"""Add."""', '"""Add up."""', True),
        ('    """Add."""\n', "", True),
        ("# half", "# the half", True),
        ("import os\nimport sys", "import sys\nimport os", True),
        ("def half(a: int) -> int", "def half(a)", True),
        ("a // 2", "(a // 2)", True),
        ("a // 2", "a / 2", False),
        ("a: int, b=1", "a: str, b=1", False),  # a decorator may read it
        ("b=1", "b=2", False),
        ("import os\n", "", False),
        ("@cache\n", "", False),
    ],
)
def test_what_means_the_same_to_a_program(old, new, same):
    assert old in CODE
    assert is_same_program(CODE, CODE.replace(old, new)) is same


def test_files_that_mean_something_else():
    before = {"src/a.py": CODE, "src/b.py": CODE, "docs/a.md": "x", "tests/test_a.py": "x = 1"}
    after = {
        "src/a.py": CODE.replace("# half", "#"),
        "src/b.py": CODE.replace("b=1", "b=2"),
        "docs/a.md": "y",
        "tests/test_a.py": "x = 2",
        "src/new.js": "run()",
    }
    diff = Diff(tuple(changed(path, before.get(path), after[path]) for path in after))
    assert changed_meanings(diff, Tree(before), Tree(after)) == ("src/b.py", "src/new.js")


PROOF = comparison("test_total", TestChange.FAIL_TO_PASS)


@pytest.mark.parametrize("title", ["refactor: one total", "docs: tell of total", "chore: tidy"])
@pytest.mark.parametrize(
    ("tests", "code", "trust", "conclusion"),
    [
        ((), ("src/shop.py",), Trust.AUTHOR, "action_required"),
        ((PROOF,), ("src/shop.py",), Trust.AUTHOR, "success"),
        ((), (), Trust.AUTHOR, "success"),
        ((), ("src/shop.py",), Trust.ASKER, "success"),
    ],
)
def test_the_authors_word_for_upkeep(title, tests, code, trust, conclusion):
    paths = ("src/shop.py", "docs/total.md")
    seen = observed(*tests, changed_paths=paths, code_changes=code)
    assert gate_of(requirements(title, trust=trust), seen).conclusion.value == conclusion


def test_upkeep_of_an_author_beside_what_was_asked():
    wanted = requirements(author="- [x] update the docs\n")
    proof = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    seen = observed(
        proof, changed_paths=("src/shop.py", "docs/a.md"), code_changes=("src/shop.py",)
    )
    assert gate_of(wanted, seen).conclusion.value == "success"
