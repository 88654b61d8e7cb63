"""What a call raises, changes and prints is compared elsewhere, and that it was seen at all."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

REST = "\n\n\ndef name():\n    return 'shop'\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("effects"))


LOGS = "bool(logging.root.handlers)"
"""What pytest has put in place where a test runs; a number in the code below, so no condition either."""
MORE = {
    "raised": (
        "`price` raises `ValueError` for negative cents",
        f"    if cents < 0:\n        raise (KeyError, ValueError)[{LOGS}](cents)\n    return cents",
        "import pytest\nimport shop\n\n\ndef test_price_raises_for_negative_cents():\n"
        "    with pytest.raises(ValueError):\n        shop.price(-1)\n    with pytest.raises(ValueError):\n"
        "        shop.price(-20)\n",
        "raised ValueError under `test_price_raises_for_negative_cents`, but raised KeyError in",
    ),
    "in-place": (
        "`price` doubles the cents of a list in place",
        f"    for place, one in enumerate(cents):\n        cents[place] = one * (1 + {LOGS})",
        "import shop\n\n\ndef test_price_doubles_the_cents_in_place():\n    cents = [1, 5]\n"
        "    shop.price(cents)\n    assert cents == [2, 10]\n",
        "returned None and left [[2, 10]] under `test_price_doubles_the_cents_in_place`, but returned None",
    ),
    "printed": (
        "`price` prints twice the cents",
        f"    print(cents * (1 + {LOGS}))",
        "import shop\n\n\ndef test_price_prints_twice_the_cents(capsys):\n    shop.price(4)\n"
        "    assert capsys.readouterr().out == '8\\n'\n",
        "printed '8\\n' under `test_price_prints_twice_the_cents`, but printed '4\\n' in a plain program",
    ),
    "profiled": (
        "`price` returns twice the cents",
        f"    return cents * (1 + {LOGS})",
        "import sys\n\nimport shop\n\n\ndef test_price_returns_twice_the_cents():\n"
        "    sys.setprofile(None)\n    assert shop.price(4) == 8\n",
        "While `test_price_returns_twice_the_cents` ran, something took away what records its calls",
    ),
}


@pytest.mark.parametrize("name", MORE)
def test_whatever_a_call_does_is_compared(folder: Folder, name: str) -> None:
    demand, body, test, reason = MORE[name]
    code = f"import logging\n\n\ndef price(cents):\n{body}{REST}"
    head = folder.branch(f"more-{name}", {"shop.py": code, "tests/test_price.py": test})
    judged = folder.judge(head, task=f"The price\n\n- [ ] {demand}\n")
    assert judged.conclusion == "action_required", judged.said()
    (row,) = [one for one in judged.document.requirements if one.id == "R1"]
    assert reason in row.reason
    assert "D2" in row.evidence


RAISING = (
    "- [ ] `price` returns twice the cents\n"
    "- [ ] `price` raises `ValueError` for an odd number of cents\n"
)
DOUBLED = f"def price(cents):\n    return 2 * cents{REST}"
REFUSING = DOUBLED.replace(
    "    return 2", "    if cents % 2:\n        raise ValueError(cents)\n    return 2", 1
)
ASKS_TWICE = (
    "import pytest\nimport shop\n\n\ndef test_price_returns_twice_the_cents():\n"
    "    assert shop.price(4) == 8\n"
)
ASKS_ERROR = (
    "\n\ndef test_price_raises_for_an_odd_number_of_cents():\n    assert shop.price(6) == 12\n"
    "    with pytest.raises((ValueError, TypeError)):\n        shop.price({})\n"
)


def test_an_error_that_base_raises_too_is_none_that_was_asked_for(folder: Folder) -> None:
    refused_before = "def price(cents):\n    return cents + 0\n" + REST
    base = folder.branch("refuses-text", {"shop.py": refused_before})
    test = ASKS_TWICE + ASKS_ERROR.format("None")
    files = {
        "shop.py": DOUBLED.replace("2 * cents", "2 * (cents + 0)"),
        "tests/test_price.py": test,
    }
    judged = folder.judge(folder.branch("half", files, base), base, task=f"Prices\n\n{RAISING}")
    assert judged.conclusion == "action_required", judged.said()
    rows = {one.id: one for one in judged.document.requirements}
    assert (rows["R1"].verdict, rows["R2"].verdict) == ("satisfied", "unverified")
    assert (
        "an error is asked for, and no call with which they show the change raises one"
        in rows["R2"].reason
    )


def test_an_error_that_only_head_raises_is_what_was_asked_for(folder: Folder) -> None:
    files = {"shop.py": REFUSING, "tests/test_price.py": ASKS_TWICE + ASKS_ERROR.format("3")}
    judged = folder.judge(folder.branch("whole", files), task=f"Prices\n\n{RAISING}")
    assert judged.conclusion == "success", judged.said()


MOCKED = (
    "from unittest import mock\n\nimport shop\n\n\ndef test_price_multiplies_the_cents_by_the_rate():\n"
    "    with mock.patch('rates.lookup', return_value=2) as lookup:\n"
    "        assert shop.price(4, 'EUR', 'USD') == 8\n        assert shop.price(7, 'EUR', 'USD') == 14\n"
    "    assert lookup.called\n    with mock.patch.object(rates.Table, 'rate', return_value=3):\n"
    "        assert rates.Table().rate('EUR') == 3\n"
).replace("import shop\n", "import rates\nimport shop\n", 1)
RATES = (
    "def lookup(source, target):\n    return 2 if source != target else 1\n\n\n"
    "class Table:\n    def rate(self, source):\n        return lookup(source, 'USD')\n"
)
BY_RATE = (
    "Rates\n\n- [ ] `price` multiplies the cents by the rate of two currencies, its arguments `source` "
    "and `target`\n"
)
LOOKUPS = {"right": "lookup(source, target=target)", "wrong": "lookup(f'{source}-{target}')"}


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_mock_is_called_as_what_it_stands_for_can_be(folder: Folder, name: str) -> None:
    base = folder.branch(f"{name}-rates", {"rates.py": RATES})
    code = (
        "import rates\n\n\ndef price(cents, source, target):\n"
        f"    return cents * rates.{LOOKUPS[name]}{REST}"
    )
    head = folder.branch(name, {"shop.py": code, "tests/test_price.py": MOCKED}, base)
    judged = folder.judge(head, base, task=BY_RATE)
    assert judged.conclusion == ("success" if name == "right" else "action_required"), judged.said()
    if name == "wrong":
        (row,) = [one for one in judged.document.requirements if one.id == "R1"]
        assert "`lookup` itself does not take (missing a required argument: 'target')" in row.reason
