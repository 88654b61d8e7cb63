"""The view keeps everything that counts, and nothing that must not be shown."""

from __future__ import annotations

import json
from dataclasses import replace

from bot.report.machine import machine
from bot.report.markdown import html, markdown
from bot.report.tests_views import Reached
from bot.report.view import view
from bot.values import (
    CodePlace,
    Decider,
    Impact,
    PlanExtension,
    TestChange,
    TestComparison,
    Trigger,
    VerdictOutcome,
)
from tests.bot.report.examples import (
    EXAMPLES,
    hostile,
    needs_toolchain,
    one_missing,
    regression,
    success,
    superseded,
)
from tests.bot.verdict.cases import comparison, observed, requirements, verdict_of


def test_a_requirement_without_a_verdict_is_unverified_and_counts() -> None:
    evaluation = success()
    assert evaluation.judgement
    judgement = replace(evaluation.judgement, verdicts=evaluation.judgement.verdicts[:-1])
    shown = view(replace(evaluation, judgement=judgement))

    last = shown.requirements[-1].verdict
    assert (last.outcome, last.decided_by) == (VerdictOutcome.UNVERIFIED, Decider.NOBODY)
    assert shown.score.total == 5
    assert (shown.score.checks, shown.score.met_checks) == (3, 3)


def test_the_tests_that_matter_come_worst_first() -> None:
    tests = view(regression()).tests
    assert tests

    assert [group.change for group in tests.shown] == [
        TestChange.PASS_TO_FAIL, TestChange.NEVER_FAILED, TestChange.FLAKY, TestChange.FAIL_TO_PASS,
    ]  # fmt: skip
    assert tests.total == 17


def test_a_test_reaches_the_changed_symbols_that_the_graph_knows() -> None:
    evaluation = regression()
    assert evaluation.observed and evaluation.observed.impact
    (regressed, *_), *_ = (group.tests for group in view(evaluation).tests.shown)  # type: ignore[union-attr]
    assert [place.name for place in regressed.reaches] == ["truncate"]

    unnamed = CodePlace("test/a.test.js", 7)  # a line inside a test that is no definition
    symbol = replace(evaluation.observed.impact.symbols[0], tests=(unnamed,))
    tests = [
        TestComparison(f"test/a.test.js::{name}", TestChange.PASS_TO_FAIL, path="test/a.test.js", line=line)
        for name, line in (("adds", 2), ("sums rows", 5), ("later", 9))
    ]  # fmt: skip
    reached = Reached(Impact((symbol,)), tests)
    assert [len(reached.of(test)) for test in tests] == [0, 1, 0]


def test_what_to_do_next_is_said_once() -> None:
    shown = view(one_missing())

    assert len(shown.next_steps) == 1
    assert shown.next_steps[0].startswith("Add a test that fails on base")


def test_how_to_accept_is_said_once_where_only_another_runner_fails_a_test() -> None:
    test = comparison(
        "test_a", TestChange.FLAKY, runner_of_base="jest 29", runner_of_head="jest 30"
    )
    verdict = verdict_of("B2", requirements(), observed(test))
    evaluation = one_missing()
    assert evaluation.judgement
    judgement = replace(evaluation.judgement, verdicts=(verdict,))
    shown = view(replace(evaluation, judgement=judgement, acceptable=("B2",)))

    assert any("this new version is the reason" in step for step in shown.next_steps)
    assert sum("accept" in step for step in shown.next_steps) == 1


def test_the_plan_is_shown_as_it_was_frozen_with_what_was_added() -> None:
    evaluation = success()
    assert evaluation.plan
    digest, first = evaluation.plan.digest, evaluation.plan.steps[0]
    proposed = replace(first, id="E90", goal="Try open-sesame-42", is_proposed=True)
    extra = PlanExtension(replace(first, id="A1"), "Nobody looked at zero.")
    plan = replace(evaluation.plan, steps=(*evaluation.plan.steps, proposed)).extended(extra)
    shown = view(replace(evaluation, plan=plan, plan_digest=digest), ("open-sesame-42",))

    assert shown.planned
    assert shown.planned.digest == digest
    document = json.loads(machine(shown))["planned"]
    assert [row["id"] for row in document["steps"]][-1] == "E90"
    assert document["added"][0]["reason"] == "Nobody looked at zero."
    for text in (markdown(shown, ""), html(shown), json.dumps(document)):
        assert "Nobody looked at zero." in text
        assert digest[:16] in text
        assert "open-sesame-42" not in text


def test_a_known_secret_appears_nowhere() -> None:
    evaluation = replace(success(), warnings=("the key is open-sesame-42",))

    assert "open-sesame-42" not in machine(view(evaluation, ("open-sesame-42",)))


def test_no_control_bidi_or_token_of_a_hostile_author_is_left_anywhere() -> None:
    text = json.dumps(json.loads(machine(view(hostile()))), ensure_ascii=False)

    assert "ghp_" not in text
    assert not set(text) & set("\x1b\u202e\u202c\u200b\x00\ud800")


def test_a_secret_at_the_cut_of_a_long_output_is_not_left_in_half() -> None:
    token = "ghp_" + "a1B2" * 9
    evaluation = regression()
    assert evaluation.observed
    item = evaluation.observed.evidence[0]
    assert item.head
    for offset in range(9_960, 10_005, 5):
        output = "x" * offset + " " + token + " " + "y" * 30_000
        evidence = (replace(item, head=replace(item.head, output=output)),)
        shown = view(replace(evaluation, observed=replace(evaluation.observed, evidence=evidence)))
        head = shown.evidence[0].head
        assert head
        assert token[:10] not in head.output


def test_the_subject_is_named_as_people_would() -> None:
    request = success().request

    def label(**values: object) -> str:
        changed = replace(request, **values)  # type: ignore[arg-type]
        return view(replace(success(), request=changed)).subject.label

    assert label() == "pull request #9"
    assert label(number=0, trigger=Trigger.LOCAL) == "main…fix-unicode"
    assert label(number=0, trigger=Trigger.MERGE_GROUP) == "merge group"
    patch = {"number": 0, "trigger": Trigger.AGENT_PATCH, "issue": 7, "agent": "robo"}
    assert label(**patch) == "patch by robo for issue #7"


def test_what_ended_early_says_why() -> None:
    assert view(superseded()).problem == "Superseded by 0c4d1e2f9a."
    assert view(needs_toolchain()).needs == ("Python >= 3.13",)
    assert not any(view(EXAMPLES[name]()).judged for name in ("empty_diff", "superseded"))


def test_a_warning_or_remark_is_said_once() -> None:
    evaluation = success()
    assert evaluation.task
    assert evaluation.judgement
    task = replace(evaluation.task, warnings=("A page was not read.",))
    requirements = replace(evaluation.judgement.requirements, remarks=("One was merged.",))
    judgement = replace(evaluation.judgement, requirements=requirements)
    told = ("A page was not read.", "One was merged.")
    shown = view(replace(evaluation, task=task, judgement=judgement, warnings=told))

    assert shown.warnings == told
    for text in (markdown(shown, ""), html(shown)):
        for line in told:
            assert text.count(line) == 1
