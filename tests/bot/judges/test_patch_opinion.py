"""The word on the whole patch: counted over samples, citations held to what exists, doubt flagged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bot.judges.agents import Agents
from bot.judges.material import MOST_EVIDENCE, Material
from bot.judges.model.base import SessionLimits
from bot.judges.patch_opinion import ask_on_patch
from bot.text import Delimiter
from bot.values import (
    ActionKind,
    Evidence,
    PatchOpinion,
    Role,
    Rubric,
    Step,
    Task,
    TaskRubric,
    TaskSource,
    Transition,
    Trust,
    Validity,
)
from sandbox.values import Side
from tests.bot.verdict.cases import observation
from tests.scripted import Call, Reply, Scripted

DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-    return a\n+    return a if a else 0\n+}\n"
SOURCE = TaskSource("issue #7", "mean of nothing is 0", "", Trust.ASKER, 7)
RUBRIC = Rubric("It divides by 0.", ("mean of nothing is 0",), ("any name",), ("bare except",))
GOLDEN = TaskRubric(7, RUBRIC, True, 2, ("ben", "mara"), requirement_ids=("G1", "G2"))
DRAFT = TaskRubric(8, Rubric("DRAFTED", ("x",)), False, 1)


def piece(id_: str, exit_code: int | None, transition: Transition, action: ActionKind) -> Evidence:
    step = Step(id_, "goal", "", ("R1",), action)
    return Evidence(id_, step, observation(1, Side.BASE), observation(exit_code), transition)


EVIDENCE = (
    piece("E1", 0, Transition.FIXED, ActionKind.UNIT_TESTS),
    piece("E2", 1, Transition.REGRESSED, ActionKind.BASH),
    piece("E3", 0, Transition.HELD, ActionKind.LOCATE),
    piece("E4", None, Transition.UNKNOWN, ActionKind.BASH),
)
DOSSIER = Material(Task("t", (SOURCE,)), DIFF, EVIDENCE)


def says(verdict: str, *evidence: str, quotes: tuple[str, ...] = ()) -> Reply:
    return {
        "thought": "It guards the division.",
        "justification": f"So it is {verdict}.",
        "minimality": "nothing",
        "evidence": list(evidence),
        "quotes": list(quotes),
        "verdict": verdict,
    }


async def asked(
    folder: Path,
    *replies: Reply,
    rubrics: tuple[TaskRubric, ...] = (GOLDEN,),
    material: Material = DOSSIER,
) -> tuple[PatchOpinion, list[Call]]:
    """One sample a reply; whoever is asked again has nothing better to say."""
    left = list(replies)
    scripted = Scripted(lambda call: left.pop(0) if left else "no", folder)
    agents = Agents(scripted.session(), Delimiter("mark"))
    return await ask_on_patch(agents, material, rubrics, len(replies)), scripted.calls


async def test_a_sure_verdict_by_a_golden_rubric(tmp_path: Path) -> None:
    opinion, calls = await asked(tmp_path, *[says("VALID", "E1")] * 3)
    assert (opinion.validity, opinion.is_unsure, opinion.doubts) == (Validity.VALID, False, ())
    assert (opinion.evidence_ids, opinion.votes) == (("E1",), (3, 0, 0))
    assert (opinion.thought, opinion.minimality) == ("It guards the division.", "nothing")
    assert opinion.rubric == "rubric of issue #7, version 2"
    assert {call.role for call in calls} == {Role.PATCH}
    for told in (
        "must hold: mean of nothing is 0",
        "must not hold: bare except",
        "may differ: any",
    ):
        assert told in calls[0].user
    assert "mean of nothing" not in calls[0].system
    assert calls[0].user.index("[mark begin task]") < calls[0].user.index("[mark begin rubric]")


@pytest.mark.parametrize("left", [{"minimality": " "}, {}])
async def test_no_word_on_what_is_not_needed_is_no_lost_vote(
    left: dict[str, object], tmp_path: Path
) -> None:
    said = says("VALID", "E1")
    assert isinstance(said, dict)
    del said["minimality"]
    opinion, calls = await asked(tmp_path, {**said, **left})
    assert (opinion.votes, opinion.minimality, len(calls)) == ((1, 0, 0), "nothing", 1)


@pytest.mark.thorough
async def test_a_prompt_stays_short_however_much_was_seen(tmp_path: Path) -> None:
    """A model with a context of 32,000 tokens can still read it."""
    many = tuple(
        replace(one, head=replace(one.head, output="x" * 10_000))
        for one in (
            piece(f"E{n}", 0, Transition.FIXED, ActionKind.DYNAMIC_EXECUTION) for n in range(1, 200)
        )
        if one.head
    )
    _, (call,) = await asked(
        tmp_path,
        says("VALID", "E1"),
        material=replace(DOSSIER, evidence=many, diff="+x\n" * 50_000),
    )
    assert len(call.user) + len(call.system) < 4 * 32_000
    assert call.user.count("Evidence E") == MOST_EVIDENCE


async def test_samples_that_differ_ask_for_a_person(tmp_path: Path) -> None:
    two = [says("INVALID", "E2"), says("VALID", "E1"), says("INVALID", "E2")]
    opinion, _ = await asked(tmp_path, *two)
    assert (opinion.validity, opinion.votes) == (Validity.INVALID, (1, 2, 0))
    assert opinion.is_unsure
    assert opinion.doubts == ("The samples do not agree.",)


async def test_no_majority_is_no_verdict(tmp_path: Path) -> None:
    opinion, _ = await asked(tmp_path, says("INVALID", "E2"), says("VALID", "E1"))
    assert opinion.validity is None
    assert opinion.is_unsure


@pytest.mark.parametrize("cited", [(), ("E9",), ("E3",), ("E4",), ("E2",)])
async def test_a_verdict_that_cites_nothing_that_holds_is_doubtful(
    tmp_path: Path, cited: tuple[str, ...]
) -> None:
    """Nothing, what does not exist, a hint, what did not run, and what speaks against it."""
    opinion, _ = await asked(tmp_path, *[says("VALID", *cited)] * 3)
    assert opinion.evidence_ids == ()
    assert opinion.doubts == ("It cites nothing that holds.",)
    assert opinion.is_unsure


async def test_lines_of_the_diff_can_be_quoted_and_no_others(tmp_path: Path) -> None:
    made_up = ("return b", "}", "++ b/shop.py", "@@ -1 +1 @@")
    opinion, _ = await asked(
        tmp_path, says("INVALID", quotes=("+    return a if a else 0", *made_up))
    )
    assert opinion.quotes == ("return a if a else 0",)
    assert not opinion.is_unsure
    opinion, _ = await asked(tmp_path / "other", says("INVALID", quotes=made_up))
    assert (opinion.quotes, opinion.is_unsure) == ((), True)


async def test_a_draft_or_no_rubric_is_no_doubt_where_all_agree(tmp_path: Path) -> None:
    opinion, calls = await asked(tmp_path, *[says("INVALID", "E2")] * 3, rubrics=())
    assert (opinion.doubts, opinion.is_unsure) == ((), False)
    assert "go by the task alone" in calls[0].user
    opinion, _ = await asked(tmp_path / "d", *[says("INVALID", "E2")] * 3, rubrics=(DRAFT,))
    assert (opinion.doubts, opinion.is_unsure, opinion.is_golden) == ((), False, False)
    assert opinion.rubric == DRAFT.name and DRAFT.name.startswith("draft ")


async def test_no_verdict_says_once_why(tmp_path: Path) -> None:
    opinion, _ = await asked(tmp_path, says("VALID"), says("INVALID"), "no", "no")
    assert (opinion.validity, opinion.is_unsure, opinion.doubts) == (None, True, ())


async def test_a_draft_says_nothing_beside_a_golden_one(tmp_path: Path) -> None:
    opinion, calls = await asked(tmp_path, says("VALID", "E1"), rubrics=(DRAFT, GOLDEN))
    assert opinion.is_golden
    assert "DRAFTED" not in calls[0].user


async def test_a_change_that_speaks_to_judges_is_doubtful(tmp_path: Path) -> None:
    spoken = Material(DOSSIER.task, DIFF, EVIDENCE, "Dear judge")
    opinion, _ = await asked(tmp_path, *[says("VALID", "E1")] * 3, material=spoken)
    assert opinion.is_unsure


async def test_unreadable_replies_and_an_empty_purse_are_no_verdict(tmp_path: Path) -> None:
    opinion, _ = await asked(tmp_path, "fine", "fine", "fine")
    assert (opinion.validity, opinion.votes) == (None, (0, 0, 3))
    assert opinion.problem.startswith("The model's reply could not be parsed, twice")
    scripted = Scripted(lambda call: says("VALID", "E1"), tmp_path / "poor")
    agents = Agents(scripted.session(SessionLimits(0.0, 5)), Delimiter("mark"))
    opinion = await ask_on_patch(agents, DOSSIER, (GOLDEN,), 3)
    assert (opinion.validity, opinion.is_unsure, scripted.calls) == (None, True, [])
    assert "limits.usd" in opinion.problem
