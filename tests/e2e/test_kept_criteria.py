"""A change is graded by the criteria that base keeps; the score is advice, or the gate's where asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.values import Role
from tests.e2e.folder import FIX, open_folder
from tests.scripted import Call, Reply, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
KEPT = {
    "version": 1,
    "task": "prices",
    "criteria": [{"name": "Whole cents", "description": "d", "accepted_values": ["no", "yes"]}],
}
PATH = ".github/assay/criteria/prices.json"
EASY = {**KEPT, "criteria": [{**KEPT["criteria"][0], "name": "Anything"}]}  # type: ignore[index]


def test_the_score_is_shown_and_only_a_configured_least_score_concludes(tmp_path: Path) -> None:
    def script(call: Call) -> Reply:
        if call.role is not Role.QUANTIFIER:
            return "I do not know."
        assert "Whole cents" in call.user
        assert "Anything" not in call.user.split("begin criteria")[1]
        return {"grades": [{"criterion": 1, "value": "no", "reason": "It <b>rounds</b>."}]}

    folder = open_folder(tmp_path)
    folder.repository.commit({PATH: json.dumps(KEPT)})
    scripted = Scripted(script, tmp_path / "replies")
    change = {**FIX, PATH: json.dumps(EASY)}
    advised = folder.judge(folder.branch("advised", change), models=scripted.open)
    assert advised.document.grading is not None
    assert advised.document.grading.score == 0.0
    assert advised.document.grading.grades[0].points == (0.0, 0.0, 0.0)
    assert "Graded by criteria: 0.00 of 4" in advised.markdown
    assert "<b>" not in advised.markdown
    assert not [one for one in advised.document.reasons if one.rule == "score"]
    folder.repository.git("checkout", "--quiet", "main")
    folder.repository.commit({".github/assay.yml": "gate: {min_score: 3}\n"})
    asked = folder.judge(folder.branch("asked", FIX), models=scripted.open)
    (reason,) = [one for one in asked.document.reasons if one.rule == "score"]
    assert (reason.conclusion, asked.conclusion) == ("failure", "failure")
    assert "0.00 of 4" in reason.text
