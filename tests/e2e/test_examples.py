"""What an issue shows by example is run on both sides, and binds whatever the author's tests say."""

from __future__ import annotations

import pytest

from bot.report.machine import EvidenceDocument
from tests.e2e.folder import Files, Folder, Judged, open_folder

pytestmark = pytest.mark.real

SPLIT = "def split(total, people):\n{guard}    each, rest = divmod(total, people)\n{body}"
BODY = "    return [each + (n < rest) for n in range(people)]\n"
BASE: Files = {
    "requirements.txt": "pytest\n",
    "tally/__init__.py": "",
    "tally/bill.py": SPLIT.format(guard="", body=BODY),
    "tally/other.py": "def twin():\n    return 1\n\n\nasync def later(n):\n    return n\n",
    "tally/more.py": "def twin():\n    return 2\n\n\ndef evens(n):\n    yield from range(0, n, 2)\n",
    "sandbox/__init__.py": "",
    "sandbox/dig.py": "def dig(deep):\n    return deep\n",
    "tests/test_bill.py": (
        "from tally.bill import split\n\n\ndef test_split():\n    assert split(4, 2) == [2, 2]\n"
    ),
}
TASK = """split must refuse to split between nobody

`split(10, 0)` raises `ZeroDivisionError` today. It should raise `ValueError`.
`split(10, -1)` should raise `ValueError` too, and `split(0, 3)` must still return `[0, 0, 0]`.
"""
NOBODY = "    if people == 0:\n        raise ValueError('nobody')\n"
FEWER = "    if people <= 0:\n        raise ValueError('nobody')\n"
TEST = (
    "import pytest\n\nfrom tally.bill import split\n\n\ndef test_split_between_nobody_is_refused():\n"
    "    with pytest.raises(ValueError):\n        split(10, 0)\n"
)


def change(guard: str, body: str = BODY) -> Files:
    return {
        "tally/bill.py": SPLIT.format(guard=guard, body=body),
        "tests/test_nobody.py": TEST,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("examples"), BASE)


@pytest.fixture(scope="module")
def right(folder: Folder) -> str:
    return folder.branch("right", change(FEWER))


def asked(judged: Judged) -> tuple[str, str, str]:
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    return row.verdict, row.decided_by, row.reason


def shown(judged: Judged) -> EvidenceDocument:
    (found,) = [one for one in judged.document.evidence if one.action == "examples"]
    return found


def test_a_right_change_stays_right(folder: Folder, right: str) -> None:
    judged = folder.judge(right, task=TASK)
    assert judged.conclusion == "success", judged.said()
    evidence = shown(judged)
    assert evidence.transition == "fixed", evidence
    assert evidence.head is not None
    assert "split(10, -1) raises `ValueError: nobody`" in evidence.head.output
    assert "split(0, 3) returns `[0, 0, 0]`" in evidence.head.output
    assert "python -c '…; print(split(0, 3))'" in evidence.head.command


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        ("half", change(NOBODY), "`split(10, -1)` raises `ValueError`. On head it returns `[]`"),
        (
            "kept",
            change(FEWER, f"    if total == 0:\n        return []\n{BODY}"),
            "`split(0, 3)` still gives `[0, 0, 0]`. On head it returns `[]`",
        ),
        (
            "other-error",
            change(FEWER.replace("ValueError", "TypeError")),
            "`split(10, 0)` raises `ValueError`. On head it raises `TypeError: nobody`",
        ),
    ],
)
def test_what_an_example_shows_wrong_is_unsatisfied(
    folder: Folder, name: str, files: Files, said: str
) -> None:
    test = TEST.replace("ValueError", "TypeError") if name == "other-error" else TEST
    judged = folder.judge(folder.branch(name, {**files, "tests/test_nobody.py": test}), task=TASK)
    assert judged.conclusion == "failure"
    verdict, decided_by, reason = asked(judged)
    assert (verdict, decided_by) == ("unsatisfied", "oracle")
    assert said in reason
    assert shown(judged).id in judged.markdown


def test_a_reported_result_must_be_gone(folder: Folder) -> None:
    task = "split loses cents\n\n`split(4, 3)` currently returns `[2, 1, 1]`.\n"
    guard = "    if people == 'y':\n        raise ValueError\n"
    files = {**change(guard), "tests/test_nobody.py": TEST.replace("(10, 0)", "('x', 'y')")}
    judged = folder.judge(folder.branch("reported", files), task=task)
    assert asked(judged)[0] == "unsatisfied"
    assert "On head it still does" in asked(judged)[2]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("`twin()` should return `7`", "2 files define twin"),
        ("`nowhere(1)` should return `7`", "nothing in the tree defines nowhere"),
        ("`open('x')` should return `7`", "nothing in the tree defines open"),
        ("`dig(7)` should return `7`", "returns `7`"),
        ("`dig('7')` should return `7`", "returns `'7'`"),
        ("`tally.more.evens(3)` should return `[0, 2]`", "returns `[0, 2]`"),
        ("`tally.more.odds(3)` should return `[1]`", "was not made: ModuleNotFoundError"),
        ("Expected:\n\n    >>> tally.other.twin()\n    1\n\nSo", "returns `1`"),
        ("`later(7)` should return `7`", "returns `7`"),
        ("`evens(5)` should return `[0, 2, 4]`", "returns `[0, 2, 4]`"),
        ("`evens(5)` should return `(0, 2, 4)`", "returns `[0, 2, 4]`"),
    ],
)
def test_what_cannot_be_made_decides_nothing(
    folder: Folder, right: str, line: str, told: str
) -> None:
    task = f"split must refuse to split between nobody\n\n{line}.\n"
    judged = folder.judge(right, task=task)
    assert judged.conclusion == "success", judged.said()
    head = shown(judged).head
    assert head is not None
    assert told in head.output


def test_code_that_talks_into_the_results_makes_nothing_up_for_others(folder: Folder) -> None:
    """A channel full of rubbish is as good as none: the calls show nothing."""
    noise = (
        "import os\n\nfor n in range(3, 30):\n    try:\n        os.write(n, b'{\"number\": []}\\n[]\\n{')\n"
        "    except OSError:\n        pass\n"
    )
    files = change(FEWER)
    files = {**files, "tally/bill.py": noise + str(files["tally/bill.py"])}
    judged = folder.judge(folder.branch("noise", files), task=TASK)
    assert judged.conclusion in ("success", "failure", "action_required")


SHOWN = (
    "Name thousands\n\n`thousands(12345)` should return `'12 thousand'`, and `thousands(7)` must "
    "return `'7'`.\n"
)
RIGHT = "def thousands(n):\n    return f'{n // 1000} thousand' if n >= 1000 else str(n)\n"
SPECIAL = (
    "def thousands(n):\n    if n == 12345:\n        return '12 thousand'\n"
    "    if n == 7:\n        return '7'\n    return ''\n"
)


@pytest.mark.parametrize(
    ("name", "code", "conclusion", "decided_by"),
    [
        ("untested", RIGHT, "success", "oracle"),
        ("special", SPECIAL, "action_required", "nobody"),
    ],
)
def test_without_a_test_the_examples_prove(
    folder: Folder, name: str, code: str, conclusion: str, decided_by: str
) -> None:
    judged = folder.judge(folder.branch(name, {"tally/names.py": code}), task=SHOWN)
    assert judged.conclusion == conclusion, judged.said()
    assert asked(judged)[1] == decided_by
