"""The rows that an agent repairs from: all that it needs, and nothing that is the maintainers' own."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from bot.report import repair
from bot.report.machine import ReportDocument, machine, read_machine
from bot.report.repair import MOST_EXPLANATION, RepairRow, repair_rows, shown_title
from bot.report.view import view
from bot.task.requirements import TESTS_NOT_WEAKENED
from bot.values import (
    Decider,
    Deliberation,
    Evaluation,
    GateReason,
    GateResult,
    ItemScore,
    Judgement,
    PatchOpinion,
    PlanScore,
    Validity,
    Verdict,
    VerdictOutcome,
)
from bot.verdict.patch_reasons import RULE as PATCH_RULE
from tests.bot.report.examples import (
    EXAMPLES,
    REGRESSED_TEST,
    judged_by_rubric,
    regression,
    success,
    weakened_tests,
)


def document(evaluation: Evaluation) -> ReportDocument:
    return read_machine(machine(view(evaluation)).encode())


def rows(evaluation: Evaluation) -> dict[str, RepairRow]:
    return {row.metric: row for row in repair_rows(document(evaluation))}


def judgement(evaluation: Evaluation) -> Judgement:
    assert evaluation.judgement
    return evaluation.judgement


def test_what_is_met_scores_two_and_says_why() -> None:
    found = rows(success())
    assert {row.score for row in found.values()} == {2}
    assert {row.command for row in found.values()} == {""}
    assert found["B1"].explanation == "Both sides were built."


def test_a_failing_test_is_told_with_its_message_and_the_line_that_runs_it() -> None:
    row = rows(regression())["B2"]
    assert row.score == 0
    assert REGRESSED_TEST.id in row.explanation
    assert "one-two-" in row.explanation
    assert row.command == f"python -m pytest {REGRESSED_TEST.id}"


def test_of_a_weakened_test_base_s_version_is_run() -> None:
    found = rows(weakened_tests())
    assert "tests/test_slugify.py:41: The comparison with" in found[TESTS_NOT_WEAKENED].explanation
    command = found[TESTS_NOT_WEAKENED].command
    assert command.startswith("git restore -s 3f2a9c1e7b64 -W -- tests/test_slugify.py && ")
    assert found["integrity"].explanation.startswith("A test was loosened")
    assert found["R1"].explanation.startswith("Undecided: ")


def test_a_test_plan_keeps_its_half_points() -> None:
    evaluation, unmet = regression(), "B2"
    plan = PlanScore("plan.json", (ItemScore(unmet, "1.1", "It works", 1, "Half of it"),))
    assert (
        rows(replace(evaluation, judgement=replace(judgement(evaluation), plan=plan)))[unmet].score
        == 1
    )


def test_nothing_of_a_rubric_is_told() -> None:
    evaluation = judged_by_rubric()
    held = judgement(evaluation)
    secret = "Cuts at a space, and nowhere else"
    name = evaluation.rubrics[0].name
    items = tuple(
        replace(one, text=secret, origin=name) if one.id == "R1" else one
        for one in held.requirements.items
    )
    verdicts = tuple(
        replace(one, outcome=VerdictOutcome.UNSATISFIED, reason=f"{secret}: it does not.")
        if one.requirement_id == "R1"
        else one
        for one in held.verdicts
    )
    reason = GateReason(PATCH_RULE, evaluation.gate.conclusion, f"Unacceptable: {secret}")
    told = GateReason(
        "requirement", evaluation.gate.conclusion, f"“{secret}”: no", requirement_ids=("R1",)
    )
    gate = GateResult(evaluation.gate.conclusion, f"“{secret}” is not met", (told, reason))
    whole = replace(
        evaluation,
        gate=gate,
        judgement=replace(
            held, requirements=replace(held.requirements, items=items), verdicts=verdicts, gate=gate
        ),
    )
    found = rows(whole)
    assert (found["R1"].score, found["R1"].explanation) == (0, "It is unsatisfied.")
    assert found[PATCH_RULE].score == 0
    text = json.dumps([asdict(row) for row in found.values()]) + shown_title(document(whole))
    rubric = evaluation.rubrics[0].rubric
    for words in (secret, *rubric.requirements, *rubric.acceptable, *rubric.unacceptable):
        assert words not in text
    assert found["B2"].command, "the rest is told as ever"


@pytest.mark.parametrize("decider", [Decider.STEP, Decider.PANEL])
def test_steps_of_judges_are_not_told(decider: Decider) -> None:
    evaluation = regression()
    held = judgement(evaluation)
    observed = evaluation.observed
    assert observed
    (tests,) = observed.evidence
    secret = "python -c 'assert slugify(hidden) == 1'"
    head = tests.head
    assert head
    step = replace(tests.step, id="S9", requirement_ids=("R1",), is_proposed=True)
    mine = replace(
        tests,
        id="S9",
        step=step,
        base=replace(head, command=secret, tests=None),
        head=replace(
            head, command=secret, exit_code=1, output="AssertionError: hidden", tests=None
        ),
    )
    verdict = Verdict("R1", VerdictOutcome.UNSATISFIED, decider, "It does not cut.", ("S9",))
    whole = replace(
        evaluation,
        observed=replace(observed, evidence=(tests, mine)),
        judgement=replace(held, verdicts=(*held.verdicts[:3], verdict, *held.verdicts[4:])),
    )
    row = rows(whole)["R1"]
    assert (row.score, row.command) == (0, "")
    assert row.explanation == "It does not cut."


def test_advice_that_only_people_can_follow_is_left_out() -> None:
    advice = "Fix the failing tests and push. If it is intended, say so, then comment `/judge`."
    held = judgement(regression())
    verdicts = tuple(replace(one, next_step=advice) for one in held.verdicts)
    explanation = rows(replace(regression(), judgement=replace(held, verdicts=verdicts)))[
        "B2"
    ].explanation
    assert explanation.endswith("Fix the failing tests and push.")
    assert "/judge" not in explanation


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_report_has_rows_that_fit(name: str) -> None:
    report = document(EXAMPLES[name]())
    found = repair_rows(report)
    assert bool(found) == report.judged
    for row in found:
        assert row.score in (0, 1, 2)
        assert len(row.explanation) <= MOST_EXPLANATION + 100
        assert row.metric


def test_names_are_those_of_the_rules() -> None:
    assert (repair._WEAKENED, repair._WHOLE_PATCH) == (TESTS_NOT_WEAKENED, PATCH_RULE)


def test_the_opinion_on_the_whole_patch_is_not_told() -> None:
    opinion = PatchOpinion(
        validity=Validity.INVALID, thought="hidden thought", justification="hidden words",
        minimality="", is_unsure=False, rubric="", is_golden=False, evidence_ids=(), quotes=(),
        doubts=(), votes=(0, 3, 0),
    )  # fmt: skip
    told = rows(replace(regression(), deliberation=Deliberation(patch=opinion)))
    assert "hidden" not in json.dumps([asdict(row) for row in told.values()])
