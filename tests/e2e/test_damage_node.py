"""Tests of Node projects that see no damage prove nothing; right changes are a success."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, Judged, open_folder
from tests.e2e.test_node import DISCOUNT, PRICE, PROJECT, TASK
from tests.e2e.test_node import pytestmark as needs_node

pytestmark = [*needs_node, pytest.mark.slow]


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("till"), PROJECT)


WRONG = DISCOUNT.replace("/ 100", "/ 10")
BEGIN = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import * as price from '../price.js';
import {discounted} from '../price.js';

test('discounted takes the percentage off the price', () => {
  %s
});
"""
HOLLOW = {
    "callable": "assert.equal(typeof discounted, 'function');",
    "try-catch": "try { assert.equal(discounted(200, 10), 180); } catch {}",
    "empty-loop": "for (const [a, b] of []) assert.equal(discounted(a, 10), b);",
    "itself": "assert.equal(discounted(200, 10), discounted(200, 10));",
    "own-copy": "assert.ok(price.discounted); const discounted = (a, b) => a - a * b / 100;"
    " assert.equal(discounted(200, 10), 180);",
    "stand-in": "assert.ok(discounted); const till = {...price, discounted: () => 180};"
    " assert.equal(till.discounted(200, 10), 180);",
}


def row(judged: Judged) -> str:
    (found,) = [one for one in judged.document.requirements if one.id == "R1"]
    return f"{found.verdict}: {found.reason}"


@pytest.mark.parametrize("name", HOLLOW)
def test_a_hollow_test_satisfies_nothing(till: Folder, name: str) -> None:
    files = {"price.js": WRONG, "test/discount.test.js": BEGIN % HOLLOW[name]}
    judged = till.judge(till.branch(name, files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert row(judged).startswith("unverified"), judged.said()
    assert "0 of" in row(judged), judged.said()


WEAK = {
    "type": "assert.equal(typeof discounted(200, 10), 'number');",
    "true": "assert.ok(discounted(200, 5));",
    "not-null": "assert.notEqual(discounted(200, 10), undefined);",
}


@pytest.mark.parametrize("name", WEAK)
def test_a_test_that_misses_only_a_result_satisfies_nothing(till: Folder, name: str) -> None:
    files = {"price.js": WRONG, "test/discount.test.js": BEGIN % WEAK[name]}
    judged = till.judge(till.branch(f"weak-{name}", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "but not when it returns something else" in row(judged), judged.said()


RIGHT = {
    "new-function": (DISCOUNT, "assert.equal(discounted(200, 10), 180);"),
    "arrow": (
        PRICE
        + "\nexport const discounted = (price, percentage) => price - price * percentage / 100;\n",
        "assert.equal(discounted(200, 10), 180);",
    ),
    "error": (
        PRICE
        + "\nexport function discounted(price, percentage) {\n"
        + "  if (percentage > 100) throw new RangeError('too much');\n  return price;\n}\n",
        "assert.throws(() => discounted(200, 110), /too much/);\n  assert.equal(discounted(200, 100), 200);",
    ),
    "class": (
        PRICE + "\nexport class discounted {\n  constructor(price) { this.price = price; }\n"
        "  get half() { return this.price / 2; }\n}\n",
        "assert.equal(new discounted(200).half, 100);",
    ),
    "promise": (
        PRICE + "\nexport async function discounted(price, percentage) {\n"
        "  return price - price * percentage / 100;\n}\n",
        "return discounted(200, 10).then((found) => assert.equal(found, 180));",
    ),
    "record": (
        PRICE + "\nexport const discounted = (price, percentage) => ({price, percentage});\n",
        "assert.deepEqual(discounted(200, 10), {price: 200, percentage: 10});",
    ),
    "predicate": (
        PRICE + "\nexport function discounted(price, percentage) {\n  return percentage > 0;\n}\n",
        "assert.ok(discounted(200, 10));",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_change_is_a_success(till: Folder, name: str) -> None:
    source, test = RIGHT[name]
    files = {"price.js": source, "test/discount.test.js": BEGIN % test}
    judged = till.judge(till.branch(f"right-{name}", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert "noticed" in row(judged), row(judged)


@pytest.mark.slow
def test_damage_that_makes_tests_wait_without_end_is_noticed(till: Folder) -> None:
    wait = (
        "while (discounted(200, 10) === undefined) await new Promise((go) => setTimeout(go, 50));\n"
        "  assert.equal(discounted(200, 10), 200);"
    )
    text = BEGIN.replace("price', () =>", "price', {timeout: 1000}, async () =>") % wait
    code = f"{PRICE}\nexport function discounted(price, least) {{\n  return Math.max(price, least);\n}}\n"
    files = {"price.js": code, "test/discount.test.js": text}
    judged = till.judge(till.branch("waits", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    (told,) = [one.head.output for one in judged.document.evidence if one.id == "D1" and one.head]
    assert "`discounted` does nothing: 1 of 1 tests noticed" in told, told
