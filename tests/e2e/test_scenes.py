"""CodeVisionary, figure 1, without a model: a too-new argument, and an average that divides by zero.

The other two scenes are in `test_browser.py` (a select that does not match its script) and
`test_linters.py` (a C program without its header).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bot.report.machine import EvidenceDocument, RequirementDocument
from sandbox.values import Severity
from tests.bot.commands.running import assay
from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

GRADES = '''"""Grades of a class."""


def best(grades):
    return max(grades)
'''
SAFE = """

def average(grades):
    if not grades:
        return 0.0
    return sum(grades) / len(grades)
"""
UNSAFE = """

def average(grades):
    return sum(grades) / len(grades)
"""
BASE: Files = {
    "requirements.txt": "pytest\n",
    "grades.py": GRADES,
    "tests/test_best.py": "import grades\n\n\ndef test_best():\n    assert grades.best([1, 3]) == 3\n",
}
TEST = "import grades\n\n\ndef test_average():\n    assert grades.average([1, 2, 6]) == 3\n"
ASKED = "Add `average`, the mean of the grades\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """One project; its environment is built once, base's tests run once."""
    return open_folder(tmp_path_factory.mktemp("grades"), BASE)


def row(judged: Judged, id_: str = "R1") -> RequirementDocument:
    return next(row for row in judged.document.requirements if row.id == id_)


def calls(judged: Judged) -> list[EvidenceDocument]:
    return [e for e in judged.document.evidence if e.action.value == "dynamic_execution"]


# --- an average that divides by zero ----------------------------------------------------------


def test_an_average_that_divides_by_zero_is_not_satisfied_by_its_own_test(folder: Folder) -> None:
    head = folder.branch("unsafe", {"grades.py": GRADES + UNSAFE, "tests/test_average.py": TEST})
    told = assay(
        folder.settings.home, "judge", str(folder.repository.folder), "--base", "main", "--head", head,
        "--task", str(_task(folder, ASKED)), "--out", "out",
    )  # fmt: skip
    assert told.returncode == 3, told.stderr
    judged = Judged.read(folder.settings.home.parent / "out")
    asked = row(judged)
    assert asked.verdict == "unverified"
    assert asked.reason.startswith(
        "`average(grades=[])` (grades.py) ends in a ZeroDivisionError on head, "
        "and nothing says what an empty input should give."
    )
    [crash] = calls(judged)
    assert asked.evidence[0] == crash.id
    assert crash.head is not None
    assert "in average\n    return sum(grades) / len(grades)" in crash.head.output
    assert "ZeroDivisionError: division by zero" in crash.head.output


def _task(folder: Folder, text: str) -> Path:
    file = folder.settings.home.parent / "task.md"
    file.write_text(text)
    return file


def test_a_task_that_speaks_of_the_empty_input_makes_the_crash_a_failure(folder: Folder) -> None:
    head = folder.branch("asked", {"grades.py": GRADES + UNSAFE, "tests/test_average.py": TEST})
    judged = folder.judge(head, task="Add `average` of the grades; it is 0 for an empty class\n")
    assert (row(judged).verdict, row(judged).decided_by) == ("unsatisfied", "oracle")
    assert "the task mentions an empty input" in row(judged).reason
    assert judged.conclusion == "failure"


def test_a_docstring_that_speaks_of_it_does_too(folder: Folder) -> None:
    promised = UNSAFE.replace("):\n", '):\n    """The mean; 0.0 for an empty list."""\n')
    files = {"grades.py": GRADES + promised, "tests/test_average.py": TEST}
    judged = folder.judge(folder.branch("promised", files), task=ASKED)
    assert row(judged).verdict == "unsatisfied"
    assert "its docstring mentions an empty input" in row(judged).reason


def test_an_answer_that_base_gave_is_a_regression(folder: Folder) -> None:
    start = folder.branch("safe-base", {"grades.py": GRADES + SAFE, "tests/test_average.py": TEST})
    head = folder.branch("careless", {"grades.py": GRADES + UNSAFE}, start)
    judged = folder.judge(head, base=start, task="Refactor: make `average` shorter\n")
    assert row(judged).verdict == "unsatisfied"
    assert "base returns a value" in row(judged).reason
    assert calls(judged)[0].transition.value == "regressed"
    assert judged.conclusion == "failure"


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("safe", SAFE),
        ("refuses", SAFE.replace("return 0.0", 'raise ValueError("no grades")')),
        (
            "documented",
            UNSAFE.replace("):\n", '):\n    """Raises ZeroDivisionError without any."""\n'),
        ),
        ("ratio", "\n\ndef average(grades, count=2):\n    return sum(grades) / count\n"),
    ],
)
def test_what_stands_or_refuses_an_empty_input_is_satisfied(
    folder: Folder, name: str, source: str
) -> None:
    test = TEST.replace("[1, 2, 6]) == 3", "[3, 3]) == 3")
    files = {"grades.py": GRADES + source, "tests/test_average.py": test}
    judged = folder.judge(folder.branch(name, files), task=ASKED)
    assert (row(judged).verdict, judged.conclusion) == ("satisfied", "success"), judged.said()


def test_a_method_of_an_object_with_nothing_in_it_is_called_too(folder: Folder) -> None:
    source = (
        "\n\nclass Book:\n    def __init__(self):\n        self.grades = []\n\n"
        "    def average(self):\n        return sum(self.grades) / len(self.grades)\n"
    )
    test = (
        "import grades\n\n\ndef test_average():\n    book = grades.Book()\n"
        "    book.grades.append(3)\n    assert book.average() == 3\n"
    )
    files = {"grades.py": GRADES + source, "tests/test_average.py": test}
    judged = folder.judge(folder.branch("method", files), task=ASKED)
    assert row(judged).reason.startswith("`Book().average()` (grades.py) ends in a ZeroDivision")


# --- a too-new argument of the standard library -----------------------------------------------

TOO_NEW = {
    (3, 11): ("import shutil", 'shutil.rmtree(folder, onexc=print)', "onexc"),
    (3, 12): ("import tomllib, ast", 'ast.dump(ast.parse(folder), show_empty=True)', "show_empty"),
    (3, 13): (
        "import argparse", 'argparse.ArgumentParser(folder, suggest_on_error=True)', "suggest_on_error"
    ),
}  # fmt: skip
"""For each Python of the sandbox a call that only the next one takes."""


@pytest.fixture(scope="module")
def too_new() -> tuple[str, str, str]:
    code = "import sys; print(sys.version_info[0], sys.version_info[1])"
    done = subprocess.run(
        ["/usr/bin/python3", "-c", code], capture_output=True, text=True, check=True
    )
    version = tuple(map(int, done.stdout.split()))
    if version not in TOO_NEW:
        pytest.skip(f"no call is known that is too new for Python {done.stdout.strip()}")
    return TOO_NEW[version[0], version[1]]


def test_a_too_new_argument_of_the_standard_library_blocks(
    folder: Folder, too_new: tuple[str, str, str]
) -> None:
    imported, call, argument = too_new
    source = f"{imported}\n\n{GRADES}\n\ndef clear(folder):\n    {call}\n"
    judged = folder.judge(folder.branch("too-new", {"grades.py": source}), task="Add `clear`\n")
    assert judged.conclusion == "failure"
    [reason] = [reason for reason in judged.document.reasons if reason.rule == "syntax"]
    line = source.split("\n").index(f"    {call}") + 1
    assert f"`inspect.signature` rejects grades.py:{line} on head: Python 3." in reason.text
    assert f"TypeError: got an unexpected keyword argument '{argument}'" in reason.text
    [found] = [f for f in judged.document.findings if f.severity is Severity.BLOCK]
    assert (found.tool, found.path, found.line) == ("inspect.signature", "grades.py", line)
    [evidence] = [e for e in judged.document.evidence if e.action.value == "static_linter"]
    assert evidence.transition.value == "regressed"


def test_a_too_new_argument_behind_a_question_for_the_version_is_right(
    folder: Folder, too_new: tuple[str, str, str]
) -> None:
    imported, call, _ = too_new
    source = (
        f"import sys\n{imported}\n\n{GRADES}\n\ndef clear(folder):\n"
        f"    if sys.version_info >= (3, 99):\n        {call}\n"
        f"    try:\n        {call}\n    except TypeError:\n        pass\n"
    )
    judged = folder.judge(folder.branch("asks", {"grades.py": source}), task="Add `clear`\n")
    assert not [f for f in judged.document.findings if f.severity is Severity.BLOCK]
