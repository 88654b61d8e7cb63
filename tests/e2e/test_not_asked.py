"""Nobody is paid to judge a head that does not build, and nothing is run where neither side does."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.evaluation.recording import derive_again, read_bundle
from bot.judges.actions import READING
from bot.store import open_artifacts
from bot.values import Role
from tests.e2e.folder import FIX, Folder, open_folder
from tests.scripted import Call, Reply, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
BROKEN = {"requirements.txt": "pytest\n./missing-package\n"}
TASK = "The price is doubled\n\n`price` returns twice the cents.\n"
PLANNING = {Role.COMPREHENSION, Role.PLANNER}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("not-asked"))
    opened.repository.commit({".github/assay.yml": "judges: {canary: false, count: 1}\n"})
    opened.branch("never-builds", BROKEN)
    return opened


def script(call: Call) -> Reply:
    """An analyst that reads once; judges who cannot tell."""
    if call.role is Role.ANALYST and "A-R1-1" not in call.user:
        wanted = {"goal": "See it.", "path": "shop.py", "first": 1, "last": 2}
        return ModelResponse(parts=[ToolCallPart("read", json.dumps(wanted))])
    if call.role is Role.ANALYST:
        return {"reason": "It was only read.", "outcome": "unverified"}
    points = {"correctness": 2, "functionality": 2, "clarity": 2}
    return {"reason": "Who knows.", "outcome": "unverified", "evidence": [], **points}


def asked(scripted: Scripted) -> Counter[Role]:
    return Counter(call.role for call in scripted.calls if call.role not in PLANNING)


def test_a_head_that_breaks_the_build_costs_no_judge(folder: Folder, tmp_path: Path) -> None:
    scripted = Scripted(script, tmp_path)
    head = folder.branch("breaks", {**FIX, **BROKEN})
    judged = folder.judge(head, task=TASK, models=scripted.open)
    assert judged.conclusion == "failure"
    assert asked(scripted) == {}
    assert {call.role for call in scripted.calls} == PLANNING
    assert judged.document.analyses == ()
    assert "Not asked: base builds, but head does not." in judged.markdown
    record = open_artifacts(folder.settings).get(judged.key, "replay.json")
    assert record is not None
    bundle = read_bundle(record)
    calls = len(scripted.calls)
    again = asyncio.run(derive_again(bundle, scripted.session()))
    assert len(scripted.calls) == calls
    assert again.gate == bundle.judgement.gate


def test_where_neither_side_builds_an_analyst_may_read(folder: Folder, tmp_path: Path) -> None:
    scripted = Scripted(script, tmp_path)
    head = folder.branch("still-broken", FIX, "never-builds")
    judged = folder.judge(head, "never-builds", task=TASK, models=scripted.open)
    assert judged.conclusion == "action_required"
    counted = asked(scripted)
    assert counted[Role.ANALYST] == 2
    assert counted[Role.PANEL] == 1
    for call in scripted.calls:
        if call.role is Role.ANALYST:
            assert {"read", "search", "locate"} <= set(call.tools) <= set(READING)
            assert "nothing can be run" in call.user
    (step,) = [one for one in judged.document.evidence if one.id == "A-R1-1"]
    assert step.action == "read"


def test_where_both_build_everything_may_be_run(folder: Folder, tmp_path: Path) -> None:
    scripted = Scripted(script, tmp_path)
    folder.judge(folder.branch("right", FIX), task=TASK, models=scripted.open)
    (first, *_) = [call for call in scripted.calls if call.role is Role.ANALYST]
    assert {"bash", "dynamic_execution", "unit_tests"} <= set(first.tools)
    assert "nothing can be run" not in first.user
