"""A number that comes as text, or as a promise, where nobody asked for that: what only `==` takes for one."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder
from tests.e2e.test_elsewhere_node import ASKS, REST, TASK, TEST, module_files
from tests.e2e.test_elsewhere_node import pytestmark as needs_node

pytestmark = needs_node
LOOSE = ASKS.replace("assert/strict", "assert")
AWAITED = ASKS.replace("() => {", "async () => {").replace("equal(price", "equal(await price")
TEXT = ASKS.replace("8);", "'8');").replace("300);", "'300');")
OTHERS = {
    "text": ("String(2 * cents)", LOOSE),
    "asked-by-the-test": ("`${2 * cents}`", TEXT),
    "big": ("BigInt(2 * cents)", LOOSE),
    "object": ("new (class Cents extends Number {})(2 * cents)", LOOSE),
    "promise": ("Promise.resolve(2 * cents)", AWAITED),
}
ASKED = {
    "as-text": ("as a string", *OTHERS["asked-by-the-test"]),
    "as-a-promise": ("as a promise", *OTHERS["promise"]),
    "in-a-form": ("with two decimals", "(2 * cents).toFixed(2)", TEXT.replace("');", ".00');")),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("shop"), module_files())


def _code(result: str) -> str:
    return f"export function price(cents) {{\n  return {result};\n}}\n{REST}"


@pytest.mark.parametrize("name", OTHERS)
def test_another_kind_of_result_is_not_satisfied(shop: Folder, name: str) -> None:
    result, test = OTHERS[name]
    judged = shop.judge(shop.branch(name, {"shop.js": _code(result), TEST: test}), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "and the task does not ask for another kind of result." in judged.said()


@pytest.mark.parametrize("name", ASKED)
def test_a_kind_that_is_asked_for_is_a_success(shop: Folder, name: str) -> None:
    words, result, test = ASKED[name]
    task = f"{TASK.rstrip()} {words}\n"
    judged = shop.judge(shop.branch(name, {"shop.js": _code(result), TEST: test}), task=task)
    assert judged.conclusion == "success", judged.said()
