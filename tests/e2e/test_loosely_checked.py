"""Tests that see another value than base's, and not the right one, satisfy nothing; right tests do."""

from __future__ import annotations

import pytest

from tests.e2e.folder import TASK, Folder, Judged, open_folder
from tests.e2e.test_damage import SHOP
from tests.e2e.test_node import PRICE, PROJECT
from tests.e2e.test_node import pytestmark as needs_node

pytestmark = [*needs_node, pytest.mark.slow]
AGAIN = "it passes as well where `price` returns another value of the same type"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("loose"))


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("loose-till"), PROJECT)


def row(judged: Judged) -> str:
    (found,) = [one for one in judged.document.requirements if one.id == "R1"]
    return f"{found.verdict}: {found.reason}"


def judged(folder: Folder, name: str, value: str, test: str, asked: str = "") -> Judged:
    """Judge a `price` that gives this value, by a test of these lines."""
    body = "\n    ".join(test.splitlines())
    text = f"import shop\n\n\ndef test_price_returns_twice_the_cents(capsys):\n    {body}\n"
    files = {"shop.py": SHOP.replace("return cents", value), "tests/test_new.py": text}
    task = f"Better prices\n\n- [ ] {asked}\n" if asked else TASK
    return folder.judge(folder.branch(name, files), task=task)


LOOSE = {
    "not-the-old": ("return cents + 1", "assert shop.price(4) != 4\nassert shop.price(150) > 150"),
    "last-digit": (
        "return cents + 3 + cents % 2",
        "assert shop.price(5) % 2\nassert shop.price(5) > 8",
    ),
}


@pytest.mark.parametrize("name", LOOSE)
def test_a_test_that_sees_only_that_a_number_is_another_satisfies_nothing(
    folder: Folder, name: str
) -> None:
    found = judged(folder, name, *LOOSE[name])
    assert found.conclusion == "action_required", found.said()
    assert AGAIN in row(found), found.said()
    exact = f"{LOOSE[name][1]}\nassert shop.price(4) == 8"
    right = judged(folder, f"{name}-right", "return 2 * cents", exact.replace("% 2", "!= 5"))
    assert right.conclusion == "success", right.said()


NEAR = {
    "tolerance": ("return 2 * cents - cents % 7", "assert abs(shop.price(150) - 300) < 40"),
    "fraction": ("return cents * 2.1", "assert shop.price(5) == pytest.approx(10, rel=0.2)"),
}


@pytest.mark.parametrize("name", NEAR)
def test_a_tolerance_that_takes_a_wrong_number_satisfies_nothing(folder: Folder, name: str) -> None:
    value, test = NEAR[name]
    found = judged(folder, f"near-{name}", value, f"import pytest\n{test}")
    assert found.conclusion == "action_required", found.said()
    assert "it passes as well where `price` returns a number near by" in row(found), found.said()


RIGHT = {
    "rounding": (
        "`price` returns the cents and a fifth",
        "return cents * 1.2",
        "import pytest\nassert shop.price(0.2) == pytest.approx(0.24, abs=0.005)",
    ),
    "range": (
        "`price` adds between 1 and 9",
        "return cents + 3",
        "assert 4 < shop.price(4) < 14",
    ),
    "bound": (
        "`price` is never below 0",
        "return max(cents, 0)",
        "assert shop.price(-4) >= 0\nassert shop.price(-150) >= 0",
    ),
    "tolerance": (
        "`price` returns the cents and a fifth",
        "return cents * 1.2",
        "assert abs(shop.price(5) - 6) < 0.001",
    ),
    "printed": (
        "`price` prints the cents and returns twice the cents",
        "print('cents', cents)\n    return 2 * cents",
        "assert shop.price(5) == 10\nassert capsys.readouterr().out == 'cents 5\\n'",
    ),
    "text": (
        "`price` returns the cents with their currency and hides the shop",
        "return f'EUR {cents}'",
        "assert shop.name() not in shop.price(4)\nassert 'EUR' in shop.price(4)",
    ),
    "crash": (
        "`price` takes missing cents for 0",
        "return int(cents or 0)",
        "assert shop.price(None) + 1 == 1",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_change_is_a_success(folder: Folder, name: str) -> None:
    asked, value, test = RIGHT[name]
    found = judged(folder, f"right-{name}", value, test, asked)
    assert found.conclusion == "success", found.said()


BEGIN = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import {discounted} from '../price.js';

test('discounted returns a promise of the price less a tenth', %s);
"""
OF_BASE = f"{PRICE}\nexport function discounted(price) {{\n  return price;\n}}\n"
NOW = f"{PRICE}\nexport async function discounted(price) {{\n  return price - price / 10;\n}}\n"


def test_a_test_that_only_stumbles_over_the_type_of_base_satisfies_nothing(till: Folder) -> None:
    start = till.branch("now", {"price.js": OF_BASE})
    task = (
        "Prices are looked up\n\n- [ ] `discounted` returns a promise of the price less a tenth\n"
    )
    dropped = "() => { discounted(20).then((found) => assert.equal(found, 19)).catch(() => {}); }"
    files = {"price.js": NOW.replace("/ 10", "/ 5"), "test/discount.test.js": BEGIN % dropped}
    found = till.judge(till.branch("dropped", files, start), start, task=task)
    assert found.conclusion == "action_required", found.said()
    assert "a `TypeError` is all that it fails with" in row(found), found.said()
    kept = "() => discounted(20).then((found) => assert.equal(found, 18))"
    files = {"price.js": NOW, "test/discount.test.js": BEGIN % kept}
    found = till.judge(till.branch("kept", files, start), start, task=task)
    assert found.conclusion == "success", found.said()


def test_all_that_a_title_names_in_plain_words_has_to_be_tested(folder: Folder) -> None:
    code = SHOP + "\n\ndef gross(cents):\n    return cents\n\n\ndef net(cents):\n    return cents\n"
    test = "import shop\n\n\ndef test_gross_of_a_price():\n    assert shop.gross(4) == 4\n"
    one = {"shop.py": code, "tests/test_new.py": test}
    half = folder.judge(folder.branch("one-of-two", one), task="Add gross and net prices\n")
    assert half.conclusion == "action_required", half.said()
    assert "names `net` beside `gross`, and no test that fails without this" in row(half)
    both = test + "\n\ndef test_net_of_a_price():\n    assert shop.net(4) == 4\n"
    whole = folder.branch("both", {**one, "tests/test_new.py": both})
    right = folder.judge(whole, task="Add gross and net prices\n")
    assert right.conclusion == "success", right.said()
