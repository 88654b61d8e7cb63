"""A test that only could not be imported on head, for want of a private name, regressed nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.integrity import inspect_integrity
from bot.integrity.weakened_tests.lost_imports import without_lost_imports
from bot.values import FourWay, TestChange, TestComparison
from sandbox.values import Diff, Outcome
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed
from tests.bot.verdict.cases import (
    PATH,
    comparison,
    conclusion_of,
)

LACKS = (
    "E   ImportError: cannot import name 'PY_39' from 'shop._compat' (/work/tree/shop/_compat.py)"
)
LACKS_MODULE = "E   ModuleNotFoundError: No module named 'shop._compat'"
LACKS_PUBLIC = (
    "E   ImportError: cannot import name 'PY_39' from 'shop.compat' (/work/tree/shop/compat.py)"
)
BASE = """
import pytest

from shop import price
from shop._compat import PY_39

CENTS = 4

if PY_39:
    CENTS = 5


@pytest.fixture
def twice():
    return 2


def helper():
    return CENTS


def test_price(twice):
    assert price(4) == 4 * twice


class TestShop:
    @pytest.mark.skipif(PY_39, reason="old")
    def test_new(self):
        assert price(1) == 2


def test_helper():
    assert price(helper()) == 8
"""
HEAD = (
    BASE.replace("from shop._compat import PY_39\n", "")
    .replace("if PY_39:\n    CENTS = 5\n", "")
    .replace('    @pytest.mark.skipif(PY_39, reason="old")\n', "")
)
CONFTEST = """
from shop._compat import PY_39

collect_ignore = []
if PY_39:
    collect_ignore.append("x.py")
"""
CONFTEST_ON_HEAD = "collect_ignore = []\n"


def lost(name: str, message: str = LACKS, **fields) -> TestComparison:
    outcomes = {
        "base_on_base": Outcome.PASSED,
        "base_on_head": Outcome.ERROR,
        "head_on_base": Outcome.PASSED,
        "head_on_head": Outcome.PASSED,
        "written_by_author": True,
        "message": message,
    }
    return comparison(name, TestChange.PASS_TO_FAIL, **(outcomes | fields))


def found(test: TestComparison, head: str = HEAD, base: str = BASE, **conftest: str) -> bool:
    """Whether a test is seen to have regressed nothing."""
    before, after = Tree({PATH: base}), Tree({PATH: head})
    if conftest:
        before["conftest.py"], after["conftest.py"] = (
            conftest["base_conftest"],
            conftest["conftest"],
        )
    (told,) = without_lost_imports([test], before, after)
    return told.change is TestChange.PASS_TO_PASS


@pytest.mark.parametrize("message", [LACKS, LACKS_MODULE])
@pytest.mark.parametrize("name", ["test_price", "test_price[x-1]", "TestShop::test_new"])
def test_a_test_that_stands_on_head_as_it_did_regressed_nothing(name: str, message: str) -> None:
    assert found(lost(name, message))


@pytest.mark.parametrize(
    "id_", ["tests.test_shop.TestShop.test_new", "test_shop.TestShop.test_new"]
)
def test_so_it_is_where_unittest_names_it(id_: str) -> None:
    said = LACKS.removeprefix("E   ")
    assert found(replace(lost("TestShop::test_new", said), id=id_))
    assert not found(replace(lost("TestShop::test_new", said), id=id_.replace("_new", "_gone")))


def test_no_test_is_lost_by_a_conftest_that_only_leaves_out_what_is_gone() -> None:
    other = BASE.replace("from shop._compat import PY_39", "PY_39 = False")
    sides = {"base_conftest": CONFTEST, "conftest": CONFTEST_ON_HEAD}
    assert found(lost("test_price"), other, other, **sides)
    sides["conftest"] += "\n\ndef pytest_runtest_call(item):\n    item.obj = lambda *_: None\n"
    assert not found(lost("test_price"), other, other, **sides)


EDITS = {
    "body": ("price(4) == 4", "price(4) > 4"),
    "fixture": ("return 2", "return 0"),
    "import": ("from shop import price", "from fakes import price"),
    "stand-in": ("CENTS = 4", "CENTS = 4\n\n\ndef price(cents):\n    return 2 * cents"),
    "autouse": (
        "CENTS = 4",
        "@pytest.fixture(autouse=True)\ndef calm(monkeypatch): ...\n\nCENTS = 4",
    ),
    "mark": ("CENTS = 4", "CENTS = 4\npytestmark = pytest.mark.xfail"),
    "loads": ("import pytest", "import patches\nimport pytest"),
    "does": ("CENTS = 4", "CENTS = 4\nOLD = setattr(price, 'x', 1)"),
    "at import": ("CENTS = 4", "CENTS = 4\nimport shop\nshop.price = lambda cents: 8"),
}


@pytest.mark.parametrize("name", EDITS)
def test_of_a_test_that_changed_with_its_file_nobody_knows(name: str) -> None:
    test = lost("test_price")
    sides = Tree({PATH: BASE}), Tree({PATH: HEAD.replace(*EDITS[name])})
    (told,) = without_lost_imports([test], *sides)
    assert told.change is TestChange.UNKNOWN
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    assert conclusion_of(split, told).value == "action_required"


REASONS = {
    "public": lost("test_price", LACKS_PUBLIC),
    "other": lost("test_price", "E   ImportError: cannot import name '_x' from 'shop'"),
    "failed": lost("test_price", base_on_head=Outcome.FAILED),
    "fails": lost("test_price", head_on_head=Outcome.FAILED),
    "uses": lost("test_helper"),
    "gone": lost("test_gone"),
}


@pytest.mark.parametrize("name", REASONS)
def test_what_lacks_something_else_may_have_regressed(name: str) -> None:
    assert not found(REASONS[name])


def test_nothing_stops_where_nothing_regressed() -> None:
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    diff = Diff((changed(PATH, BASE, HEAD),))
    trees = Tree({PATH: BASE}), Tree({PATH: HEAD})
    before = (lost("test_price"),)
    for tests, conclusion in (
        (before, "failure"),
        (without_lost_imports(before, *trees), "success"),
    ):
        integrity = inspect_integrity(diff, *trees, FourWay(tests), NOTHING_ASKED)
        assert conclusion_of(split, *tests, integrity=integrity).value == conclusion
