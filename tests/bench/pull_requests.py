"""Small projects of several kinds with a right pull request each, and suites of a known length."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tests.e2e.folder import FIX, PROJECT, TASK

_TENTH_S = 370_000  # rounds that take so long on a processor


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A project, what the pull request changes of it, and its task."""

    project: Mapping[str, str | bytes | None]
    change: Mapping[str, str | bytes | None]
    task: str


def _slow(seconds: int) -> str:
    """Tests of other code that take about so long on a processor."""
    return (
        "import hashlib\n\nimport pytest\n\n\n"
        f"@pytest.mark.parametrize('number', range({10 * seconds}))\n"
        "def test_sums(number):\n"
        f"    hashlib.pbkdf2_hmac('sha256', b'shop', bytes([number]), {_TENTH_S})\n"
    )


def _suite(seconds: int) -> dict[str, str]:
    return {"tests/test_sums.py": _slow(seconds)}


_SHOP, _TEST, _TEST_OF_FIX = (
    str(one)
    for one in (PROJECT["shop.py"], PROJECT["tests/test_shop.py"], FIX["tests/test_price.py"])
)
_FUNCTION = PullRequest(
    {**PROJECT, **_suite(1)},
    {
        "shop.py": f"def double(cents):\n    return 2 * cents\n\n\n{_SHOP}",
        "tests/test_shop.py": (
            f"{_TEST}\n\ndef test_double_returns_twice_the_cents():\n"
            "    assert shop.double(4) == 8\n    assert shop.double(0) == 0\n"
        ),
    },
    "Prices can be doubled\n\n- [ ] `double` returns twice the cents\n",
)
_CONDITION = PullRequest(
    {**PROJECT, **_suite(3)},
    {
        "shop.py": _SHOP.replace(
            "    return cents\n", "    if cents < 0:\n        return 0\n    return 2 * cents\n"
        ),
        "tests/test_price.py": (
            "import shop\n\n\ndef test_price_returns_twice_the_cents():\n"
            "    assert shop.price(4) == 8\n    assert shop.price(-4) == 0\n"
        ),
    },
    "The price is doubled\n\n- [ ] `price` returns twice the cents, and 0 below 0\n",
)
_BESIDE_SLOW = PullRequest(
    PROJECT,
    {
        **FIX,
        "tests/test_price.py": f"{_TEST_OF_FIX}\n\n{_slow(2)}",
    },
    TASK,
)
_UNITTEST = PullRequest(
    {
        "shop.py": _SHOP,
        "tests/__init__.py": "",
        "tests/test_sums.py": (
            "import hashlib\nimport unittest\n\n\nclass TestSums(unittest.TestCase):\n"
            "    def test_sums(self):\n        for number in range(30):\n"
            f"            hashlib.pbkdf2_hmac('sha256', b'shop', bytes([number]), {_TENTH_S})\n"
        ),
    },
    {
        "shop.py": FIX["shop.py"],
        "tests/test_price.py": (
            "import unittest\n\nimport shop\n\n\nclass TestPrice(unittest.TestCase):\n"
            "    def test_price_returns_twice_the_cents(self):\n"
            "        self.assertEqual(shop.price(4), 8)\n"
        ),
    },
    TASK,
)
_MONEY = """import asyncio
import decimal
import email.message


def price(cents):
    return cents


def shown(cents):
    return f"{cents} cents"


class Basket:
    def __init__(self, prices):
        self.prices = prices

    def total(self):
        return sum(self.prices)
"""
_PACKAGE = PullRequest(
    {
        "requirements.txt": "pytest\n",
        "shop/__init__.py": "from shop.money import Basket, price, shown\n",
        "shop/money.py": _MONEY,
        "shop/names.py": "def name():\n    return 'shop'\n",
        "tests/test_names.py": (
            "from shop.names import name\n\n\ndef test_name():\n    assert name() == 'shop'\n"
        ),
        **_suite(4),
    },
    {
        "shop/money.py": _MONEY.replace("    return cents\n", "    return 2 * cents\n")
        .replace('f"{cents} cents"', 'f"{cents / 100:.2f} euros"')
        .replace("sum(self.prices)", "sum(self.prices) if self.prices else None"),
        "tests/test_money.py": (
            "from shop import Basket, price, shown\n\n\n"
            "def test_price_returns_twice_the_cents():\n    assert price(4) == 8\n\n\n"
            "def test_shown_gives_euros():\n    assert shown(150) == '1.50 euros'\n\n\n"
            "def test_total_of_an_empty_basket_is_none():\n"
            "    assert Basket([]).total() is None\n    assert Basket([1, 2]).total() == 3\n"
        ),
    },
    "Prices are shown in euros\n\n- [ ] `price` returns twice the cents\n"
    "- [ ] `shown` gives euros\n- [ ] `total` of an empty basket is None\n",
)
_KEPT = PullRequest(
    {
        **PROJECT,
        "tests/test_shop.py": (f"{_TEST}\n\ndef test_price():\n    assert shop.price(4) == 4\n"),
        **_suite(3),
    },
    {"shop.py": _SHOP.replace("return cents", "twice = 2 * cents\n    return twice - cents")},
    "Simplify `price`\n\nRefactor `price`; its behavior does not change.\n",
)
_START = "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
_NODE = PullRequest(
    {
        "package.json": json.dumps(
            {"name": "shop", "type": "module", "scripts": {"test": "node --test"}}
        ),
        "shop.js": "export function price(cents) {\n  return cents;\n}\n",
        "test/sums.test.js": (
            f"{_START}import {{pbkdf2Sync}} from 'node:crypto';\n\ntest('sums', () => {{\n"
            f"  assert.ok(pbkdf2Sync('shop', 'a', {20 * _TENTH_S}, 32, 'sha256'));\n}});\n"
        ),
    },
    {
        "shop.js": "export function price(cents) {\n  return 2 * cents;\n}\n",
        "test/price.test.js": (
            f"{_START}import {{price}} from '../shop.js';\n\n"
            "test('price returns twice the cents', () => {\n  assert.equal(price(4), 8);\n});\n"
        ),
    },
    TASK,
)
PULL_REQUESTS = {
    "a fix, no other test": PullRequest(PROJECT, FIX, TASK),
    "a new function, 1 s": _FUNCTION,
    "a fix, 1 s": PullRequest({**PROJECT, **_suite(1)}, FIX, TASK),
    "a fix beside slow tests, 2 s": _BESIDE_SLOW,
    "Node, 2 s": _NODE,
    "unittest, 3 s": _UNITTEST,
    "a condition, 3 s": _CONDITION,
    "a refactoring, 3 s": _KEPT,
    "three demands, 4 s": _PACKAGE,
    "a fix, 8 s": PullRequest({**PROJECT, **_suite(8)}, FIX, TASK),
    "a fix, 20 s": PullRequest({**PROJECT, **_suite(20)}, FIX, TASK),
}
