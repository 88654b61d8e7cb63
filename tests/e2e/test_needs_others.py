"""A test that passes only among the tests before it, which set something up."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Prices of several\n\n- [ ] `total` adds the prices of several\n"
CODE = "RATES = {}\n\n\ndef price(n):\n    return n * RATES['rate']\n"
FIRST = (
    "import shop\n\n\ndef test_rate_is_known():\n"
    "    shop.RATES['rate'] = 2\n    assert shop.price(1) == 2\n"
)
SECOND = "import shop\n\n\ndef test_total_adds_the_prices():\n    assert shop.price(4) == 8\n"
MORE = "    assert shop.total([1, 2, 4]) == 14\n    assert shop.total([]) == 0\n"
TOTALS = {
    "right": ("\n\ndef total(many):\n    return sum(map(price, many))\n", "success"),
    "for the tested ones": (
        "\n\ndef total(many):\n    return 14 if many == [1, 2, 4] else 0\n",
        "action_required",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {"shop.py": CODE, "tests/test_a.py": FIRST, "tests/test_b.py": SECOND}
    return open_folder(tmp_path_factory.mktemp("needs"), files)


@pytest.mark.parametrize("name", TOTALS)
def test_it_shows_among_the_others_what_it_shows(folder: Folder, name: str) -> None:
    added, conclusion = TOTALS[name]
    branch = folder.branch(
        name.replace(" ", "-"), {"shop.py": CODE + added, "tests/test_b.py": SECOND + MORE}
    )
    found = folder.judge(branch, task=TASK)

    assert found.conclusion == conclusion, found.said()
