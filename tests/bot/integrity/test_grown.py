"""A test that expects one member more, which the task names, changed no expectation that stops."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.integrity.weakened_tests.grown import find_grown
from bot.values import FourWay, TestChange
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import NOTHING_ASKED, Tree, changed
from tests.bot.verdict.cases import FAILED, KEPT, PASSED, PATH, comparison, conclusion_of

SAID = ("Add Coin.NICKEL", "It is worth 5.")
BASE = """
import shop

COINS = {"CENT": 1, "DIME": 10}
OTHERS = [one for one in shop.Coin if one is not shop.Coin.CENT]


class TestCoins:
    @classmethod
    def names(cls):
        return ["CENT", "DIME"]

    def test_names(self):
        assert [one.name for one in shop.Coin] == self.names()


def test_values():
    assert {one.name: one.value for one in shop.Coin} == COINS


def test_set():
    assert set(shop.names()) == {"CENT", "DIME"}


def test_others():
    assert all(one.value > 1 for one in OTHERS)


def test_first():
    assert shop.first() is not shop.Coin.DIME


def test_total():
    assert shop.total(shop.Coin.DIME) == 10
"""
HEAD = (
    BASE.replace('"CENT": 1,', '"CENT": 1, "NICKEL": 5,')
    .replace('["CENT",', '["CENT", "NICKEL",')
    .replace('{"CENT", "DIME"}', '{"CENT", "DIME", shop.Coin.NICKEL.name}')
)


def edited(name: str, head_on_base=FAILED):
    is_loosened = head_on_base is PASSED
    change = TestChange.PASS_TO_FAIL if is_loosened else TestChange.EXPECTATION_CHANGED
    fields = {"base_on_head": FAILED, "head_on_base": head_on_base, "head_on_head": PASSED}
    return comparison(name, change, **fields, written_by_author=True)


COIN = "class Coin(Enum):\n    CENT = 1\n    DIME = 10\n"
COIN_ON_HEAD = f"{COIN}    NICKEL = 5\n"


def members(
    name: str,
    head: str = HEAD,
    said: tuple[str, ...] = SAID,
    *,
    base: str = BASE,
) -> tuple[str, ...]:
    trees = Tree({PATH: base, "shop.py": COIN}), Tree({PATH: head, "shop.py": COIN_ON_HEAD})
    found = find_grown([edited(name)], *trees, said, (PATH, "shop.py"))
    return found[0].members if found else ()


@pytest.mark.parametrize("name", ["TestCoins::test_names", "test_values", "test_set"])
def test_a_member_that_the_task_names_may_join(name: str) -> None:
    assert members(name) == ("NICKEL",)
    assert members(name, said=("Sort the coins",)) == ()


@pytest.mark.parametrize(
    "head",
    [
        HEAD.replace('"DIME": 10', '"DIME": 11'),
        HEAD.replace('"CENT": 1, ', ""),
        HEAD.replace('"NICKEL": 5', '"NICKEL": 5, "PENNY": 1'),
        HEAD.replace("assert {one", "assert True or {one"),
        HEAD.replace("import shop\n", "import shop\nimport patches\n"),
        HEAD.replace("== COINS", ">= COINS"),
    ],
)
def test_whatever_else_changed_may_stop(head: str) -> None:
    assert head != HEAD
    assert members("test_values", head) == ()


def test_what_a_test_itself_refuses_grows_by_nothing() -> None:
    head = HEAD.replace("is not shop.Coin.DIME", "not in (shop.Coin.DIME, shop.Coin.NICKEL)")
    assert head != HEAD and members("test_first", head) == ()


LEAVING_OUT = {
    "compared": "LEFT = (shop.Coin.CENT,)\nOTHERS = [one for one in shop.Coin if one not in LEFT]",
    "at once": "OTHERS = [one for one in shop.Coin if one not in (shop.Coin.CENT,)]",
    "taken off": "LEFT = {shop.Coin.CENT}\nOTHERS = set(shop.Coin) - LEFT",
    "by a method": "OTHERS = set(shop.Coin).difference([shop.Coin.CENT])",
    "passed over": (
        "LEFT = [shop.Coin.CENT]\nOTHERS = []\nfor one in shop.Coin:\n    if one in LEFT:\n"
        "        continue\n    OTHERS.append(one)"
    ),
    "one": "OTHERS = [one for one in shop.Coin if one is not shop.Coin.CENT]",
}
TESTS_OTHERS = (
    "import shop\n\n{}\n\n\ndef test_others():\n    assert all(one.value > 1 for one in OTHERS)\n"
)


@pytest.mark.parametrize("form", LEAVING_OUT)
def test_nothing_more_may_be_left_out(form: str) -> None:
    base = TESTS_OTHERS.format(LEAVING_OUT[form])
    head = base.replace("shop.Coin.CENT", "shop.Coin.CENT, shop.Coin.NICKEL")
    head = head.replace(
        "is not shop.Coin.CENT, shop.Coin.NICKEL", "not in (shop.Coin.CENT, shop.Coin.NICKEL)"
    )
    assert members("test_others", head, base=base) == ()

    # Who asks for the new member by itself leaves it out of nothing.
    apart = "\n\ndef test_nickel():\n    assert shop.total(shop.Coin.NICKEL) == 5\n"
    for known, names in ((COIN, ["shop.Coin.NICKEL"]), (COIN_ON_HEAD, [])):
        found = find_grown(
            [edited("test_others")],
            Tree({PATH: base, "shop.py": known}),
            Tree({PATH: head + apart, "shop.py": COIN_ON_HEAD}),
            said=("Tell more of the coins",),
            changed=(PATH, "shop.py"),
        )
        assert [name for one in found for name in one.left_out] == names
    assert members("test_others", head + apart.replace("NICKEL", "DIME"), base=base) == ()


def test_an_unchanged_test_has_no_new_member() -> None:
    assert members("test_total") == ()


@pytest.mark.parametrize("head_on_base", [FAILED, PASSED])
def test_it_stops_nothing(head_on_base) -> None:
    test = edited("test_values", head_on_base)
    split = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    trees = Tree({PATH: BASE, "shop.py": COIN}), Tree({PATH: HEAD, "shop.py": COIN_ON_HEAD})
    diff = Diff((changed(PATH, BASE, HEAD),))
    found = find_grown([test], *trees, SAID, ("shop.py",))
    for grown, is_success in ((found, True), ((), False)):
        four_way = FourWay((*KEPT, split, test), evidence_id="E1", grown=grown)
        integrity = inspect_integrity(diff, *trees, four_way, NOTHING_ASKED)
        conclusion = conclusion_of(tests=four_way, integrity=integrity)
        assert (conclusion.value == "success") is is_success, integrity


@pytest.mark.parametrize(
    "line",
    [
        "assert shop.name() in ['CENT', 'DIME']",
        "assert any(shop.name() == one for one in ['CENT', 'DIME'])",
        "assert isinstance(shop.name(), (CENT, DIME))",
    ],
)
def test_one_more_of_what_is_allowed_asks_for_less(line: str) -> None:
    base = f"import shop\n\n\ndef test_one():\n    {line}\n"
    head = base.replace("'DIME'", "'DIME', 'NICKEL'").replace("DIME))", "DIME, NICKEL))")
    assert head != base
    trees = Tree({PATH: base}), Tree({PATH: head})
    assert find_grown([edited("test_one")], *trees, SAID) == ()


@pytest.mark.parametrize(("left_out", "found"), [("'_'", ("NICKEL",)), ("('_', '.')", ())])
def test_what_begins_with_one_text_lists_nothing(left_out: str, found: tuple[str, ...]) -> None:
    """A test may leave private names out of what it compares: one text has no member more."""
    base = (
        "import shop\n\nNAMES = ['CENT', 'DIME']\n\n\ndef test_one():\n"
        f"    assert [one for one in shop.names() if not one.startswith({left_out})] == NAMES\n"
    )
    head = base.replace("'DIME'", "'DIME', 'NICKEL'")
    assert members("test_one", head, base=base) == found


CONFTEST = "import pytest\n\nNAMES = ('CENT', 'DIME')\n\n\n@pytest.fixture\ndef names():\n    return NAMES\n"


@pytest.mark.parametrize(
    ("head", "said", "found"),
    [
        (CONFTEST.replace("'DIME'", "'NICKEL', 'DIME'"), SAID, ("NICKEL",)),
        (CONFTEST.replace("'DIME'", "'NICKEL', 'DIME'"), ("Add a coin",), ()),
        (CONFTEST.replace("'DIME'", "'NICKEL'"), SAID, ()),
        (
            CONFTEST.replace("'DIME'", "'NICKEL', 'DIME'").replace("NAMES\n", "NAMES[:1]\n"),
            SAID,
            (),
        ),
    ],
)
def test_a_table_of_the_conftest_may_grow_too(
    head: str, said: tuple[str, ...], found: tuple[str, ...]
) -> None:
    place = "tests/conftest.py"
    test = "import shop\n\n\ndef test_set(names):\n    assert shop.names() == names\n"
    base_tree, head_tree = Tree({PATH: test, place: CONFTEST}), Tree({PATH: test, place: head})
    grown = find_grown([edited("test_set")], base_tree, head_tree, said, (place,))

    assert tuple(name for one in grown for name in one.members) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("assert shop.price({'CENT': 1}) == 1", ()),
        ("assert shop.price(1, coins=['CENT']) == 1", ()),
        ("coins = ['CENT']\n    assert shop.price(coins) == 1", ()),
        ("coins = {'CENT': 1}\n    assert shop.price(**coins) == 1", ()),
        ("assert sorted(shop.names()) == sorted(['CENT'])", ("NICKEL",)),
        ("check_names(shop, ['CENT'])", ("NICKEL",)),
        ("coins = ['CENT']\n    assert len(shop.names()) == len(coins)", ("NICKEL",)),
    ],
)
def test_what_tested_code_is_given_may_not_grow(line: str, found: tuple[str, ...]) -> None:
    base = f"import shop\n\n\ndef test_one():\n    {line}\n"
    head = base.replace("'CENT'", "'CENT', 'NICKEL'").replace("'NICKEL': 1", "'NICKEL': 5")
    head = head.replace("'CENT', 'NICKEL': 1", "'CENT': 1, 'NICKEL': 5")
    assert head != base and members("test_one", head, base=base) == found
