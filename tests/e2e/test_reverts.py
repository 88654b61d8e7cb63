"""Changes that take back a commit: exactly, nearly, and only by their word."""

from __future__ import annotations

import pytest

from tests.e2e.folder import FIX, PROJECT, Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

NAMELESS: Files = {
    "tests/test_shop.py": "import shop\n\n\ndef test_name():\n    assert shop.name()\n"
}
BROKEN: Files = {"shop.py": "def price(cents):\n    return 0\n\n\ndef name():\n    return 'shop'\n"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A shop whose price was doubled, with a test, and which has changed elsewhere since."""
    folder = open_folder(tmp_path_factory.mktemp("shop"), PROJECT)
    folder.repository.commit(FIX, "Double the price")
    folder.repository.git("tag", "doubled")
    folder.repository.commit({"README.md": "The shop.\n"}, "Say what it is")
    return folder


def _reverted(shop: Folder, name: str, *, beside: Files | None = None, undo: bool = True) -> str:
    shop.repository.git("checkout", "--quiet", "-b", name, "main")
    sha = shop.repository.git("rev-parse", "doubled").strip()
    message = f'Revert "Double the price"\n\nThis reverts commit {sha}.'
    if undo:
        shop.repository.git("revert", "--no-edit", "doubled")
    if beside is not None:
        shop.repository.commit(beside, message)
    return name


def test_whether_a_commit_is_to_be_taken_back_exactly_is_for_a_person(shop: Folder) -> None:
    judged = shop.judge(_reverted(shop, "exact"), task="")
    assert judged.conclusion == "action_required", judged.said()
    assert "takes back commit" in judged.said()
    assert "Restore what the tests" not in judged.said()
    assert "Add a test" not in judged.said()


def test_an_issue_that_names_the_commit_asks_for_that(shop: Folder) -> None:
    task = 'Prices are doubled\n\nPlease revert "Double the price", customers complain.\n'
    judged = shop.judge(_reverted(shop, "asked"), task=task)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("name", "beside", "undo"),
    [
        ("and-a-test-loses-its-value", NAMELESS, True),
        ("by-its-word-only", {**BROKEN, "tests/test_price.py": None}, False),
    ],
)
def test_what_is_not_just_that_commit_is_judged_as_ever(
    name: str, beside: Files, undo: bool, shop: Folder
) -> None:
    judged = shop.judge(_reverted(shop, name, beside=beside, undo=undo), task="")
    assert judged.conclusion == "failure", judged.said()
    assert "takes back commit" not in judged.said()
