"""Each part that can be switched off, and what is not seen any more without it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.store import open_records
from bot.values import ABLATED, EvaluationRequest, Part, Role, Rubric, Trigger
from tests.e2e.folder import FIX, TASK, Files, Folder, Judged, open_folder
from tests.scripted import Call, Reply, Script, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
PAGE: Files = {"index.html": "<!doctype html><html lang=en><title>Shop</title><h1>Two</h1>"}
RUN = {
    "unit_tests",
    "bash",
    "dynamic_execution",
    "shell_interaction",
    "file_comparison",
    "screenshot",
}
RUBRIC = Rubric("`price` gives the cents back.", ("`price` returns twice the cents",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("ablations"))
    opened.repository.commit({".github/assay.yml": "judges: {canary: false}\n"})
    opened.branch("fix", FIX)
    opened.branch("page", PAGE)
    opened.branch("broken", {"shop.py": "def price(cents):\n    return cents\n"})
    return opened


@pytest.fixture(scope="module")
def whole(folder: Folder) -> Judged:
    return folder.judge("fix")


def actions(judged: Judged) -> set[str]:
    """The actions of the steps that showed anything; a build is no step of the plan."""
    return {one.action.value for one in judged.document.evidence}


def verdicts(judged: Judged) -> dict[str, str]:
    return {row.id: row.verdict.value for row in judged.document.requirements}


def is_marked(judged: Judged) -> bool:
    return any(one.rule == ABLATED for one in judged.document.reasons)


def test_with_everything_all_is_seen(whole: Judged) -> None:
    assert whole.conclusion == "success"
    assert {"unit_tests", "damage"} <= actions(whole)
    assert whole.document.impact is not None
    assert any(one.base and one.head for one in whole.document.evidence)
    assert not is_marked(whole)


def test_without_execution_nothing_is_built_or_run(folder: Folder) -> None:
    judged = folder.judge("fix", without=(Part.EXECUTION,))
    assert actions(judged).isdisjoint({*RUN, "damage", "second_look", "nearby_inputs", "examples"})
    assert verdicts(judged) == {
        "B1": "unverified",
        "B2": "unverified",
        "B3": "satisfied",
        "R1": "unverified",
    }
    built = judged.document.environment
    assert (built.digest, built.built_base, built.built_head) == ("", None, None)
    assert judged.document.tests is None or not judged.document.tests.compared
    assert judged.conclusion == "action_required"
    assert "Judged without execution, to measure what that adds." in judged.markdown


def test_without_the_base_side_no_step_shows_base(folder: Folder) -> None:
    judged = folder.judge("fix", without=(Part.BASE_SIDE,))
    assert "unit_tests" in actions(judged)
    assert [one.id for one in judged.document.evidence if one.base] == []
    assert judged.document.tests
    assert judged.document.tests.fail_to_pass == ()
    assert verdicts(judged)["B1"] == "satisfied"
    assert verdicts(judged)["B2"] == "unverified"
    assert judged.conclusion == "action_required"
    broken = folder.judge("broken")
    assert (broken.conclusion, verdicts(broken)["B2"]) == ("failure", "unsatisfied")
    unseen = folder.judge("broken", without=(Part.BASE_SIDE,))
    assert verdicts(unseen)["B2"] == "unverified"


@pytest.mark.skipif(not Path("/usr/bin/chromium").is_file(), reason="no Chromium")
def test_without_a_browser_no_page_is_looked_at(folder: Folder) -> None:
    seen = folder.judge("page", task="The page says two")
    assert "screenshot" in actions(seen)
    assert "B4" in verdicts(seen)
    unseen = folder.judge("page", task="The page says two", without=(Part.BROWSER,))
    assert "screenshot" not in actions(unseen)
    assert "B4" not in verdicts(unseen)
    one_side = folder.judge("page", task="The page says two", without=(Part.BASE_SIDE,))
    (shot,) = [one for one in one_side.document.evidence if one.action == "screenshot"]
    assert {picture.base for picture in shot.pictures} == {""}
    assert all(picture.head for picture in shot.pictures)


def test_without_the_graph_nobody_knows_who_uses_what(folder: Folder) -> None:
    judged = folder.judge("fix", without=(Part.GRAPH,))
    assert judged.document.impact is None
    assert is_marked(judged)
    assert judged.conclusion == "action_required"
    assert {one.conclusion for one in judged.document.reasons if one.rule != ABLATED} <= {"success"}


# --- with models ------------------------------------------------------------------------------


OWN_TEST = "import shop\n\n\ndef test_price_of_five():\n    assert shop.price(5) == 10\n"


POINTS = {"correctness": 3, "functionality": 3, "clarity": 3}


def unsure(call: Call) -> Reply:
    """Models that can tell nothing."""
    return {"reason": "Cannot tell.", "outcome": "unverified", **POINTS}


def divided(call: Call) -> Reply:
    """Analysts that try something, and judges of whom one cannot tell what the others see."""
    if call.role is Role.ANALYST and not re.search(r"A-R\d-1", call.user):
        files = [{"path": "tests/test_judge.py", "text": OWN_TEST}]
        given = json.dumps({"goal": "Another input.", "files": files})
        return ModelResponse(parts=[ToolCallPart("dynamic_execution", given)])
    if call.role is not Role.PANEL or call.sample == 1 or "A-R2-1" not in call.user:
        return unsure(call)
    return {"reason": "It was run.", "outcome": "satisfied", "evidence": ["A-R2-1"], **POINTS}


def asked(
    folder: Folder, tmp_path: Path, *without: Part, issue: int = 0, script: Script = unsure
) -> tuple[Judged, Scripted]:
    scripted = Scripted(script, tmp_path / "-".join(("replies", *without)))
    task = f"{TASK}- [ ] Five cents are ten\n"
    judged = folder.judge(
        "fix", task=task, models=scripted.open, issue=issue, without=tuple(without)
    )
    return judged, scripted


def tools(scripted: Scripted) -> set[str]:
    return {name for one in scripted.calls if one.role is Role.ANALYST for name in one.tools}


def rounds(judged: Judged) -> list[int]:
    """How many rounds each panel held, the blind one with them."""
    assert judged.document.judges
    return [len(one.rounds) for one in judged.document.judges.panels]


def test_analysts_are_not_offered_what_is_off(folder: Folder, tmp_path: Path) -> None:
    offered = tools(asked(folder, tmp_path)[1])
    assert RUN | {"locate", "interaction"} <= offered
    without = tools(asked(folder, tmp_path, Part.BROWSER, Part.GRAPH)[1])
    assert offered - without == {"screenshot", "interaction", "locate"}
    reading = tools(asked(folder, tmp_path, Part.EXECUTION)[1])
    assert reading
    assert reading.isdisjoint(RUN)


def test_without_the_web_nothing_can_be_looked_up(folder: Folder, tmp_path: Path) -> None:
    settings = folder.settings
    try:
        folder.settings = settings.model_copy(update={"search": "pages"})
        assert "web_browsing" in tools(asked(folder, tmp_path / "with")[1])
        assert "web_browsing" not in tools(asked(folder, tmp_path, Part.WEB)[1])
    finally:
        folder.settings = settings


def test_judges_who_do_not_negotiate_are_counted_at_once(folder: Folder, tmp_path: Path) -> None:
    talking, _ = asked(folder, tmp_path, script=divided)
    assert max(rounds(talking)) > 1
    silent, _ = asked(folder, tmp_path, Part.NEGOTIATION, script=divided)
    assert set(rounds(silent)) == {1}


def test_a_rubric_that_is_off_adds_nothing(folder: Folder, tmp_path: Path) -> None:
    with open_records(folder.settings) as records:
        records.keep_rubric(str(folder.repository.folder), 7, RUBRIC)
    judged, scripted = asked(folder, tmp_path, issue=7)
    assert judged.document.rubrics
    assert RUBRIC.root_cause in "".join(call.user for call in scripted.calls)
    judged, scripted = asked(folder, tmp_path, Part.RUBRIC, issue=7)
    assert judged.document.rubrics == ()
    assert RUBRIC.root_cause not in "".join(call.user for call in scripted.calls)


# --- who may ask for it -----------------------------------------------------------------------


@pytest.mark.parametrize("trigger", [one for one in Trigger if one is not Trigger.LOCAL])
def test_what_is_judged_for_others_is_judged_with_everything(trigger: Trigger) -> None:
    with pytest.raises(ValueError, match="with everything"):
        EvaluationRequest("1", "a/b", "", "", "main", trigger, without=(Part.GRAPH,))
