"""Tests that see no damage prove nothing: hollow ones are refused, right changes of every shape are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import FIX, Folder, Judged, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("damage"))


NEW = "def double(cents):\n    return 2 * cents\n\n\n"
WRONG = "def double(cents):\n    return 3 * cents\n\n\n"
SHOP = "def price(cents):\n    return cents\n\n\ndef name():\n    return 'shop'\n"
TEST = "def test_double_returns_twice_the_cents():\n"
TASK = "Prices can be doubled\n\n- [ ] `double` returns twice the cents\n"


def row(judged: Judged, id_: str) -> str:
    (found,) = [one for one in judged.document.requirements if one.id == id_]
    return f"{found.verdict}: {found.reason}"


def tried(judged: Judged) -> list[str]:
    (shown,) = [one for one in judged.document.evidence if one.id == "D1"]
    assert shown.head is not None
    return [line.split(": ")[1] for line in shown.head.output.splitlines()]


def test_what_the_only_hunk_is_needed_for_is_no_damage_that_was_tried(folder: Folder) -> None:
    judged = folder.judge(folder.branch("known", FIX))
    assert judged.conclusion == "success", judged.said()
    assert tried(judged) == [
        "the same in other words",
        "`*` becomes `+`",
        "`price` returns another value of the same type",
        "`price` returns numbers near by",
        "the change is taken back",
    ]
    assert "1 of 1 damage noticed" in row(judged, "R1")


def test_who_notices_damage_to_the_lines_that_it_calls_need_not_show_more(folder: Folder) -> None:
    test = f"import shop\n\n\n{TEST}    assert shop.double(4) == 8\n"
    files = {"shop.py": NEW + SHOP, "tests/test_double.py": test}
    judged = folder.judge(folder.branch("lines", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert tried(judged) == ["the same in other words", "`*` becomes `+`"]


def test_what_fails_on_base_for_another_file_says_nothing_of_the_hunk(folder: Folder) -> None:
    test = (
        "import pathlib\n\nimport shop\n\n\ndef test_price_returns_twice_the_cents():\n"
        "    assert 'twice' in pathlib.Path('NOTES').read_text()\n    assert shop.price(4) is not None\n"
    )
    files = {
        "shop.py": SHOP.replace("return cents", "return 3 * cents"),
        "NOTES": "twice\n",
        "tests/test_price.py": test,
    }
    judged = folder.judge(folder.branch("notes", files))
    assert judged.conclusion == "action_required", judged.said()
    assert "unverified" in row(judged, "R1"), judged.said()


HOLLOW = {
    "callable": "assert callable(double)",
    "try-pass": "try:\n        assert double(4) == 8\n    except Exception:\n        pass",
    "try-assertion": "try:\n        assert double(4) == 8\n    except AssertionError:\n        pass",
    "empty-loop": "for cents, twice in ():\n        assert double(cents) == twice",
    "itself": "assert double(4) == double(4)",
    "any": "from unittest import mock\n\n    assert double(4) == mock.ANY",
    "mocked": (
        "from unittest import mock\n\n    with mock.patch('shop.double', return_value=8):\n"
        "        assert shop.double(4) == 8"
    ),
    "always-equal": (
        "class Eight:\n        def __eq__(self, other):\n            return True\n\n"
        "    assert double(4) == Eight()"
    ),
    "own-copy": (
        "def double(cents):\n        return 2 * cents\n\n    assert shop.double\n    assert double(4) == 8"
    ),
    "generated": "assert all(double(n) == 2 * n for n in range(0))",
}
"""What a test can say of a wrong `double` and stay green; on base there is no `double`."""


@pytest.mark.parametrize("name", HOLLOW)
def test_a_hollow_test_satisfies_nothing(folder: Folder, name: str) -> None:
    text = f"import shop\nfrom shop import double\n\n\n{TEST}    {HOLLOW[name]}\n"
    judged = folder.judge(
        folder.branch(name, {"shop.py": WRONG + SHOP, "tests/test_double.py": text}), task=TASK
    )
    assert judged.conclusion == "action_required", judged.said()
    assert "unverified" in row(judged, "R1")
    assert "0 of" in row(judged, "R1"), row(judged, "R1")


WEAK = {
    "type": "assert isinstance(double(4), int)",
    "not-none": "assert double(4) is not None",
    "true": "assert double(4)",
    "assigned": "twice = double(4)\n    assert twice",
}
"""What notices that a wrong `double` returns nothing, and nothing else."""


@pytest.mark.parametrize("name", WEAK)
def test_a_test_that_misses_only_a_result_satisfies_nothing(folder: Folder, name: str) -> None:
    text = f"import shop\nfrom shop import double\n\n\n{TEST}    {WEAK[name]}\n"
    head = folder.branch(f"weak-{name}", {"shop.py": WRONG + SHOP, "tests/test_double.py": text})
    judged = folder.judge(head, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "when `double` returns nothing, but not when it returns something else" in row(
        judged, "R1"
    )


def test_a_stand_in_of_a_new_function_satisfies_nothing(folder: Folder) -> None:
    code = "def _times(cents):\n    return 3 * cents\n\n\ndef double(cents):\n    return _times(cents)\n\n\n"
    body = "monkeypatch.setattr(shop, '_times', lambda cents: 2 * cents)\n    assert shop.double(4) == 8"
    test = f"import shop\n\n\n{TEST.replace('()', '(monkeypatch)')}    {body}\n"
    files = {"shop.py": code + SHOP, "tests/test_double.py": test}
    judged = folder.judge(folder.branch("stand-in", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "replaces `_times`" in row(judged, "R1"), judged.said()


PATCHED = {
    "assert-equal": (
        "shop.py",
        "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\n",
    ),
    "get-obj": (
        "tests/conftest.py",
        "import _pytest.python\n\n_pytest.python.Function._getobj = lambda self: (lambda *_, **__: None)\n",
    ),
}


@pytest.mark.parametrize("name", PATCHED)
def test_an_assertion_that_is_patched_satisfies_nothing(folder: Folder, name: str) -> None:
    path, text = PATCHED[name]
    test = (
        "import unittest\n\nimport shop\n\n\nclass TestDouble(unittest.TestCase):\n"
        "    def test_double_returns_twice_the_cents(self):\n        self.assertEqual(shop.double(4), 8)\n"
    )
    files = {"shop.py": WRONG + SHOP, "tests/test_double.py": test}
    files[path] = text + files.get(path, "")
    judged = folder.judge(folder.branch(name, files), task=TASK)
    assert judged.conclusion != "success", judged.said()
    assert "unverified" in row(judged, "R1"), judged.said()


RIGHT = {
    "new-function": (
        "- [ ] `double` returns twice the cents",
        {"shop.py": NEW + SHOP},
        f"from shop import double\n\n\n{TEST}    assert double(4) == 8\n",
    ),
    "new-class": (
        "- [ ] a `Basket` adds up its prices",
        {
            "shop.py": SHOP
            + "\n\nclass Basket:\n    def __init__(self):\n        self.prices = []\n\n"
            "    def add(self, cents):\n        self.prices.append(cents)\n\n"
            "    def total(self):\n        return sum(self.prices)\n"
        },
        "from shop import Basket\n\n\ndef test_basket_adds_up_its_prices():\n    basket = Basket()\n"
        "    basket.add(3)\n    basket.add(4)\n    assert basket.total() == 7\n",
    ),
    "error-message": (
        "- [ ] `price` refuses negative cents and says so",
        {
            "shop.py": SHOP.replace(
                "    return cents\n",
                "    if cents < 0:\n        raise ValueError('negative cents')\n    return cents\n",
            )
        },
        "import pytest\n\nimport shop\n\n\ndef test_price_refuses_negative_cents_and_says_so():\n"
        "    with pytest.raises(ValueError, match='negative cents'):\n        shop.price(-1)\n",
    ),
    "default-argument": (
        "- [ ] `price` takes a rate of 3 by default",
        {
            "shop.py": SHOP.replace(
                "price(cents):\n    return cents", "price(cents, rate=3):\n    return rate * cents"
            )
        },
        "import shop\n\n\ndef test_price_takes_a_rate_of_3_by_default():\n    assert shop.price(2) == 6\n",
    ),
    "regex-constant": (
        "- [ ] `is_code` accepts two letters and a digit",
        {
            "shop.py": "import re\n\nCODE = re.compile(r'[A-Z]{2}[0-9]')\n\n\ndef is_code(text):\n"
            "    return bool(CODE.fullmatch(text))\n\n\n" + SHOP
        },
        "import shop\n\n\ndef test_is_code_accepts_two_letters_and_a_digit():\n"
        "    assert shop.is_code('AB1')\n    assert not shop.is_code('A1')\n",
    ),
    "constant": (
        "- [ ] the `LIMIT` of the shop is 50",
        {"shop.py": "LIMIT = 50\n\n\n" + SHOP},
        "import shop\n\n\ndef test_limit_of_the_shop_is_50():\n    assert shop.LIMIT == 50\n",
    ),
    "no-crash": (
        "- [ ] `price` accepts cents as text",
        {"shop.py": SHOP.replace("return cents", "return 100 + int(cents) - 100")},
        "import shop\n\n\ndef test_price_accepts_cents_as_text():\n    assert shop.price('4') == 4\n",
    ),
    "several-files": (
        "- [ ] `receipt` shows the name and the price",
        {
            "receipts.py": "import shop\n\n\ndef receipt(cents):\n"
            "    return f'{shop.name()}: {shop.price(cents)}'\n",
            "shop.py": SHOP.replace("return cents", "return int(cents)"),
        },
        "import receipts\n\n\ndef test_receipt_shows_the_name_and_the_price():\n"
        "    assert receipts.receipt('4') == 'shop: 4'\n",
    ),
    "deletion": (
        "- [ ] `name` no longer shouts",
        {"shop.py": SHOP},
        "import shop\n\n\ndef test_name_no_longer_shouts():\n    assert not hasattr(shop, 'shout')\n",
    ),
    "exported": (
        "- [ ] `till` offers the `price` of the shop",
        {"till.py": "from shop import price\n\n__all__ = ['price']\n"},
        "import till\n\n\ndef test_till_offers_the_price_of_the_shop():\n    assert till.price(4) == 4\n",
    ),
    "generator": (
        "- [ ] `prices` counts down",
        {
            "shop.py": SHOP
            + "\n\ndef prices(cents):\n    while cents:\n        yield cents\n        cents -= 1\n"
        },
        "import shop\n\n\ndef test_prices_counts_down():\n    assert list(shop.prices(3)) == [3, 2, 1]\n",
    ),
    "crash": (
        "- [ ] `price` does not fail for missing cents",
        {"shop.py": SHOP.replace("return cents", "return int(cents or 0)")},
        "import shop\n\n\ndef test_price_does_not_fail_for_missing_cents():\n    shop.price(None) + 1\n",
    ),
    "predicate": (
        "- [ ] `is_free` tells whether it costs nothing",
        {"shop.py": SHOP + "\n\ndef is_free(cents):\n    return not cents\n"},
        "import shop\n\n\ndef test_is_free_tells_whether_it_costs_nothing():\n    assert shop.is_free(0)\n",
    ),
    "type": (
        "- [ ] `price` returns an integer for text",
        {"shop.py": SHOP.replace("return cents", "return int(cents)")},
        "import shop\n\n\ndef test_price_returns_an_integer_for_text():\n"
        "    assert isinstance(shop.price('4'), int)\n",
    ),
    "itself": (
        "- [ ] a `Basket` adds prices one after the other",
        {
            "shop.py": SHOP + "\n\nclass Basket:\n    def __init__(self):\n        self.sum = 0\n\n"
            "    def add(self, cents):\n        self.sum += cents\n        return self\n"
        },
        "import shop\n\n\ndef test_basket_adds_prices_one_after_the_other():\n"
        "    assert shop.Basket().add(3).add(4).sum == 7\n",
    ),
    "effect": (
        "- [ ] `sell` takes the goods out of the stock",
        {
            "shop.py": SHOP + "\n\ndef sell(stock, goods):\n    stock.remove(goods)\n"
            "    return len(stock)\n"
        },
        "import shop\n\n\ndef test_sell_takes_the_goods_out_of_the_stock():\n    stock = ['a', 'b']\n"
        "    shop.sell(stock, 'a')\n    assert stock == ['b']\n",
    ),
    "output": (
        "- [ ] `greet` prints the name of the shop",
        {"shop.py": SHOP + "\n\ndef greet():\n    print('welcome to', name())\n"},
        "import shop\n\n\ndef test_greet_prints_the_name_of_the_shop(capsys):\n    shop.greet()\n"
        "    assert 'shop' in capsys.readouterr().out\n",
    ),
    "property": (
        "- [ ] a `Price` knows its `euros`",
        {
            "shop.py": SHOP + "\n\nclass Price:\n    def __init__(self, cents):\n"
            "        self.cents = cents\n\n    @property\n    def euros(self):\n"
            "        return self.cents // 100\n"
        },
        "import shop\n\n\ndef test_price_knows_its_euros():\n    assert shop.Price(400).euros == 4\n",
    ),
    "decorator": (
        "- [ ] `louder` makes what a function returns louder",
        {
            "shop.py": "import functools\n\n\ndef louder(function):\n    @functools.wraps(function)\n"
            "    def wrapper(*args):\n        return function(*args).upper()\n\n    return wrapper\n\n\n"
            + SHOP
        },
        "import shop\n\n\ndef test_louder_makes_what_a_function_returns_louder():\n"
        "    assert shop.louder(shop.name)() == 'SHOP'\n",
    ),
    "context": (
        "- [ ] `opened` closes the till in the end",
        {
            "shop.py": "import contextlib\n\n\n@contextlib.contextmanager\ndef opened(till):\n"
            "    till.append('open')\n    yield till\n    till.append('closed')\n\n\n" + SHOP
        },
        "import shop\n\n\ndef test_opened_closes_the_till_in_the_end():\n    till = []\n"
        "    with shop.opened(till):\n        pass\n    assert till == ['open', 'closed']\n",
    ),
    "unique": (
        "- [ ] `receipt_number` is another one every time",
        {
            "shop.py": "import secrets\n\n\ndef receipt_number():\n    return secrets.token_hex(8)\n\n\n"
            + SHOP
        },
        "import shop\n\n\ndef test_receipt_number_is_another_one_every_time():\n"
        "    assert shop.receipt_number() != shop.receipt_number()\n",
    ),
    "sorted": (
        "- [ ] `cheapest` sorts prices from low to high",
        {"shop.py": SHOP + "\n\ndef cheapest(prices):\n    return sorted(prices)\n"},
        "import shop\n\n\ndef test_cheapest_sorts_prices_from_low_to_high():\n"
        "    found = shop.cheapest([3, 1, 2])\n"
        "    assert all(a <= b for a, b in zip(found, found[1:]))\n",
    ),
    "mocked-network": (
        "- [ ] `rate` reads the rate that the bank's server answers",
        {
            "shop.py": "import urllib.request\n\n\ndef rate():\n"
            "    with urllib.request.urlopen('http://bank.example') as answer:\n"
            "        return float(answer.read())\n\n\n" + SHOP
        },
        "import io\n\nimport shop\n\n\ndef test_rate_reads_the_rate_that_the_bank_answers(monkeypatch):\n"
        "    monkeypatch.setattr('urllib.request.urlopen', lambda _: io.BytesIO(b'1.5'))\n"
        "    assert shop.rate() == 1.5\n",
    ),
}
"""What was asked, the files, and the new test: right changes of ordinary shapes."""


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_change_is_a_success(folder: Folder, name: str) -> None:
    asked, files, test = RIGHT[name]
    start = "main"
    if name == "deletion":
        start = folder.branch("shouting", {"shop.py": SHOP + "\n\nshout = name().upper()\n"})
    head = folder.branch(f"right-{name}", {**files, "tests/test_new.py": test}, start)
    judged = folder.judge(head, start, f"Better prices\n\n{asked}\n")
    assert judged.conclusion == "success", judged.said()


def test_a_suite_of_base_that_notices_nothing_is_reported(folder: Folder) -> None:
    loose = "import shop\n\n\ndef test_price():\n    assert shop.price(4) is shop.price(4)\n"
    folder.branch("loose", {"tests/test_loose.py": loose})
    text = SHOP.replace("return cents", "total = cents\n    return total")
    judged = folder.judge(folder.branch("tidied", {"shop.py": text}, "loose"), "loose", task="")
    told = row(judged, "B2")
    assert told.startswith("satisfied"), told
    assert "noticed none of" in told, told


def test_files_beside_the_tests_of_base_do_not_stand_in_their_way(folder: Folder) -> None:
    beside = {
        f"tests/given_{number}.py": "import shop\n\n\ndef given():\n    return shop.price(4)\n"
        for number in range(7)
    }
    held = "import shop\n\n\ndef test_price():\n    assert shop.price(4) == 4\n"
    folder.branch("crowded", {**beside, "tests/test_z_price.py": held})
    text = SHOP.replace("return cents", "total = cents\n    return total")
    judged = folder.judge(folder.branch("tidy", {"shop.py": text}, "crowded"), "crowded", task="")
    assert "noticed none of" not in row(judged, "B2"), judged.said()
    (shown,) = [one for one in judged.document.evidence if one.id == "D1"]
    assert "1 of 1 tests noticed" in shown.head.output, shown.head.output


def test_no_damage_is_tried_where_the_configuration_allows_no_time(folder: Folder) -> None:
    start = folder.branch("off", {".github/assay.yml": "limits: {damage: 0}\n"})
    judged = folder.judge(folder.branch("not-tried", FIX, start), start)
    assert "damage was not measured" in row(judged, "R1"), judged.said()
    (shown,) = [one for one in judged.document.evidence if one.id == "D1"]
    assert shown.head is not None
    assert "limits.damage" in shown.head.problem


SLOW = "import time\n\n\ndef test_waits():\n    time.sleep(0.7)\n\n\n"
NEEDY = {
    "shop.py": NEW + SHOP,
    "tests/test_double.py": (
        "import time\n\nimport shop\n\nREADY = []\n\n\n"
        "def test_prepares():\n    time.sleep(0.7)\n    READY.append(4)\n\n\n"
        f"{TEST}    assert READY[0] == 4\n    assert shop.double(4) == 8\n"
    ),
}


REST = "    y += 1\n" * 6
STEPS = "".join(f"def step_{n}(x):\n    y = x\n{REST}    return y\n\n\n" for n in range(9))
RATES = "RATES = {\n    'a': 1,\n}\n\nKINDS = ['a', 'b']\nNAMES = ['c', 'd']\n"


@pytest.mark.parametrize("checked", ["shop.price(4) == 8", "IS_NEW and shop.price(4)"])
def test_the_one_hunk_of_many_that_a_test_needs_is_taken_back_too(
    folder: Folder, checked: str
) -> None:
    """It comes behind all others; who fails on base for its text alone is hollow, as before."""
    is_right = checked.endswith("8")
    shop = "import rates\n\n\n" + SHOP.replace("return cents", "return cents * rates.RATES['a']")
    start = folder.branch(f"many-{is_right}", {"shop.py": shop, "a.py": STEPS, "rates.py": RATES})
    test = "from pathlib import Path\n\nimport shop\n\nIS_NEW = Path('NEW').exists()\n\n\n"
    files = {
        "a.py": STEPS.replace("    y = x\n", "    if x == 77:\n        x = 5\n    y = x\n"),
        "rates.py": RATES.replace("1", "2").replace("'b'", "'c', 'b'").replace("'d'", "'e', 'd'"),
        "tests/test_price.py": f"{test}def test_price_returns_twice_the_cents():\n    assert {checked}\n",
        "NEW": "new\n",
    }
    judged = folder.judge(folder.branch(f"many-{is_right}-on-head", files, start), start)
    assert ("0 of" in row(judged, "R1")) is not is_right, judged.said()


def test_a_test_with_slow_neighbours_is_tried_alone(folder: Folder) -> None:
    right = f"import shop\n{SLOW}{TEST}    assert shop.double(4) == 8\n"
    head = folder.branch("slow-right", {"shop.py": NEW + SHOP, "tests/test_double.py": right})
    judged = folder.judge(head, task=TASK)
    assert judged.conclusion == "success", judged.said()
    hollow = f"import shop\n{SLOW}{TEST}    assert callable(shop.double)\n"
    head = folder.branch("slow-hollow", {"shop.py": WRONG + SHOP, "tests/test_double.py": hollow})
    judged = folder.judge(head, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "0 of" in row(judged, "R1"), row(judged, "R1")


def test_a_test_that_needs_its_neighbours_is_not_tried_alone(folder: Folder) -> None:
    """Alone it fails, and would seem to notice every damage."""
    judged = folder.judge(folder.branch("needy", NEEDY), task=TASK)
    assert judged.conclusion == "success", judged.said()
    hollow = NEEDY["tests/test_double.py"].replace("shop.double(4) == 8", "callable(shop.double)")
    files = {"shop.py": WRONG + SHOP, "tests/test_double.py": hollow}
    judged = folder.judge(folder.branch("needy-hollow", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "0 of" in row(judged, "R1"), row(judged, "R1")


COPIED = {
    "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
    "setup.py": (
        "from pathlib import Path\n\nfrom setuptools import setup\n\nPath('made').mkdir(exist_ok=True)\n"
        "Path('made/shop.py').write_text(Path('code/shop.in.py').read_text())\n"
        "setup(package_dir={'': 'made'}, py_modules=['shop'])\n"
    ),
    "code/shop.in.py": SHOP,
    "requirements.txt": "pytest\n",
    "shop.py": None,
}


def test_what_runs_as_a_built_copy_is_built_from_each_damaged_tree(folder: Folder) -> None:
    start = folder.branch("built", COPIED)
    right = f"import shop\n\n\n{TEST}    assert shop.double(4) == 8\n"
    files = {"code/shop.in.py": NEW + SHOP, "tests/test_double.py": right}
    judged = folder.judge(folder.branch("built-right", files, start), start, task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert "1 of 1 damage noticed" in row(judged, "R1"), row(judged, "R1")
    hollow = f"import shop\n\n\n{TEST}    assert callable(shop.double)\n"
    files = {"code/shop.in.py": WRONG + SHOP, "tests/test_double.py": hollow}
    judged = folder.judge(folder.branch("built-hollow", files, start), start, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "0 of" in row(judged, "R1"), row(judged, "R1")


CLOCK = """JOBS = []


class Job:
    def __init__(self, hours):
        self.hours, self.next_run, self.late = hours, None, False
        JOBS.append(self)

    def plan(self, now):
        self.next_run = now + {hours}
{more}

def next_run():
    return min((job.next_run for job in JOBS), default=None)
"""
SKIPPED = {
    "attribute": ({"hours": "2 * self.hours", "more": ""}, "job.next_run == 16"),
    "beside": ({"hours": "self.hours", "more": "        self.late = True\n"}, "job.late"),
}
"""What head does, and what its test asserts, of a demand for the attribute that a function is named after."""


@pytest.mark.parametrize("name", SKIPPED)
def test_an_attribute_is_not_the_function_that_has_its_name(tmp_path: Path, name: str) -> None:
    clock = open_folder(tmp_path, {"clock.py": CLOCK.format(hours="self.hours", more="")})
    head, asserts = SKIPPED[name]
    test = (
        "import clock\n\n\ndef test_next_run_skips_one_turn():\n"
        f"    job = clock.Job(3)\n    job.plan(10)\n    assert {asserts}\n"
    )
    files = {"clock.py": CLOCK.format(**head), "tests/test_clock.py": test}
    judged = clock.judge(clock.branch(name, files), task="`next_run` skips one turn\n")
    is_shown = name == "attribute"
    assert judged.conclusion == ("success" if is_shown else "action_required"), judged.said()
    assert (
        "with `next_run`, which the requirement names, emptied" in row(judged, "R1")
    ) is not is_shown


TURNS = "def turn(hours):\n    return {} * hours\n\n\ndef shown(job):\n    return f'job {{job}}'\n"
EARLY = "A job comes one turn too early\n\n"


@pytest.mark.parametrize(
    ("task", "is_asked"),
    [
        (f"{EARLY}```python\nprint(shown(plan(10)))\n```\n", False),
        (f"{EARLY}`shown(plan(10))` tells it.\n", True),
    ],
)
def test_what_only_shows_the_trouble_need_not_be_what_a_test_calls(
    tmp_path: Path, task: str, is_asked: bool
) -> None:
    book = "from turns import turn\n\n\ndef plan(now):\n    return now + turn(3)\n"
    jobs = open_folder(tmp_path, {"book.py": book, "turns.py": TURNS.format(1)})
    test = "from book import plan\n\n\ndef test_a_job_comes_one_turn_later():\n    assert plan(10) == 16\n"
    files = {"turns.py": TURNS.format(2), "tests/test_book.py": test}
    judged = jobs.judge(jobs.branch("later", files), task=task)
    said = "with `shown`, which the requirement names, emptied"
    assert (said in row(judged, "R1")) is is_asked, judged.said()
    assert judged.conclusion == ("action_required" if is_asked else "success"), judged.said()
