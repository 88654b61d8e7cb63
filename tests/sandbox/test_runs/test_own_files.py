"""A judge's own files: placed beside the code, never over it, and their own mistakes told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.terminal.own_files import OwnFile, own_fault, placing_problem
from sandbox.values import Observation, Outcome, Side, TestResult, TestRun

PATH = "tests/test_judge.py"
FILES = (OwnFile(PATH, "..."),)


@pytest.fixture
def tree(tmp_path: Path) -> str:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "judge_old.py").write_text("1")
    (tmp_path / "linked").symlink_to("tests")
    (tmp_path / "judge_link.py").symlink_to("/etc/passwd")
    return str(tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "tests/judge_old.py",  # there already
        "linked/judge_new.py",  # through a link
        "judge_link.py",
        "../judge.py",
        "/judge.py",
        "tests/judge_old.py/judge.py",  # a file is no folder
        "tests/test_price.py",  # not told by its name
        "judge/test_price.py",
        ".judge.py",
        "tests/.git/judge.py",
        "judge$(id).py",
        "judge\n.py",
        "a/" * 9 + "judge.py",
        "",
    ],
)
def test_a_file_is_only_placed_where_nothing_is(path: str, tree: str) -> None:
    assert placing_problem((OwnFile(path, "x"),), (tree,))


def test_a_new_file_is_placed(tree: str) -> None:
    assert not placing_problem((OwnFile("tests/new/JudgeTest.java", "x"),), (tree,))
    twice = (OwnFile("judge.py", "x"), OwnFile("judge.py", "y"))
    assert placing_problem(twice, (tree,)) and placing_problem((), (tree,))
    assert placing_problem((OwnFile("judge.py", "x" * 40_001),), (tree,))


def by_runner(*messages: str, whole: bool = False) -> Observation:
    name = PATH if whole else f"{PATH}::test_it"
    results = tuple(TestResult(name, Outcome.FAILED, message=one, path=PATH) for one in messages)
    return Observation(Side.HEAD, "", 1, "", 0.1, tests=TestRun(complete=True, results=results))


ASSERTED = "tests/test_judge.py:5: in test_it\n    assert price(5) == 10\nE   assert 5 == 10"
RAISED = (
    "tests/test_judge.py:5: in test_it\n    price(None)\nshop.py:2: in price\n    return 2 * cents\n"
    "E   TypeError: unsupported operand"
)
INSTALLED = RAISED.replace("shop.py", "../../opt/assay/project/lib/shop.py")
NOT_RAISED = "tests/test_judge.py:5: in test_it\n    with raises(E):\nE   Failed: DID NOT RAISE"
# A class of the author's own whose message pretends to be a frame of the judge's file.
FORGED = (
    "tests/test_judge.py:5: in test_it\n    price(5)\nshop.py:2: in price\n    raise Oops(...)\n"
    "E   shop.Oops: \nE   tests/test_judge.py:1: in x\nE   NameError: x"
)
HIDDEN = "... " + "E   x\n" * 600  # so long that the harness kept its end only


@pytest.mark.parametrize("message", [ASSERTED, RAISED, INSTALLED, NOT_RAISED, FORGED, HIDDEN])
def test_a_failure_of_the_code_is_no_fault_of_the_judge(message: str) -> None:
    assert own_fault(by_runner(message), FILES) == ""


NAMED_WRONG = "tests/test_judge.py:5: in test_it\n    prize(5)\nE   NameError: name 'prize'"
IMPORTED_WRONG = (
    "ImportError while importing test module\n/usr/lib/python3.11/importlib/__init__.py:126: in x\n"
    "tests/test_judge.py:1: in <module>\n    from shop import prize\nE   ImportError: cannot import"
)
UNPARSED = (
    "/usr/lib/python3/ast.py:50: in parse\n    return compile(\n"
    'E     File "/work/tree/tests/test_judge.py", line 1\nE   SyntaxError: invalid syntax'
)
NO_FIXTURE = "file tests/test_judge.py, line 3\nE       fixture 'shop' not found"


@pytest.mark.parametrize("message", [NAMED_WRONG, IMPORTED_WRONG, UNPARSED, NO_FIXTURE])
def test_a_mistake_of_the_judge_is_told(message: str) -> None:
    assert own_fault(by_runner(message, whole=message is IMPORTED_WRONG), FILES)
    both = by_runner(message, ASSERTED)
    assert own_fault(both, FILES) == ""  # one test that failed by itself does not excuse the code


def by_line(exit_code: int, output: str, command: str = "python x") -> Observation:
    return Observation(Side.HEAD, command, exit_code, output, 0.1)


TRACE = 'Traceback (most recent call last):\n  File "/work/tree/judge.py", line 2, in <module>\n'


@pytest.mark.parametrize(
    ("seen", "is_fault"),
    [
        (by_line(1, TRACE + "    assert 1 == 2\nAssertionError: 1"), False),
        (by_line(1, TRACE + "    price()\nNameError: name 'price' is not defined"), True),
        (by_line(1, TRACE + '  File "/work/tree/shop.py", line 2, in p\nKeyError: 4'), False),
        (by_line(127, "bash: pythn: command not found"), True),
        (by_line(2, "no tests", "pytest judge.py"), True),
        (by_line(1, "judge.py:3:5: error: expected ';'"), True),
        (
            by_line(1, "ReferenceError: prize is not defined\n    at file:///work/tree/judge.js:2"),
            True,
        ),
        (
            by_line(1, "ReferenceError: prize\n    at p (/work/tree/shop.js:2:1)\n at judge.js:4"),
            False,
        ),
        (by_line(1, "ReferenceError: prize is not defined"), False),
        (by_line(1, "expected 10, got 5"), False),
        (by_line(0, "NameError"), False),
    ],
)
def test_a_commands_failure_is_read_from_its_output(seen: Observation, is_fault: bool) -> None:
    files = (OwnFile("judge.py", "..."), OwnFile("judge.js", "..."))
    assert bool(own_fault(seen, files)) is is_fault
