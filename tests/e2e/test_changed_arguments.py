"""A function that began to change what it is given, where base only returned a new value."""

from __future__ import annotations

import pytest

from tests.e2e.folder import Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

CODE, TESTED = "merging.py", "tests/test_nested.py"
BASE = (
    "def merge(first, second):\n    return {**first, **second}\n\n\n"
    "def ranked(scores):\n    return scores\n"
)
PROJECT: Files = {
    "requirements.txt": "pytest\n",
    CODE: BASE,
    "tests/test_merging.py": (
        "from merging import merge\n\n\ndef test_merge():\n"
        "    assert merge({'a': 1}, {'b': 2}) == {'a': 1, 'b': 2}\n"
    ),
}
LOOP = (
    "    for key, value in second.items():\n"
    "        both = isinstance(value, dict) and isinstance(merged.get(key), dict)\n"
    "        merged[key] = merge(merged[key], value) if both else value\n"
    "    return merged"
)
TASK = "merge() should merge nested dictionaries\n\n- [ ] `merge` merges nested dictionaries\n"
ASKS = (
    "from merging import merge\n\n\ndef test_merge_merges_nested_dictionaries():\n"
    "    assert merge({'a': {'x': 1}}, {'a': {'y': 2}}) == {'a': {'x': 1, 'y': 2}}\n"
)
SORTED = (
    "Sort the scores\n\n- [ ] `ranked` sorts the scores, and must leave the given list as it is\n"
)
SORT_ASKS = (
    "from merging import ranked\n\n\ndef test_ranked_sorts_the_scores():\n"
    "    assert ranked([3, 1, 2]) == [1, 2, 3]\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("merging"), PROJECT)


def _merging(start: str) -> Files:
    merge = f"    merged = {start}\n{LOOP}"
    return {CODE: BASE.replace("    return {**first, **second}", merge), TESTED: ASKS}


def test_a_function_that_changes_its_argument_now_asks_a_person(folder: Folder) -> None:
    judged = folder.judge(folder.branch("mutated", _merging("first")), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "it now changes what it is given." in judged.said()


@pytest.mark.parametrize(
    ("name", "start", "words"),
    [("copied", "dict(first)", ""), ("asked", "first", " into the first one, in place")],
)
def test_a_copy_and_a_change_that_is_asked_for_are_a_success(
    folder: Folder, name: str, start: str, words: str
) -> None:
    judged = folder.judge(folder.branch(name, _merging(start)), task=f"{TASK.rstrip()}{words}\n")
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("name", "body", "conclusion"),
    [
        ("sorted-in-place", "    scores.sort()\n    return scores", "action_required"),
        ("sorted", "    return sorted(scores)", "success"),
    ],
)
def test_what_the_task_wants_left_as_it_is_must_not_change(
    folder: Folder, name: str, body: str, conclusion: str
) -> None:
    code = BASE.replace("    return scores", body)
    branch = folder.branch(name, {CODE: code, TESTED: SORT_ASKS})
    judged = folder.judge(branch, task=SORTED)
    assert judged.conclusion == conclusion, judged.said()


def test_a_function_that_gives_back_what_it_was_given_may_change_it(folder: Folder) -> None:
    code = BASE.replace("    return scores", "    scores.sort()\n    return scores")
    branch = folder.branch("given-back", {CODE: code, TESTED: SORT_ASKS})
    judged = folder.judge(branch, task="Sort the scores\n\n- [ ] `ranked` sorts the scores\n")
    assert judged.conclusion == "success", judged.said()
