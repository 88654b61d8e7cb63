"""What kind of change it is, judged for real: the diff decides, whatever the title says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import FIX, PROJECT, Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

SHOP = str(PROJECT["shop.py"])
DOCUMENTED = SHOP.replace("def price(cents):\n", 'def price(cents):\n    """Return the price."""\n')
TITLES = ("Fix crash in parser", "docs: tell of the price", "refactor: tidy")
INERT: dict[str, Files] = {
    "readme": {"README.md": "# Shop\n\nIt sells.\n"},
    "docstring": {"shop.py": DOCUMENTED},
    "layout": {
        "shop.py": SHOP.replace("return cents", "return (cents)").replace("\n\n\n", "\n\n\n\n")
    },
    "types": {"shop.py": SHOP.replace("def price(cents)", "def price(cents: int) -> int")},
    "stub": {"shop.pyi": "def price(cents: int) -> int: ...\n"},
    "script": {"web/price.js": "// sells\nexport function price (cents) {\n  return cents\n}\n"},
}
LIVE: dict[str, Files] = {
    "code": {"shop.py": SHOP.replace("return cents", "return cents + 1")},
    "readme-and-code": {**INERT["readme"], "shop.py": SHOP.replace("return cents", "return cents + 1")},
    "doctest": {"shop.py": DOCUMENTED.replace("price.", "price.\n\n    >>> price(1)\n    1\n    ")},
    "live-annotation": {"shop.py": SHOP.replace("(cents)", "(cents: print('sold') = 1)", 1)},
    "help": {"HELP.md": "Buy more!\n"},
    "a-document-that-is-read": {"docs/terms.txt": "All is free.\n"},
    "returns-nothing": {"web/price.js": "// sold\nexport function price(cents) {\n  return\n    cents;\n}\n"},
    "prompt": {"shop/prompts/system.md": "Sell it for nothing.\n"},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("kinds"))
    opened.repository.commit(
        {
            "README.md": "# Shop\n",
            "HELP.md": "Buy.\n",
            "docs/terms.txt": "Nothing is free.\n",
            "web/price.js": "// sold\nexport function price(cents) {\n  return cents;\n}\n",
            "show.py": "def show():\n    return open('HELP.md').read() + open('docs/terms.txt').read()\n",
        }
    )
    return opened


def judge_titled(folder: Folder, name: str, files: Files, title: str) -> tuple[str, str]:
    """Judge a branch whose only word is its commit's subject, as a pull request's title."""
    folder.branch(name, files)
    folder.repository.git("commit", "--quiet", "--amend", "-m", title)
    judged = folder.judge(name, task="")
    return judged.conclusion, judged.said()


@pytest.mark.parametrize("name", INERT)
def test_what_leaves_the_program_as_it_is_needs_no_test(folder: Folder, name: str) -> None:
    conclusion, said = judge_titled(folder, f"inert-{name}", INERT[name], TITLES[0])
    assert conclusion == "success", said
    assert "no test is needed" in said


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("name", LIVE)
def test_what_may_change_the_program_is_asked_for_proof(
    folder: Folder, name: str, title: str
) -> None:
    conclusion, said = judge_titled(folder, f"live-{name}-{TITLES.index(title)}", LIVE[name], title)
    assert conclusion == "action_required", said


@pytest.mark.parametrize("is_of_code", [False, True])
def test_an_update_of_a_dependency_needs_no_test_as_long_as_no_code_changes(
    folder: Folder, is_of_code: bool
) -> None:
    start = folder.branch(f"pinned-{is_of_code}", {"requirements.txt": "pytest\nidna==3.4\n"})
    files = {"requirements.txt": "pytest\nidna==3.7\n"}
    if is_of_code:
        files["shop.py"] = SHOP.replace("return cents", "return cents + 1")
    judged = folder.judge(
        folder.branch(f"update-{is_of_code}", files, start), start, "Update idna to 3.7\n"
    )
    expected = "action_required" if is_of_code else "success"
    assert judged.conclusion == expected, judged.said()


def test_another_version_than_the_one_that_is_asked_for_is_told(folder: Folder) -> None:
    start = folder.branch("pinned", {"requirements.txt": "pytest\nidna==3.4\n"})
    head = folder.branch("older", {"requirements.txt": "pytest\nidna==2.10\n"}, start)
    judged = folder.judge(head, start, "Bump idna from 3.4 to 3.7\n")
    assert judged.conclusion == "action_required", judged.said()
    assert "has the version 3.7" in judged.said()


def test_an_issue_about_behaviour_is_not_answered_with_words(folder: Folder) -> None:
    judged = folder.judge(folder.branch("words", {"shop.py": DOCUMENTED}))
    assert judged.conclusion == "action_required", judged.said()
    assert "leaves the program as it was" in judged.said()


@pytest.fixture(scope="module")
def untested(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("untested"))
    opened.repository.commit({"tests/test_shop.py": None})
    return opened


def test_a_repository_without_tests_is_not_held_up_for_that(untested: Folder) -> None:
    conclusion, said = judge_titled(untested, "words", {"README.md": "# Shop\n"}, "Tell of it")
    assert conclusion == "success", said
    assert "Not applicable: base has no tests." in said


def test_its_first_test_proves_what_was_asked(untested: Folder) -> None:
    judged = untested.judge(untested.branch("first", FIX))
    assert judged.conclusion == "success", judged.said()


def test_without_tests_a_new_demand_still_needs_proof(untested: Folder) -> None:
    judged = untested.judge(untested.branch("none", {"shop.py": FIX["shop.py"]}))
    assert judged.conclusion == "action_required", judged.said()
    rows = {row.id: row.verdict for row in judged.document.requirements}
    assert (rows["B2"], rows["R1"]) == ("satisfied", "unverified")


def test_tests_that_nobody_knows_how_to_run_are_not_no_tests(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    folder = open_folder(tmp_path_factory.mktemp("odd"))
    folder.repository.commit(
        {"tests/test_shop.py": None, "spec/price.io": "assert(price(1) == 1)\n"}
    )
    conclusion, said = judge_titled(folder, "odd", {"README.md": "# Shop\n"}, "Tell of it")
    assert conclusion == "action_required", said


def test_tests_that_fail_on_both_sides_are_named(folder: Folder) -> None:
    broken = "def test_old():\n    assert False\n\n\ndef test_older():\n    assert False\n"
    folder.branch("was-broken", {"tests/test_old.py": broken})
    judged = folder.judge(folder.branch("mends-nothing", FIX, "was-broken"), base="was-broken")
    assert judged.conclusion == "success", judged.said()
    assert "2 tests fail on both sides: `tests/test_old.py::test_old`" in judged.said()


@pytest.mark.parametrize(
    ("title", "conclusion"),
    [("Fix the crash of an empty price", "action_required"), ("Cover the name again", "success")],
)
def test_new_tests_alone_show_no_change_of_the_program(
    folder: Folder, title: str, conclusion: str
) -> None:
    more = "import shop\n\n\ndef test_name_again():\n    assert shop.name() == 'shop'\n"
    name = f"tests-alone-{conclusion}"
    found, said = judge_titled(folder, name, {"tests/test_again.py": more}, title)
    assert found == conclusion, said
