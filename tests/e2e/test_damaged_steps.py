"""Tests of a judge are held to damage: right ones of every shape stand, and what they noticed is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.report.machine import EvidenceDocument
from bot.values import Role
from tests.e2e.folder import Files, Folder, Judged, open_folder
from tests.obedient import Obedient
from tests.scripted import Call, Reply, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
PANEL = Obedient(obeys=False)
BILL = (
    "def cents_of(total, people):\n    return [total // people] * people\n\n\n"
    "def split(total, people):\n    return cents_of(total, people)\n\n\n"
    "class Bill:\n    def __init__(self, total):\n        self.total = total\n\n"
    "    def __eq__(self, other):\n        return self.total == other.total\n\n"
    "    def __hash__(self):\n        return id(self)\n\n"
    "    def __add__(self, other):\n        return Bill(self.total)\n\n\n"
    "def name(how=''):\n    return 'bill'\n\n\n"
    "RATES = {'euro': 100}\n\n\ndef cents(amount, unit):\n    return amount * RATES[unit]\n"
)
PROJECT: Files = {
    "requirements.txt": "pytest\n",
    "bill.py": BILL,
    "tests/test_bill.py": "import bill\n\n\ndef test_name():\n    assert bill.name() == 'bill'\n",
}
RIGHT = (
    BILL.replace(
        "    return [total // people] * people\n",
        "    if people == 0:\n        raise ValueError('nobody pays')\n"
        "    shares = [total // people] * people\n    shares[0] += total - sum(shares)\n"
        "    return shares\n",
    )
    .replace("return id(self)", "return hash(self.total)")
    .replace("Bill(self.total)\n", "Bill(self.total + other.total)\n")
    .replace("return 'bill'", "return how or 'bill'")
    .replace("{'euro': 100}", "{'euro': 100, 'pound': 117}")
)
SPLIT = "Shares\n\n`split` gives all cents away, and raises `ValueError` for zero people.\n"
SUMS = "Bills\n\n`Bill.__add__` adds the totals, and `Bill.__hash__` is the same for equal bills.\n"
RATES = "Rates\n\n`cents` knows pounds, of 117 cents each.\n"
NAMES = "Names\n\n- [ ] A `how` that is not empty is what the bill is called\n"
HEAD = "import pytest\nimport bill\nfrom bill import Bill, split\n\n\n"


def body(*lines: str, head: str = HEAD, arguments: str = "") -> str:
    return f"{head}def test_it({arguments}):\n" + "".join(f"    {line}\n" for line in lines)


OF_SPLIT = {
    "what was raised": body(
        "with pytest.raises(ValueError) as e:", "    split(10, 0)", "assert 'nobody' in str(e.value)"
    ),
    "a class of cases": body(
        "with pytest.raises(expected) as e:", "    split(total, people)", "assert e.type is expected",
        arguments="total, people, expected",
        head=f"{HEAD}@pytest.mark.parametrize('total, people, expected', [(10, 0, ValueError)])\n",
    ),
    "a table": body(
        "for total, people in TABLE.items():", "    assert sum(split(total, people)) == total",
        head=f"{HEAD}TABLE = {{10: 3, 7: 2}}\n\n\n",
    ),
    "an alias": body("cut = getattr(bill, 'split')", "give = cut", "assert sum(give(10, 3)) == 10"),
    "a helper": body(
        "assert total(10, 3) == 10",
        head=f"{HEAD}def total(*given):\n    return sum(map(int, split(*given)))\n\n\n",
    ),
    "a program": body(
        "import subprocess, sys",
        "line = 'import bill; print(sum(bill.split(10, 3)))'",
        "assert subprocess.check_output([sys.executable, '-c', line]).strip() == b'10'",
    ),
}  # fmt: skip
OF_SUMS = {
    "hash(x)": body("assert hash(Bill(5)) == hash(Bill(5))"),
    "a set": body("assert len({Bill(5), Bill(5)}) == 1"),
    "an operator": body("assert (Bill(5) + Bill(6)).total == 11"),
    "an operator in a loop": body(
        "total = Bill(0)", "for one in (1, 2):", "    total += Bill(one)", "assert total == Bill(3)"
    ),
    "operators from a table": body(
        "import operator",
        "for way in (operator.add,):",
        "    assert way(Bill(1), Bill(2)) == Bill(3)",
    ),
}
OF_RATES = {"a table beside the function": body("assert bill.cents(2, 'pound') == 234")}
OF_NAMES = {"a parameter": body("assert bill.name('x') == 'x'")}
HOLLOW_OF_RATES = {
    "the table alone": body("assert bill.RATES['pound'] == 117", "assert bill.cents(1, 'euro') == 100"),
    "another function": body("assert (bill.cents(1, 'euro'), bill.name('x')) == (100, 'x')"),
}  # fmt: skip
HOLLOW_OF_SPLIT = {
    "beside, in one assertion": body("assert (split(10, 2), bill.name('x')) == ([5, 5], 'x')"),
    "the words": body("import inspect", "assert 'nobody' in inspect.getsource(bill.cents_of)"),
    "the file": body(
        "from pathlib import Path", "assert \"raise ValueError\" in Path(bill.__file__).read_text()"
    ),
    "a copy": body(
        "def split(total, people):", "    return [4, 3, 3]", "assert bill.name('x') == 'x'",
        "assert sum(split(10, 3)) == 10",
    ),
    "a stand-in": body(
        "import unittest.mock as m",
        "with m.patch('bill.split', lambda *a: [4, 3, 3]):",
        "    assert sum(bill.split(10, 3)) == 10 and bill.name('x') == 'x'",
    ),
    "only that it comes back": body("assert split(10, 3)", "assert bill.name('x') == 'x'"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("damaged"), PROJECT)


def judged(
    folder: Folder,
    tmp_path: Path,
    name: str,
    task: str,
    steps: dict[str, str],
    *,
    code: str = RIGHT,
) -> Judged:
    """Judge the change with an analyst that takes these steps, and believes all that passes."""
    calls = [
        ToolCallPart(
            "dynamic_execution",
            json.dumps(
                {"goal": goal, "files": [{"path": f"tests/test_judge_{n}.py", "text": text}]}
            ),
        )
        for n, (goal, text) in enumerate(steps.items())
    ]

    def script(call: Call) -> Reply:
        if call.role is not Role.ANALYST:
            return PANEL.script(call)
        cited = [f"A-R1-{n + 1}" for n in range(len(steps))]
        if cited[0] not in call.user:
            return ModelResponse(parts=calls)
        return {"reason": "All pass.", "outcome": "satisfied", "evidence": cited}

    branch = folder.branch(name, {"bill.py": code})
    return folder.judge(branch, task=task, models=Scripted(script, tmp_path).open)


def taken(run: Judged) -> dict[str, EvidenceDocument]:
    return {one.goal: one for one in run.document.evidence if one.id.startswith("A-R1-")}


def problems(run: Judged) -> dict[str, str]:
    return {
        goal: one.head.problem for goal, one in taken(run).items() if one.head and one.head.problem
    }


@pytest.mark.parametrize(
    ("task", "steps"),
    [(SPLIT, OF_SPLIT), (SUMS, OF_SUMS), (RATES, OF_RATES), (NAMES, OF_NAMES)],
    ids=["split", "sums", "rates", "names"],
)
def test_right_tests_of_every_shape_stand(
    folder: Folder, tmp_path: Path, task: str, steps: dict[str, str]
) -> None:
    run = judged(folder, tmp_path, f"right-{task.split(maxsplit=1)[0]}", task, steps)
    assert problems(run) == {}
    assert {goal for goal, one in taken(run).items() if one.transition == "fixed"} == set(steps)
    (row,) = [one for one in run.document.requirements if one.id == "R1"]
    assert (row.verdict, row.decided_by) == ("satisfied", "panel")


@pytest.mark.parametrize(
    ("task", "steps"), [(SPLIT, HOLLOW_OF_SPLIT), (RATES, HOLLOW_OF_RATES)], ids=["split", "rates"]
)
def test_what_only_rests_beside_it_does_not(
    folder: Folder, tmp_path: Path, task: str, steps: dict[str, str]
) -> None:
    run = judged(folder, tmp_path, f"hollow-{task.split(maxsplit=1)[0]}", task, steps)
    assert set(problems(run)) == set(steps)
    assert all(one.transition != "fixed" for one in taken(run).values())
    (row,) = [one for one in run.document.requirements if one.id == "R1"]
    assert row.verdict == "unverified"


def test_what_does_not_load_when_it_is_damaged_is_noticed_by_nobody(
    folder: Folder, tmp_path: Path
) -> None:
    """A change that checks itself as it is imported: every step would fail on its damaged copies."""
    code = BILL.replace(
        "def split(total, people):\n", "def split(total, people, how=''):\n    how = how or 'x'\n"
    )
    code += (
        "\n\nVERIFIED = split(10, 2, 'y') == [5, 5]\nif not VERIFIED:\n    raise SystemExit(3)\n"
    )
    inside = body("import bill", "assert bill.VERIFIED", head="")
    program = (
        "import subprocess, sys\n\n\ndef test_it():\n    line = 'import bill; bill.VERIFIED'\n"
    )
    program += "    assert subprocess.run([sys.executable, '-c', line]).returncode == 0\n"
    steps = {"an import inside": inside, "a program": program}
    run = judged(folder, tmp_path, "checks-itself", SPLIT, steps, code=code)
    assert set(problems(run)) == set(steps)
    assert all("`split`" in one for one in problems(run).values())
