"""Of functions that the task names side by side, one that the change does not reach is asked about."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

LOOKUP = """from store.own import has


def find(rows, name):
    return [row for row in rows if has(row, name)]


def count(rows, name):
    return sum(name in row for row in rows)


def first(rows, name):
    return next((row for row in rows if name in row), None)
"""
OWN = "def has(row, name):\n    return name in row\n"
TESTS = (
    "from store.lookup import count, find, first\n\n\n"
    "def test_found():\n    rows = [{'a': 1}, {'b': 2}]\n    assert find(rows, 'a') == rows[:1]\n"
    "    assert count(rows, 'a') == 1\n    assert first(rows, 'b') == rows[1]\n"
)
TASK = (
    "`rows` with None in them\n\n`find`, `count` and `first` fail with a TypeError where a row is None. "
    "Such a row should be passed over.\n"
)
MENDED = {"store/own.py": "def has(row, name):\n    return row is not None and name in row\n"}
WHOLE = {**MENDED, "store/lookup.py": LOOKUP.replace("name in row", "has(row, name)")}
SHOWN = "\n\ndef test_has():\n    assert not has(None, 'a')\n    assert has({'b': 1}, 'b')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("side-by-side"))
    gone: Files = {"shop.py": None, "tests/test_shop.py": None}
    files: Files = {
        "store/__init__.py": "",
        "store/own.py": OWN,
        "store/lookup.py": LOOKUP,
        "tests/test_lookup.py": TESTS,
    }
    opened.repository.commit({**gone, **files})
    return opened


@pytest.mark.parametrize(
    ("name", "change", "task", "conclusion"),
    [
        ("half", MENDED, TASK, "action_required"),
        ("whole", WHOLE, TASK, "success"),
        (
            "told",
            MENDED,
            TASK.replace("`find`, `count` and `first` fail", "`find` fails"),
            "success",
        ),
    ],
)
def test_a_function_that_nothing_of_the_change_reaches_is_asked_about(
    folder: Folder, name: str, change: Files, task: str, conclusion: str
) -> None:
    tests = TESTS.replace("\n\n\n", "\nfrom store.own import has\n\n\n", 1) + SHOWN
    head = folder.branch(name, {**change, "tests/test_lookup.py": tests})
    found = folder.judge(head, task=task)

    assert found.conclusion == conclusion, found.said()
    is_told = "`count` neither changed nor uses" in found.said()
    assert is_told is (name == "half")


ALONE = (
    "Rows of `None`\n\nA row may be None, and `find` fails there. A row that is None has nothing: "
    "`count` must pass over it, so that both agree.\n"
)


COUNTED = (
    "\n\ndef test_count_and_find():\n    assert count([None, {'a': 1}, {'a': 2}], 'a') == 2\n"
    "    assert find([None, {'a': 1}], 'a') == [{'a': 1}]\n"
)


@pytest.mark.parametrize(
    ("name", "change", "more", "conclusion"),
    [("left", MENDED, "", "action_required"), ("reached", WHOLE, COUNTED, "success")],
)
def test_a_function_that_has_to_do_something_and_is_not_reached_is_asked_about(
    folder: Folder, name: str, change: Files, more: str, conclusion: str
) -> None:
    tests = TESTS.replace("\n\n\n", "\nfrom store.own import has\n\n\n", 1) + SHOWN + more
    found = folder.judge(folder.branch(name, {**change, "tests/test_lookup.py": tests}), task=ALONE)
    assert found.conclusion == conclusion, found.said()
    is_told = "the task says what `count` has to do" in found.said()
    assert is_told is (name == "left")


def test_a_row_of_none_that_only_a_test_of_base_has_shows_nothing_of_the_change(
    folder: Folder,
) -> None:
    task = "`first` finds nothing\n\nWhere no row has the name, or `rows` is None, `first` must return 0.\n"
    known = (
        "from store.lookup import count\n\n\ndef test_none():\n    assert count([], None) == 0\n"
    )
    start = folder.branch("none-base", {"tests/test_first.py": known})
    named = "    return next((row for row in rows if name in row), 0)\n"
    fixed = LOOKUP.replace("    return next((row for row in rows if name in row), None)\n", named)
    new = "\n\ndef test_first_finds_nothing():\n    assert first([{'a': 1}], 'b') == 0\n"
    new += "    assert first([], 'a') == 0\n"
    tests = known.replace("import count", "import count, first") + new
    head: Files = {"store/lookup.py": fixed, "tests/test_first.py": tests}
    found = folder.judge(folder.branch("none-half", head, start=start), base=start, task=task)
    assert found.conclusion == "action_required", found.said()
    assert "the task speaks of `None`, and no test of this change has it" in found.said()

    head["store/lookup.py"] = fixed.replace(named, named.replace("in rows", "in rows or ()"))
    head["tests/test_first.py"] = f"{tests}    assert first(None, 'a') == 0\n"
    found = folder.judge(folder.branch("none-whole", head, start=start), base=start, task=task)
    assert found.conclusion == "success", found.said()
