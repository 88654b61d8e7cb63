"""Which hunk of a Node project's change serves which requirement."""

from __future__ import annotations

import pytest

from bot.values import Need
from tests.e2e.folder import Files, Folder, open_folder
from tests.e2e.test_hunks import needs
from tests.e2e.test_node import PROJECT as TILL
from tests.e2e.test_node import pytestmark as needs_node

pytestmark = [*needs_node, pytest.mark.slow]
APART = "// one\n// two\n// three\n// four\n// five\n// six\n// seven\n\n"
PRICE = (
    f"export function price(cents) {{\n  return cents;\n}}\n\n{APART}"
    "export const name = (how = '') => {\n  return 'till';\n};\n"
)
PROJECT: Files = {**TILL, "till.js": PRICE}
BEGIN = "import {test} from 'node:test';\nimport assert from 'node:assert/strict';\n"
PRICE_TEST = (
    f"{BEGIN}import {{price}} from '../till.js';\n\n"
    "test('price returns twice the cents', () => {\n  assert.equal(price(4), 8);\n});\n"
)
NAME_TEST = (
    f"{BEGIN}import {{name}} from '../till.js';\n\n"
    "test('name gives the way it is told', () => {\n  assert.equal(name('x'), 'x');\n});\n"
)
HEAD = PRICE.replace("return cents", "return 2 * cents").replace(
    "  return 'till'", "  if (how) return how;\n  return 'till'"
)
TASK = "Prices\n\n- [ ] `price` returns twice the cents\n"
TWO = TASK + "- [ ] `name` gives the way it is told\n"


@pytest.fixture(scope="module")
def till(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("till"), PROJECT)


def test_a_needed_hunk_and_one_that_nothing_needs(till: Folder) -> None:
    files = {"till.js": HEAD, "test/price.test.js": PRICE_TEST}
    judged = till.judge(till.branch("two-hunks", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "`if (how) return how;` is missing (till.js:14)" in judged.said()
    assert needs(judged, "till.js") == {
        "till.js:2": (Need.NEEDED, ("R1",)),
        "till.js:14": (Need.UNNEEDED, ()),
    }


def test_two_requirements_are_served_by_two_hunks(till: Folder) -> None:
    files = {"till.js": HEAD, "test/price.test.js": PRICE_TEST, "test/name.test.js": NAME_TEST}
    judged = till.judge(till.branch("two-and-two", files), task=TWO)
    assert judged.conclusion == "success", judged.said()
    assert needs(judged, "till.js") == {
        "till.js:2": (Need.NEEDED, ("R1",)),
        "till.js:14": (Need.NEEDED, ("R2",)),
    }


def test_new_files_are_hunks_too(till: Folder) -> None:
    new = "export function double(cents) {\n  return 2 * cents;\n}\n"
    test = PRICE_TEST.replace("{price} from '../till.js'", "{double} from '../prices.js'")
    test = test.replace("price(4)", "double(4)").replace("price returns", "double returns")
    left = "export const left = () => 0;\n"
    files = {"prices.js": new, "left.js": left, "test/double.test.js": test}
    task = "Prices\n\n- [ ] `double` returns twice the cents\n"
    judged = till.judge(till.branch("new-files", files), task=task)
    assert judged.conclusion == "success", judged.said()
    assert needs(judged, "prices.js") == {"prices.js:1-3": (Need.NEEDED, ("R1",))}
    assert needs(judged, "left.js") == {"left.js:1": (Need.UNNEEDED, ())}
