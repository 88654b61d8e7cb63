"""What base gives in one order, and head in the order of a set, which is another one in each process."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

TASK = "Names come twice\n\n- [ ] `unique` leaves out what came before\n"
UNIQUE = {
    "of a set": "list(set(names))",
    "as they come": "list({name: None for name in names})",
    "sorted": "sorted(set(names))",
}
TESTS: Files = {
    "tests/test_unique.py": (
        "from names import unique\n\n\ndef test_unique_leaves_out_what_came_before():\n"
        "    assert len(unique(['b', 'a', 'b'])) == 2\n"
        "    assert sorted(unique(['b', 'a', 'b'])) == ['a', 'b']\n"
        "    assert unique([5, 5]) == [5]\n"
    )
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    shown = (
        "from names import unique\n\n\ndef test_no_names():\n"
        "    assert unique([]) == []\n    assert unique(['a']) == ['a']\n"
    )
    return open_folder(
        tmp_path_factory.mktemp("orders"),
        {"names.py": "def unique(names):\n    return names\n", "tests/test_names.py": shown},
    )


@pytest.mark.parametrize("said", ["", "\nThey may come in any order.\n"])
@pytest.mark.parametrize("name", UNIQUE)
def test_an_order_by_chance_is_asked_about(folder: Folder, name: str, said: str) -> None:
    change: Files = {"names.py": f"def unique(names):\n    return {UNIQUE[name]}\n", **TESTS}
    branch = folder.branch(f"{name.replace(' ', '-')}-{bool(said)}", change)
    found = folder.judge(branch, task=TASK + said)

    by_chance = name == "of a set" and not said
    assert found.conclusion == ("action_required" if by_chance else "success"), found.said()
    assert ("as the order of a set is another one" in found.said()) is by_chance
