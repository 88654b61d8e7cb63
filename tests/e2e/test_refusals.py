"""What is to be refused on two sides, or with an error of its own: tests of half of it do not satisfy."""

from __future__ import annotations

import json

import pytest

from tests.e2e.folder import Files, Folder, Judged, open_folder
from tests.e2e.test_elsewhere_node import MODULE, START
from tests.e2e.test_elsewhere_node import pytestmark as needs_node

pytestmark = needs_node
TASK = "Discounts\n\n- [ ] `discount` throws a RangeError for a percent below 0 or above 100\n"
FORMAT = "export function format(cents) {\n  return `$${cents / 100}`;\n}\n"
DISCOUNT = """
export function discount(cents, percent) {
  if (percent < 0 || percent > 100) {
    throw new RangeError(`no percent: ${percent}`);
  }
  return Math.floor((cents * (100 - percent)) / 100);
}
"""
TESTS = f"""{START}import {{discount}} from '../money.js';

test('discount takes off the percent', () => {{
  assert.equal(discount(1000, 10), 900);
}});

test('discount throws a RangeError for a percent below 0', () => {{
  assert.throws(() => discount(100, -1), RangeError);
}});

test('discount throws a RangeError for a percent above 100', () => {{
  assert.throws(() => discount(100, 101), RangeError);
}});
"""


@pytest.fixture(scope="module")
def money(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files: Files = {
        "package.json": json.dumps(MODULE),
        "money.js": FORMAT,
        "test/money.test.js": (
            f"{START}import {{format}} from '../money.js';\n\n"
            "test('format', () => {\n  assert.equal(format(100), '$1');\n});\n"
        ),
    }
    return open_folder(tmp_path_factory.mktemp("money"), files)


def _judged(money: Folder, name: str, code: str, tests: str) -> Judged:
    files = {"money.js": FORMAT + code, "test/discount.test.js": tests}
    return money.judge(money.branch(name, files), task=TASK)


@pytest.mark.parametrize(
    ("name", "code", "tests", "reason"),
    [
        (
            "half",
            DISCOUNT.replace("percent < 0 || ", ""),
            TESTS.replace("(100, -1)", "(100, 200)"),
            "the task names what is below 0, too, and no test has it: it has `discount(100, 200)`.",
        ),
        (
            "other-error",
            DISCOUNT.replace("RangeError", "Error"),
            TESTS.replace(", RangeError)", ")"),
            "`discount(100, -1)` raised Error, the task names RangeError, and no test asks for it.",
        ),
    ],
)
def test_half_a_refusal_is_not_satisfied(
    money: Folder, name: str, code: str, tests: str, reason: str
) -> None:
    judged = _judged(money, name, code, tests)
    assert judged.conclusion == "action_required", judged.said()
    assert reason in judged.said()


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("asked", TESTS),
        ("any-error", TESTS.replace(", RangeError)", ")")),
        ("far", TESTS.replace("-1", "-Infinity").replace("101", "Number.MAX_VALUE")),
    ],
)
def test_what_is_refused_on_both_sides_is_a_success(money: Folder, name: str, tests: str) -> None:
    judged = _judged(money, name, DISCOUNT, tests)
    assert judged.conclusion == "success", judged.said()
