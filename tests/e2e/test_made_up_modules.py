"""What tests give a module that it does not have satisfies nothing; what it has may be replaced."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Votes of this week count twice\n\n`score` counts votes twice that are less than seven days old.\n"
SCORE = "def score(votes):\n    {}\n"
PLAIN = "return sum(points for _, points in votes)"
WEIGHED = (
    "from shop import weights\n\n    return sum(n * weights.weight(days) for days, n in votes)"
)
FAKE = (
    "\n\n@pytest.fixture\ndef weights(monkeypatch):\n    import shop\n\n"
    "    fake = types.ModuleType('shop.weights')\n    fake.weight = lambda days: 2 if days < 7 else 1\n"
    "    monkeypatch.setitem(sys.modules, 'shop.weights', fake)\n"
    "    monkeypatch.setattr(shop, 'weights', fake, raising=False)\n"
)
TEST = (
    "import sys\nimport types\n\nimport pytest\n\nfrom shop.score import score\n{}\n\n"
    "def test_votes_of_this_week_count_twice({}):\n    assert score([(1, 2), (30, 3)]) == 7\n"
    "    assert score([(6, 1), (7, 1)]) == 3\n"
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    old = "from shop.score import score\n\n\ndef test_score():\n    assert score([(9, 4)]) == 4\n"
    files: Files = {
        "shop/__init__.py": "",
        "shop/score.py": SCORE.format(PLAIN),
        "tests/test_old.py": old,
    }
    return open_folder(tmp_path_factory.mktemp("shop"), files)


@pytest.mark.parametrize("is_right", [True, False])
def test_a_module_of_the_change_that_tests_replace_is_not_shown(
    shop: Folder, is_right: bool
) -> None:
    weight = "2 if days < 7 else 1" if is_right else "1"
    files: Files = {
        "shop/score.py": SCORE.format(WEIGHED),
        "shop/weights.py": f"def weight(days):\n    return {weight}\n",
        "tests/test_week.py": TEST.format(*(("", "") if is_right else (FAKE, "weights"))),
    }
    judged = shop.judge(shop.branch(f"week-{is_right}", files), task=TASK)
    assert judged.conclusion == ("success" if is_right else "action_required"), judged.said()
    assert ("in the place of `shop.weights`" in judged.said()) is not is_right


@pytest.mark.skipif(not shutil.which("npm"), reason="node and npm are not installed")
def test_a_member_that_only_the_tests_have_is_not_shown(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    manifest = {"name": "cart", "scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}
    base: Files = {
        "package.json": json.dumps(manifest),
        "src/cart.js": "exports.total = (net) => net;\n",
        "src/tax.js": "const rate = (of) => ({DE: 19, FR: 20})[of];\nmodule.exports = {rate};\n",
        "test/cart.test.js": (
            "const {total} = require('../src/cart');\n"
            "test('total', () => expect(total(3)).toBe(3));\n"
        ),
    }
    project = open_folder(tmp_path_factory.mktemp("cart"), base)
    task = "Gross totals\n\n`total` adds the tax of the country that it is given.\n"
    for name in ("rateFor", "rate"):
        files: Files = {
            "src/cart.js": (
                "const tax = require('./tax');\nexports.total = (net, country) =>\n"
                f"  country ? (net * (100 + tax.{name}(country))) / 100 : net;\n"
            ),
            "test/gross.test.js": (
                f"jest.mock('../src/tax', () => ({{{name}: (of) => ({{DE: 19, FR: 20}})[of]}}));\n"
                "const {total} = require('../src/cart');\n\ntest('total adds the tax', () => {\n"
                "  expect(total(100, 'DE')).toBe(119);\n  expect(total(50, 'FR')).toBe(60);\n});\n"
            ),
        }
        judged = project.judge(project.branch(name, files), task=task)
        is_right = name == "rate"
        assert judged.conclusion == ("success" if is_right else "action_required"), judged.said()
        assert ("a `rateFor` that it does not have" in judged.said()) is not is_right
