"""A demand that something does not depend on something, where the tests show only a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

CODE = (
    "CODES = {'VIP': 25}\n\n\ndef total(price, code=''):\n    return price - CODES.get(code, 0)\n"
)
HEAD = {
    "orders.py": CODE.replace("get(code", "get('VIP' if code == 'vip' else code"),
    "tests/test_codes.py": (
        "from orders import total\n\n\ndef test_discount_codes_of_any_case():\n"
        "    assert total(100, 'vip') == 75\n"
    ),
}


def test_it_is_said_what_the_tests_leave_open(tmp_path: Path) -> None:
    project = {
        "requirements.txt": "pytest\n",
        "orders.py": CODE,
        "tests/test_orders.py": (
            "from orders import total\n\n\ndef test_total():\n    assert total(100, 'VIP') == 75\n"
        ),
    }
    folder = open_folder(tmp_path, project)
    task = "Discount codes should not depend on case\n\n`VIP` and `Vip` are the same.\n"
    judged = folder.judge(folder.branch("edit", HEAD), task=task)
    assert judged.conclusion == "action_required", judged.said()
    assert "`total(price=100, code='vip')`" in judged.said()
    assert "Add a test of what must stay" not in judged.said()
