"""A change that is called a refactoring: shown by tests that hold on both sides and notice damage to it."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder
from tests.e2e.test_node import PROJECT as TILL
from tests.e2e.test_node import pytestmark as needs_node

pytestmark = [pytest.mark.real, pytest.mark.slow]
SHOP = (
    "def total(prices):\n    found = 0\n    for one in prices:\n        found = found + one\n"
    "    return found\n"
)
SUMMED = "def total(prices):\n    return sum(prices, start=0)\n"
SEEING = "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n"
BLIND = "import shop\n\n\ndef test_total():\n    assert isinstance(shop.total([1, 2]), int)\n"
ISSUE = "Refactor `total` to be shorter\n"
TITLE = "refactor: make total shorter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("refactoring"), {"requirements.txt": "pytest\n"})


def refactored(folder: Folder, name: str, test: str, code: str = SUMMED, *, task: str) -> Judged:
    files: Files = {"shop.py": SHOP, "tests/test_shop.py": test}
    base = folder.branch(f"{name}-base", files)
    head = folder.branch(name, {"shop.py": code}, start=base)
    folder.repository.git("commit", "--quiet", "--amend", "-m", TITLE)
    return folder.judge(head, base=base, task=task)


SAID = "Write `total` with sum\n\nThe loop was there by accident. No behavior changes.\n"


@pytest.mark.parametrize("task", [ISSUE, SAID, ""], ids=["issue", "said", "author"])
def test_tests_that_notice_damage_show_that_behavior_stays(folder: Folder, task: str) -> None:
    judged = refactored(folder, f"seen-{len(task)}", SEEING, task=task)
    row = judged.document.requirements[-1]
    assert judged.conclusion == "success", judged.said()
    assert "would notice damage to the changed lines (" in row.reason
    assert 0 < row.damages_tried == row.damages_noticed
    assert "Nothing that ran without" not in judged.markdown


def test_a_new_test_that_holds_on_base_shows_what_stays(folder: Folder) -> None:
    base = folder.branch("pinned-base", {"shop.py": SHOP, "tests/test_shop.py": BLIND})
    files: Files = {"shop.py": SUMMED, "tests/test_sum.py": SEEING}
    judged = folder.judge(folder.branch("pinned", files, start=base), base=base, task=ISSUE)
    row = judged.document.requirements[-1]
    assert judged.conclusion == "success", judged.said()
    assert 0 < row.damages_tried == row.damages_noticed


def test_a_line_that_no_test_sees_is_no_refactoring(folder: Folder) -> None:
    silent = SUMMED.replace("    return", "    if len(prices) > 50:\n        return 0\n    return")
    judged = refactored(folder, "silent", SEEING, silent, task=ISSUE)
    assert judged.conclusion == "action_required", judged.said()
    assert "not seen to notice all damage" in judged.document.requirements[-1].reason


def test_slow_tests_get_the_time_that_a_refactoring_needs(folder: Folder) -> None:
    slow = SEEING.replace("import shop\n", "import time\n\nimport shop\n").replace(
        "    assert", "    time.sleep(9)\n    assert"
    )
    parted = "def total(prices):\n    return sum(prices[:1]) + sum(prices[1:])\n"
    judged = refactored(folder, "slow", slow, parted, task=ISSUE)
    row = judged.document.requirements[-1]
    assert judged.conclusion == "success", judged.said()
    assert row.damages_tried == row.damages_noticed > 2


def test_what_comes_otherwise_near_the_tested_inputs_is_no_refactoring(folder: Folder) -> None:
    first = "def total(prices):\n    return prices[0] + sum(prices[1:])\n"
    judged = refactored(folder, "first", SEEING, first, task=ISSUE)
    assert judged.conclusion == "action_required", judged.said()
    told = judged.document.requirements[-1].reason
    assert "`total(prices=[])` returned 0 on base and raised IndexError on head" in told


@pytest.mark.parametrize("task", [ISSUE, ""], ids=["issue", "author"])
@pytest.mark.parametrize("test", [BLIND, "def test_nothing():\n    assert True\n"])
def test_tests_that_notice_nothing_show_nothing(folder: Folder, task: str, test: str) -> None:
    name = f"unseen-{bool(task)}-{len(test)}"
    judged = refactored(folder, name, test, task=task)
    assert judged.conclusion == "action_required", judged.said()
    assert judged.document.requirements[-1].verdict == "unverified"


def test_what_breaks_is_no_refactoring(folder: Folder) -> None:
    judged = refactored(folder, "broken", SEEING, SUMMED.replace("start=0", "start=1"), task=ISSUE)
    assert judged.conclusion == "failure", judged.said()


HOLLOW = "import shop\n\n\ndef test_doubled():\n    assert callable(shop.doubled)\n"


def test_a_hollow_test_shows_nothing_whatever_the_title_says(folder: Folder) -> None:
    base = folder.branch("hollow-base", {"shop.py": SHOP, "tests/test_shop.py": BLIND})
    wrong = SUMMED + "\n\ndef doubled(price):\n    return price + 1\n"
    files = {"shop.py": wrong, "tests/test_doubled.py": HOLLOW}
    head = folder.branch("hollow", files, start=base)
    folder.repository.git("commit", "--quiet", "--amend", "-m", "Refactor `doubled` out of total")
    judged = folder.judge(head, base=base, task="")
    assert judged.conclusion == "action_required", judged.said()


@needs_node[1]
def test_of_node_too(tmp_path_factory: pytest.TempPathFactory) -> None:
    till = open_folder(tmp_path_factory.mktemp("till"), TILL)
    code = str(TILL["price.js"])
    shorter = code.replace("(sum, price) => sum + price, 0", "(sum, price) => price + sum, 0")
    judged = till.judge(till.branch("shorter", {"price.js": shorter}), task="Refactor `total`\n")
    assert judged.conclusion == "success", judged.said()
    assert "would notice damage" in judged.document.requirements[-1].reason
