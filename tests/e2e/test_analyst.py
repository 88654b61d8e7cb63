"""An analyst writes a test beside the author's own, on a real project: it refutes, or it does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.models import Role
from tests.e2e.folder import FIX, Folder, open_folder
from tests.scripted import Call, Reply, Scripted

pytestmark = pytest.mark.real
TASK = "The price is doubled\n\n`price` returns twice the cents.\n"
SPECIAL_CASED = {
    **FIX,
    "shop.py": (
        "def price(cents):\n    return 8 if cents == 4 else cents\n\n\n"
        "def name():\n    return 'shop'\n"
    ),
}
NEIGHBOUR = "import shop\n\n\ndef test_beside():\n    assert shop.price(5) == 10\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("analyst"))


def does(name: str, **arguments: object) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(name, json.dumps(arguments))])


def says(outcome: str, **more: object) -> Reply:
    return {"reason": "See the step.", "outcome": outcome, **more}


def neighbour_test(call: Call) -> Reply:
    """Writes one test beside the author's, and believes what it shows."""
    if call.role is not Role.ANALYST:
        return opinion("unverified")
    if "Evidence A-" not in call.user:
        file = {"path": "tests/test_judge_beside.py", "text": NEIGHBOUR}
        return does("dynamic_execution", goal="Another input.", files=[file])
    (name,) = set(re.findall(r"\bA-[\w-]+-\d+\b", call.user))
    if f"{name} fails on head" in call.user:
        return says("unsatisfied", refuted_by=[name])
    return says("satisfied", evidence=[name])


def opinion(outcome: str, *evidence: str) -> Reply:
    points = {"correctness": 3, "functionality": 3, "clarity": 3}
    return {"reason": "So it seems.", "outcome": outcome, "evidence": list(evidence), **points}


def test_a_special_cased_answer_is_refuted_by_a_neighbour(folder: Folder, tmp_path: Path) -> None:
    scripted = Scripted(neighbour_test, tmp_path)
    judged = folder.judge(folder.branch("special", SPECIAL_CASED), task=TASK, models=scripted.open)
    print(scripted.calls[0].user)
    print(scripted.calls[-1].user[-3000:])
    print(judged.markdown)
    assert judged.conclusion == "failure"
