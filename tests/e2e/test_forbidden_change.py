"""A task that forbids a change of what is passed speaks of it, and does not ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.folder import Files, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

PROJECT: Files = {
    "requirements.txt": "pytest\n",
    "scores.py": "def ranked(scores):\n    return list(scores)\n",
    "tests/test_scores.py": (
        "from scores import ranked\n\n\ndef test_ranked():\n    assert ranked([1]) == [1]\n"
    ),
}
SORTS: Files = {
    "scores.py": "def ranked(scores):\n    scores.sort()\n    return list(scores)\n",
    "tests/test_sorted.py": (
        "from scores import ranked\n\n\ndef test_ranked_sorts_the_scores():\n"
        "    assert ranked([3, 1, 2]) == [1, 2, 3]\n"
    ),
}
RESULTS = {
    " and does not modify its argument": "action_required",
    ", but not in place": "action_required",
    " in place": "success",
}


def test_a_change_that_is_forbidden_is_not_asked_for(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, PROJECT)
    branch = folder.branch("edit", SORTS)
    for words, conclusion in RESULTS.items():
        task = f"Sort the scores\n\n- [ ] `ranked` sorts the scores{words}\n"
        judged = folder.judge(branch, task=task)
        assert judged.conclusion == conclusion, judged.said()
