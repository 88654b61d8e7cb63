"""A neighbor that no test calls and that goes without a word asks a person."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]
LABEL = "\n\ndef label(name):\n    return name.title()\n"
SHOP = f"def price(cents):\n    return cents\n{LABEL}"
TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n"
    "    assert shop.price(4) == 8\n    assert shop.price(7) == 14\n"
)
TASK = "Double the price\n\n- [ ] `price` returns twice the cents\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    files = {
        "shop.py": SHOP,
        "tests/test_shop.py": "import shop\n\n\ndef test_shop():\n    assert shop.price(0) == 0\n",
    }
    return open_folder(tmp_path_factory.mktemp("names"), files)


def test_a_public_function_that_goes_without_a_word_asks_a_person(folder: Folder) -> None:
    right = SHOP.replace("return cents", "return 2 * cents")
    less = folder.branch("less", {"shop.py": right.replace(LABEL, ""), "tests/test_price.py": TEST})
    judged = folder.judge(less, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "`label`, which base has for everybody, is gone" in judged.said()
    whole = folder.branch("whole", {"shop.py": right, "tests/test_price.py": TEST})
    assert folder.judge(whole, task=TASK).conclusion == "success"
