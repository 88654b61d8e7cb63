"""A new function of the demanded name beside the old one, which stays as it was, satisfies nothing."""

from __future__ import annotations

import pytest

from tests.e2e.folder import FIX, PROJECT, TASK, Files, Folder, open_folder

pytestmark = [pytest.mark.slow, pytest.mark.real]
NEW: Files = {
    "pricing.py": "def price(cents):\n    return 2 * cents\n",
    "tests/test_price.py": str(FIX["tests/test_price.py"]).replace("shop", "pricing"),
}
NAME = "\n\ndef name():\n    return 'shop'\n"
WIRED = {
    "handed-on": f"from pricing import price{NAME}",
    "called": f"import pricing\n\n\ndef price(cents):\n    return pricing.price(cents){NAME}",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("shop"), PROJECT)


def test_what_nothing_calls_is_not_satisfied(shop: Folder) -> None:
    judged = shop.judge(shop.branch("beside", NEW))
    assert judged.conclusion == "action_required", judged.said()
    assert "`pricing.py: price`, and `shop.py: price` is as on base" in judged.said()


@pytest.mark.parametrize("name", WIRED)
def test_what_takes_the_place_of_the_old_is_a_success(shop: Folder, name: str) -> None:
    judged = shop.judge(shop.branch(name, {**NEW, "shop.py": WIRED[name]}))
    assert judged.conclusion == "success", judged.said()


def test_a_module_that_the_task_names_is_a_success(shop: Folder) -> None:
    task = TASK.replace("`price` returns", "`price` of the new module `pricing` returns")
    judged = shop.judge(shop.branch("named", NEW), task=task)
    assert judged.conclusion == "success", judged.said()
