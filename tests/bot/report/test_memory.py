"""The comment remembers: what changed since the last verdict, the older ones, and what is being judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.report.machine import machine, read_machine
from bot.report.markdown import (
    EarlierVerdicts,
    PastVerdict,
    VerdictChange,
    changes_since,
    markdown,
    with_status,
    without_status,
)
from bot.report.view import view
from bot.values import Conclusion, Evaluation, VerdictOutcome
from tests.bot.report.examples import hostile, one_missing, regression, success

LINK, HOME = "https://assay.example/e1", "https://forge.example/acme/slugify"
SHA = "63a418d" + "0" * 33
PAST = PastVerdict(Conclusion.FAILURE, "4 of 5 requirements met", SHA, LINK, "2026-11-22 10:00 UTC")


def since(before: Evaluation, now: Evaluation) -> tuple[VerdictChange, ...]:
    return changes_since(read_machine(machine(view(before)).encode()), view(now))


def test_a_verdict_that_changed_is_named_with_the_commit_it_changed_since() -> None:
    (change,) = since(one_missing(), success())
    assert (change.requirement_id, change.before, change.after) == (
        "R2", VerdictOutcome.UNVERIFIED, VerdictOutcome.SATISFIED,
    )  # fmt: skip
    text = markdown(view(success(), (), HOME), LINK, EarlierVerdicts((PAST,), (change,)))
    head, _, rest = text.partition("<details>")
    assert f"**Since the verdict on [<code>63a418d00000</code>]({HOME}/commit/{SHA}):**" in head
    assert "- Never return an empty slug for non-empty input (R2): unverified → satisfied" in head
    assert "<summary>Earlier verdicts (1)</summary>" in rest
    assert f"4 of 5 requirements met ([report]({LINK})), 2026-11-22 10:00 UTC" in rest


def test_the_same_demands_under_other_numbers_are_no_change() -> None:
    evaluation = success()
    assert evaluation.judgement
    numbers = {"R1": "R7", "R2": "R8"}
    requirements = evaluation.judgement.requirements
    items = tuple(replace(one, id=numbers.get(one.id, one.id)) for one in requirements.items)
    verdicts = tuple(
        replace(one, requirement_id=numbers.get(one.requirement_id, one.requirement_id))
        for one in evaluation.judgement.verdicts
    )
    renumbered = replace(
        evaluation.judgement, requirements=replace(requirements, items=items), verdicts=verdicts
    )
    assert since(evaluation, replace(evaluation, judgement=renumbered)) == ()


def test_what_is_new_and_what_is_gone_is_said() -> None:
    evaluation = success()
    assert evaluation.judgement
    requirements = evaluation.judgement.requirements
    fewer = replace(
        evaluation.judgement, requirements=replace(requirements, items=requirements.items[:-1])
    )
    (gone,) = since(evaluation, replace(evaluation, judgement=fewer))
    assert (gone.before, gone.after) == (VerdictOutcome.SATISFIED, None)
    (new,) = since(replace(evaluation, judgement=fewer), evaluation)
    assert (new.before, new.after) == (None, VerdictOutcome.SATISFIED)


def test_without_a_past_nothing_is_said_of_it() -> None:
    assert "Earlier verdicts" not in markdown(view(success()), LINK)
    assert "Since the verdict" not in markdown(view(success()), LINK, EarlierVerdicts((PAST,)))


@pytest.mark.parametrize("example", [regression, hostile])
def test_the_running_line_keeps_the_verdict_and_the_limit(example) -> None:  # type: ignore[no-untyped-def]
    text = markdown(view(example()), LINK, EarlierVerdicts((PAST,) * 10))
    judging = with_status(text, "e-2", "⏳ Judging abc123… " + "x" * 9_000)

    assert judging.splitlines()[0] == text.splitlines()[0]
    assert "⏳ Judging abc123…" in judging and len(judging.encode()) <= 65_536
    assert without_status(judging, "e-2") == text
    assert without_status(judging, "e-1") == judging, "another evaluation's line is its own"
    again = with_status(judging, "e-3", "⏳ Judging def456…")
    assert "abc123" not in again and without_status(again, "e-3") == text
