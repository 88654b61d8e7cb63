"""A panel negotiates: blind opinions, typed acts, majority, facts, dissent (CodeVisionary, row 10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.models import Model
from pydantic_ai.models.function import FunctionModel

from bot.configuration import JudgePolicy
from bot.judges.agents import Agents
from bot.judges.deliberation import ask_panel
from bot.judges.model.base import BudgetSpent, Prompt, SessionLimits, Tool
from bot.judges.model.session import ModelSession
from bot.text import Delimiter
from bot.values import Act, PanelResult, Role, VerdictOutcome
from tests.bot.judges.cases import (
    EVIDENCE,
    FIXED,
    SUITE,
    WORD,
    Blind,
    act,
    agents,
    judges,
    opinion,
    question,
)
from tests.scripted import Call, Reply

SATISFIED, UNSATISFIED = VerdictOutcome.SATISFIED, VerdictOutcome.UNSATISFIED
UNVERIFIED = VerdictOutcome.UNVERIFIED


def never(judge: int, call: Call) -> Reply:
    raise AssertionError(f"judge {judge} was asked in a round")


async def panel(script: Blind, folder: Path, rounds: int = 4, evidence=EVIDENCE) -> PanelResult:
    asked = judges(script, folder)
    return await ask_panel(agents(asked), question(*evidence), JudgePolicy(rounds=rounds))


async def test_judges_who_agree_blind_do_not_talk(tmp_path: Path) -> None:
    opinions = [opinion("satisfied", "E3", points=points) for points in (2, 3, 4)]
    asked = judges(Blind(opinions, never), tmp_path)
    result = await ask_panel(agents(asked), question(*EVIDENCE), JudgePolicy())
    assert (result.outcome, result.is_agreed, result.score) == (SATISFIED, True, 3.0)
    assert result.evidence_ids == ("E3",)
    assert len(result.rounds) == 1
    assert {call.role for call in asked.calls} == {Role.PANEL}
    facts, sides = zip(*(call.user.rsplit("\n", 1) for call in asked.calls), strict=True)
    assert len(set(facts)) == 1  # nobody saw another's opinion
    assert len(set(sides)) == 3 and all(side.startswith("Look first") for side in sides)


async def test_a_judge_changes_its_mind_and_the_talk_ends(tmp_path: Path) -> None:
    def turn(judge: int, call: Call) -> Reply:
        assert "Judge 3: unverified" in call.user.split(f"[{WORD} begin opinions of the judges]")[1]
        if judge == 3:
            return act("change", "I had not seen E3.", opinion("satisfied", "E3"), j1="agree")
        return act("maintain", j3="query")

    blind = [opinion("satisfied", "E3"), opinion("satisfied", "E3"), opinion("unverified")]
    result = await panel(Blind(blind, turn), tmp_path)
    assert (result.outcome, result.is_agreed, result.dissent) == (SATISFIED, True, ())
    assert [one.number for one in result.rounds] == [0, 1]
    said = [(one.judge, one.act, one.about) for one in result.rounds[1].statements]
    assert said == [
        (1, Act.MAINTAIN, 0),
        (1, Act.QUERY, 3),
        (2, Act.MAINTAIN, 0),
        (2, Act.QUERY, 3),
        (3, Act.CHANGE, 0),
        (3, Act.AGREE, 1),
    ]


async def test_what_was_said_is_told_in_the_next_round(tmp_path: Path) -> None:
    heard: dict[int, list[str]] = {1: [], 2: [], 3: []}

    def turn(judge: int, call: Call) -> Reply:
        heard[judge].append(call.user)
        return act("maintain", f"I am judge {judge}.", **({"j3": "disagree"} if judge == 1 else {}))

    blind = [opinion("satisfied", "E3"), opinion("satisfied", "E3"), opinion("unverified")]
    result = await panel(Blind(blind, turn), tmp_path, rounds=2)
    assert "Judge 1 to judge 3: disagree. I am judge 1." not in heard[3][0]
    assert "Judge 1 to judge 3: disagree. I am judge 1." in heard[3][1]
    assert len(result.rounds) == 3  # as many as the configuration allows, and no more
    assert (result.outcome, result.is_agreed) == (SATISFIED, True)  # two of three
    assert [one.judge for one in result.dissent] == [3]


async def test_who_withdraws_is_asked_no_more_and_still_counts_below_the_line(
    tmp_path: Path,
) -> None:
    asked: list[int] = []

    def turn(judge: int, call: Call) -> Reply:
        asked.append(judge)
        return act("withdraw", "I cannot tell.") if judge > 1 else act("maintain")

    blind = [opinion("satisfied", "E3"), opinion("unverified"), opinion("unverified")]
    result = await panel(Blind(blind, turn), tmp_path)
    assert sorted(asked) == [1, 2, 3]
    assert (result.outcome, result.is_agreed) == (UNVERIFIED, False)  # one of three
    assert [one.problem for one in result.rounds[-1].opinions] == [
        "",
        "It withdrew its opinion.",
        "It withdrew its opinion.",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"explanation": "", "own": "maintain", "others": []},
        {"explanation": "why", "own": "shrug", "others": []},
        {"explanation": "why", "own": "change", "others": []},
        {"explanation": "why", "own": "maintain", "others": [{"judge": 2, "act": "agree"}]},
        act("maintain", j3="agree"),
        act("maintain", j7="agree"),
        "I maintain.",
    ],
)
async def test_an_act_that_is_unexplained_or_off_the_menu_is_asked_again_once(
    wrong: Reply, tmp_path: Path
) -> None:
    turns: list[int] = []

    def turn(judge: int, call: Call) -> Reply:
        turns.append(judge)
        return wrong if judge == 3 else act("maintain")

    blind = [opinion("satisfied", "E3"), opinion("satisfied", "E3"), opinion("unverified")]
    result = await panel(Blind(blind, turn), tmp_path)
    assert turns.count(3) == 2
    last = result.rounds[-1].opinions[2]
    assert not last.counts
    assert "could not be parsed, twice in a row" in last.problem
    assert (result.outcome, result.is_agreed) == (SATISFIED, True)  # two of three remain


async def test_an_unreadable_blind_opinion_is_no_opinion(tmp_path: Path) -> None:
    blind: list[Reply] = ["yes", opinion("satisfied", "E3"), "no"]
    result = await panel(Blind(blind, never), tmp_path)
    assert sum(one.counts for one in result.rounds[0].opinions) == 1
    assert (result.outcome, result.is_agreed) == (UNVERIFIED, False)
    assert "Too few of the 3 judges" in result.reason


async def test_a_lone_dissenter_with_a_failing_step_outweighs_the_votes(tmp_path: Path) -> None:
    blind = [
        opinion("satisfied", "E3"),
        opinion("satisfied", "E3"),
        opinion("unsatisfied", "E4", reason="It fails."),
    ]
    result = await panel(Blind(blind, lambda *_: act("maintain")), tmp_path, rounds=1)
    assert result.outcome is UNSATISFIED
    assert result.evidence_ids == ("E4",)
    assert result.reason == "E4 fails on head, which no vote outweighs. It fails."
    assert [one.judge for one in result.dissent] == [1, 2]


async def test_a_lone_dissenter_without_a_fact_is_shown_and_outvoted(tmp_path: Path) -> None:
    blind = [
        opinion("satisfied", "E3"),
        opinion("satisfied", "E3"),
        opinion("unsatisfied", "E3", reason="I read it otherwise."),
    ]
    result = await panel(Blind(blind, lambda *_: act("maintain")), tmp_path, rounds=1)
    assert result.outcome is SATISFIED
    assert [(one.judge, one.reason) for one in result.dissent] == [(3, "I read it otherwise.")]


async def test_no_majority_is_for_a_person(tmp_path: Path) -> None:
    blind = [opinion("satisfied", "E3"), opinion("unsatisfied", "E3"), opinion("unverified")]
    result = await panel(Blind(blind, lambda *_: act("maintain")), tmp_path)
    assert (result.outcome, result.is_agreed) == (UNVERIFIED, False)
    assert result.reason == "The judges did not agree."
    assert result.evidence_ids == ()
    assert len(result.rounds) == 5
    assert [one.judge for one in result.dissent] == [1, 2]


async def test_nobody_talks_where_no_opinion_counts(tmp_path: Path) -> None:
    blind = [opinion("satisfied", "E1")] * 3
    result = await panel(Blind(blind, never), tmp_path, evidence=(SUITE,))
    assert result.outcome is UNVERIFIED
    assert "E1 is the whole test suite" in result.reason


async def test_a_change_to_what_does_not_hold_does_not_count(tmp_path: Path) -> None:
    def turn(judge: int, call: Call) -> Reply:
        return act("change", new=opinion("satisfied", "E99"))

    blind = [opinion("satisfied", "E3"), opinion("unverified"), opinion("unverified")]
    result = await panel(Blind(blind, turn), tmp_path, rounds=1)
    assert result.outcome is UNVERIFIED
    assert not any(one.counts for one in result.rounds[1].opinions)


async def test_a_budget_that_ends_in_a_round_ends_the_panel(tmp_path: Path) -> None:
    blind = [opinion("satisfied", "E3"), opinion("unverified"), opinion("unverified")]
    asked = judges(Blind(blind, lambda *_: act("maintain")), tmp_path)
    spent = asked.session(SessionLimits(usd=0.0, minutes=1.0))
    with pytest.raises(BudgetSpent):
        await ask_panel(Agents(spent, Delimiter(WORD)), question(FIXED), JudgePolicy())


async def test_a_talk_that_was_had_is_not_paid_again(tmp_path: Path) -> None:
    blind = [opinion("satisfied", "E3"), opinion("satisfied", "E3"), opinion("unverified")]
    script = Blind(blind, lambda *_: act("maintain"))
    first = await panel(script, tmp_path, rounds=2)
    assert await panel(Blind([], never), tmp_path, rounds=2) == first


async def test_judges_with_models_of_their_own_are_asked_the_same(tmp_path: Path) -> None:
    asked = judges(Blind([opinion("satisfied", "E3")] * 3, never), tmp_path)
    session = asked.session()
    named = replace(session, models=lambda prompt, tools: _named(session, prompt, tools))
    await ask_panel(Agents(named, Delimiter(WORD)), question(*EVIDENCE), JudgePolicy())
    assert len({call.user for call in asked.calls}) == 1


def _named(session: ModelSession, prompt: Prompt, tools: Sequence[Tool]) -> Model:
    model = session.models(prompt, tools)
    assert isinstance(model, FunctionModel)
    return FunctionModel(model.function, model_name=f"model {prompt.sample}")
