"""One order for several patches: by what was judged, and a tie where that says nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.report.machine import ReportDocument, machine, read_machine
from bot.report.ranking import Contestant, NotComparable, ranking
from bot.report.view import view
from bot.values import Evaluation, VerdictOutcome
from tests.bot.report.examples import (
    empty_diff,
    one_missing,
    regression,
    success,
    weakened_tests,
)


def document(evaluation: Evaluation) -> ReportDocument:
    return read_machine(machine(view(evaluation)).encode())


def test_conclusion_then_requirements_then_what_is_refuted() -> None:
    met, missing, broken = map(document, (success(), one_missing(), regression()))
    refuted = replace(
        missing,
        requirements=tuple(
            replace(row, verdict=VerdictOutcome.UNSATISFIED)
            if row.verdict is VerdictOutcome.UNVERIFIED
            else row
            for row in missing.requirements
        ),
    )
    worse = document(weakened_tests())
    named = {"refuted": refuted, "worse": worse, "met": met, "broken": broken, "missing": missing}
    ranks = ranking([Contestant(name, report) for name, report in named.items()])
    assert [(one.place, one.name) for one in ranks] == [
        (1, "met"), (2, "missing"), (3, "refuted"), (4, "broken"), (5, "worse"),
    ]  # fmt: skip
    assert ranks[0].reason == ""
    assert ranks[1].reason.startswith("Its conclusion is action_required")
    assert ranks[2].reason.startswith("It fails 1 requirement that could not be decided")
    assert ranks[4].reason.startswith("It meets ")
    assert ranks[3].unmet == ("B2",)


def test_what_nothing_tells_apart_is_a_tie() -> None:
    met, broken = document(success()), document(regression())
    ranks = ranking([Contestant(n, r) for n, r in (("b", met), ("c", broken), ("a", met))])
    assert [(one.place, one.is_tied, one.name) for one in ranks] == [
        (1, True, "a"), (1, True, "b"), (3, False, "c"),
    ]  # fmt: skip
    assert ranks[0].reason == ranks[1].reason != ""


def test_other_questions_are_not_compared() -> None:
    report = document(success())
    elsewhere = replace(report, subject=replace(report.subject, base_sha="0" * 40))
    asked = replace(report, requirements=report.requirements[:-1])
    unjudged = document(empty_diff())
    for other, why in (
        (elsewhere, "different commits"),
        (asked, "different requirements"),
        (replace(unjudged, judged=False), "has no verdict"),
    ):
        with pytest.raises(NotComparable, match=why):
            ranking([Contestant("a", report), Contestant("b", other)])
