"""What a label holds of a verdict that models, a rule of the gate, or nobody decided."""

from __future__ import annotations

from dataclasses import replace

from bot.github import PullRequest
from bot.values import (
    Decider,
    Deliberation,
    Evaluation,
    Judgement,
    LabelKind,
    Role,
    RoleUsage,
)
from bot.webhook.head_verdict import JudgedHead
from bot.webhook.labelling import Said, verdict_label
from tests.bot.report.examples import success
from tests.bot.webhook.pretended_github import PULL_REQUEST

SAID = Said(LabelKind.DISAGREED, "ben", "no", "comment 31")


def judged(evaluation: Evaluation, judgement: Judgement) -> JudgedHead:
    pull_request: PullRequest = PULL_REQUEST
    address = "https://github.example/octo/hello.git"
    return JudgedHead(pull_request, evaluation.request, evaluation, judgement, address)


def test_the_models_behind_a_verdict_are_named() -> None:
    evaluation = success()
    assert evaluation.judgement
    usage = (
        RoleUsage(Role.PANEL, "one"),
        RoleUsage(Role.PANEL, "two"),
        RoleUsage(Role.ANALYST, "three"),
    )
    evaluation = replace(evaluation, deliberation=Deliberation(usage=usage))
    first, *others = evaluation.judgement.verdicts
    for decider, models in (
        (Decider.PANEL, "one, two"),
        (Decider.STEP, "three"),
        (Decider.ORACLE, ""),
    ):
        verdicts = (replace(first, decided_by=decider), *others)
        judgement = replace(evaluation.judgement, verdicts=verdicts)
        kept = verdict_label(judged(evaluation, judgement), first.requirement_id, SAID)
        assert (kept.model, kept.decided_by) == (models, decider.value)


def test_a_requirement_without_an_answer_is_labelled_too() -> None:
    evaluation = success()
    assert evaluation.judgement
    unanswered = replace(evaluation.judgement, verdicts=())
    wanted = unanswered.requirements.items[0]
    kept = verdict_label(judged(evaluation, unanswered), wanted.id, SAID)
    assert (kept.verdict, kept.decided_by, kept.text) == ("unverified", "nobody", wanted.text)
