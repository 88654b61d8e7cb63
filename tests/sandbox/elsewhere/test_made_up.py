"""What tests put in a module's place is told where the module lacks it, and the change uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.elsewhere.made_up import made_up
from tests.sandbox.linters.changes import changed

CART = "const tax = require('./tax');\nexports.total = (n, of) => n * tax.rateFor(of);\n"
MOCKED = "jest.mock('../src/tax', () => ({rateFor: (of) => ({DE: 19})[of], other: 1}));\n"
CASES = {
    "lacks it": (MOCKED, "module.exports = {rate};\n", ["rateFor"]),
    "block": (
        MOCKED.replace("=> ({r", "=> { return {r").replace("}));", "}; });"),
        "exports.rate = 1;\n",
        ["rateFor"],
    ),
    "vitest": (
        "vi.mock('../src/tax.js', async (load) => ({...(await load()), async rateFor() { return 1; }}));\n",
        "export const rate = 1;\n",
        ["rateFor"],
    ),
    "node": (
        "mock.module('../src/tax.js', {namedExports: {rateFor: () => 19}});\n",
        "export const rate = 1;\n",
        ["rateFor"],
    ),
    "has it": (MOCKED, "const rateFor = rate;\nmodule.exports = {rateFor};\n", []),
    "another's": (MOCKED, "module.exports = new Rates();\n", []),
    "handed on": (MOCKED, "module.exports = {rate, ...require('./rates')};\n", []),
    "default": (MOCKED, "export default new Rates();\nexport const rate = 1;\n", []),
    "virtual": (MOCKED.replace("}));", "}), {virtual: true});"), "exports.rate = 1;\n", []),
    "unused": (MOCKED.replace("rateFor", "rateOf"), "exports.rate = 1;\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_a_member_that_the_module_lacks(tmp_path: Path, name: str) -> None:
    test, real, wanted = CASES[name]
    base = {"src/cart.js": "exports.total = (n) => n;\n", "src/tax.js": real}
    checkout = changed(tmp_path, base, {"src/cart.js": CART, "test/cart.test.js": test})
    found = made_up(checkout, ["test/cart.test.js"], ["test/cart.test.js"])
    assert [one.member for one in found] == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("    monkeypatch.setitem(sys.modules, 'shop.weights', fake)\n", ["shop.weights"]),
        ("    sys.modules['shop.weights'] = fake\n", ["shop.weights"]),
        (
            "    with patch.dict(sys.modules, {'shop.weights': fake}):\n        pass\n",
            ["shop.weights"],
        ),
        ("    monkeypatch.setitem(sys.modules, 'shop.weights', None)\n", []),
        ("    monkeypatch.setitem(sys.modules, 'shop.kept', fake)\n", []),
        ("    assert sys.modules['shop.weights'] == fake\n", []),
        ("    kept = weights\n    sys.modules['shop.weights'] = kept\n", []),
        ("    kept = sys.modules['shop.weights']\n    sys.modules['shop.weights'] = kept\n", []),
        ("    kept = weights()\n    sys.modules['shop.weights'] = kept\n", ["shop.weights"]),
    ],
)
def test_a_module_of_the_change_is_another_one(
    tmp_path: Path, line: str, wanted: list[str]
) -> None:
    head = {"shop/weights.py": "A = 1\n", "tests/test_a.py": f"def test_a(monkeypatch):\n{line}"}
    checkout = changed(tmp_path, {"shop/kept.py": ""}, head)
    found = made_up(checkout, ["tests/test_a.py"], ["tests/test_a.py"])
    assert [one.module for one in found] == wanted
