"""Right changes that tests follow: a private name that is gone, a member or another name that is new."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

BASE = {
    "requirements.txt": "pytest\n",
    "shop/__init__.py": (
        "import enum\n\n\nclass Coin(enum.Enum):\n    CENT = 1\n    DIME = 10\n\n\n"
        "def price(cents):\n    return cents\n"
    ),
    "shop/_compat.py": "import sys\n\nPY_39 = sys.version_info < (3, 10)\n",
    "tests/conftest.py": (
        "from shop._compat import PY_39\n\ncollect_ignore = []\nif PY_39:\n"
        "    collect_ignore.append('test_match.py')\n"
    ),
    "tests/test_price.py": (
        "import pytest\n\nimport shop\nfrom shop._compat import PY_39\n\n\n"
        "def test_price():\n    assert shop.price(4) == 4\n\n\n"
        "@pytest.mark.skipif(PY_39, reason='old')\ndef test_prices():\n    assert shop.price(5) == 5\n"
    ),
    "tests/test_name.py": "import shop\n\n\ndef test_name():\n    assert shop.__name__ == 'shop'\n",
    "tests/test_coins.py": (
        "import shop\n\nCOINS = {'CENT': 1, 'DIME': 10}\n\n\n"
        "def test_coins():\n    assert {one.name: one.value for one in shop.Coin} == COINS\n\n\n"
        "def test_every_coin_is_known():\n    assert all(one.name in COINS for one in shop.Coin)\n"
    ),
    "shop/till.py": (
        "class Till:\n    def __init__(self, clock):\n        self._clock = clock\n\n"
        "    def isClosed(self, hour):\n        return self._clock.isClosed(hour)\n\n"
        "    def closesAt(self):\n        return self._clock.closesAt()\n"
    ),
    "tests/test_till.py": (
        "from shop.till import Till\n\n\nclass Clock:\n    def isClosed(self, hour):\n"
        "        return hour >= 18\n\n    def closesAt(self):\n        return 18\n\n\n"
        "def test_camel():\n    till = Till(Clock())\n"
        "    assert till.isClosed(19) and not till.isClosed(9)\n    assert till.closesAt() == 18\n"
    ),
}
DROPPED = {
    "shop/_compat.py": None,
    "tests/conftest.py": "collect_ignore = []\n",
    "tests/test_price.py": BASE["tests/test_price.py"]
    .replace("from shop._compat import PY_39\n", "")
    .replace("@pytest.mark.skipif(PY_39, reason='old')\n", ""),
}
ALIASED = {
    "shop/till.py": BASE["shop/till.py"]
    + "\n    def is_closed(self, hour):\n        return self._clock.isClosed(hour)\n"
    "\n    def closes_at(self):\n        return self._clock.closesAt()\n",
    "tests/test_till.py": BASE["tests/test_till.py"]
    + "\n\ndef test_is_closed():\n    till = Till(Clock())\n"
    "    assert till.is_closed(19) is True\n    assert till.is_closed(9) is False\n"
    "\n\ndef test_closes_at():\n    assert Till(Clock()).closes_at() == 18\n",
}
NICKEL = {
    "shop/__init__.py": BASE["shop/__init__.py"].replace(
        "CENT = 1\n", "CENT = 1\n    NICKEL = 5\n"
    ),
    "tests/test_coins.py": BASE["tests/test_coins.py"].replace(
        "'CENT': 1,", "'CENT': 1, 'NICKEL': 5,"
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("alarms"), BASE)


def test_tests_that_only_lost_an_import_regressed_nothing(folder: Folder) -> None:
    judged = folder.judge(folder.branch("drop", DROPPED), task="Drop Python 3.9\n")
    (row,) = [one for one in judged.document.requirements if one.id == "B2"]
    assert row.verdict == "satisfied", judged.said()
    assert judged.document.conclusion != "failure", judged.said()


def test_a_member_that_the_task_names_may_join_what_tests_expect(folder: Folder) -> None:
    task = "Add the nickel\n\n- [ ] `Coin.NICKEL` is one of the coins and worth 5\n"
    judged = folder.judge(folder.branch("nickel", NICKEL), task=task)
    assert judged.conclusion == "success", judged.said()


def test_another_member_asks_a_person(folder: Folder) -> None:
    task = "Sort the coins\n\n- [ ] The coins are sorted\n"
    judged = folder.judge(folder.branch("other", NICKEL), task=task)
    assert judged.conclusion in ("action_required", "failure"), judged.said()


def test_a_member_that_is_worth_something_else_now_asks_a_person(folder: Folder) -> None:
    files = {
        path: text.replace("DIME = 10", "DIME = 11").replace("'DIME': 10", "'DIME': 11")
        for path, text in NICKEL.items()
    }
    task = "Add the nickel\n\n- [ ] `Coin.NICKEL` is one of the coins and worth 5\n"
    judged = folder.judge(folder.branch("dime", files), task=task)
    assert judged.conclusion in ("action_required", "failure"), judged.said()


def test_an_alias_needs_no_test_of_what_it_stands_for(folder: Folder) -> None:
    said = "Add snake_case aliases for isClosed & closesAt (#7)\n"
    judged = folder.judge(folder.branch("aliased", ALIASED), task=said)
    assert judged.conclusion == "success", judged.said()


def test_a_change_of_what_is_named_needs_one(folder: Folder) -> None:
    said = "Let isClosed & closesAt follow the clock (#7)\n"
    judged = folder.judge(folder.branch("followed", ALIASED), task=said)
    assert judged.conclusion == "action_required", judged.said()
