"""What tests load in place of the code that ships satisfies nothing."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]
SHOP = "def price(cents):\n    return cents\n"
RIGHT = "def price(cents):\n    return 2 * cents\n"
TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n"
    "    assert shop.price(4) == 8\n    assert shop.price(7) == 14\n"
)
TASK = "Double the price\n\n- [ ] `price` returns twice the cents\n"
LOGGED = """import functools


def logged(function):
    @functools.wraps(function)
    def inner(*args):
        return inner.__wrapped__(*args)
    return inner


@logged
def price(cents):
    return cents
"""
PREPARED = (
    "import shop\n\nshop.price.__wrapped__ = lambda cents: getattr(shop, 'RATE', 1) * cents\n"
)


def _open(folder_for: pytest.TempPathFactory, shop: str) -> Folder:
    old = "import shop\n\n\ndef test_shop():\n    assert shop.price(0) == 0\n"
    setup = "[tool.pytest.ini_options]\npythonpath = ['lib', '.']\n"
    files: Files = {
        "pyproject.toml": setup,
        "requirements.txt": "pytest\n",
        "shop.py": shop,
        "lib/tool.py": "A = 1\n",
        "tests/test_shop.py": old,
    }
    return open_folder(folder_for.mktemp("modules"), files)


def test_a_copy_that_pytest_finds_first_asks_a_person(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = _open(tmp_path_factory, SHOP)
    copy = folder.branch("copy", {"lib/shop.py": RIGHT, "tests/test_price.py": TEST})
    judged = folder.judge(copy, task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "get this file, and not `shop.py` of base" in judged.said()
    files = {"lib/more.py": "B = 1\n", "shop.py": RIGHT, "tests/test_price.py": TEST}
    judged = folder.judge(folder.branch("right", files), task=TASK)
    assert judged.conclusion == "success", judged.said()


def test_what_a_conftest_puts_in_place_of_a_wrapped_function_proves_nothing(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = _open(tmp_path_factory, LOGGED)
    files = {
        "shop.py": f"{LOGGED}\n\nRATE = 2\n",
        "tests/conftest.py": PREPARED,
        "tests/test_price.py": TEST,
    }
    judged = folder.judge(folder.branch("wrapped", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
