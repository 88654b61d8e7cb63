"""A change that takes back a commit exactly: an issue that names it asks for that, no other words do."""

from __future__ import annotations

import pytest

from bot.task.requirements import comprehend
from bot.values import Conclusion, FourWay, Task, TaskSource, TestChange, Trust, VerdictOutcome
from tests.bot.verdict.cases import (
    DEFAULTS,
    KEPT,
    SHOP_CHANGED,
    comparison,
    gate_of,
    observed,
    requirements,
    verdict_of,
)

SHA = "0a601b07892c9ade91627baed4d6f28c27ab1d8b"
TITLE = "Compare keys without case. (#12)"
GONE = comparison("test_case", TestChange.PASS_TO_FAIL, head_on_head=None)
BACK = observed(
    tests=FourWay(
        (*KEPT, GONE),
        evidence_id="E1",
        takes_back=SHA,
        takes_back_title=TITLE,
        taken_back=(GONE.id,),
    ),
    kinds=SHOP_CHANGED,
)


@pytest.mark.parametrize(
    "title",
    [
        'Please revert "Compare keys without case.", this has to be an option if anything',
        "Revert #12",
        "Undo 0a601b07, it breaks our files",
    ],
)
def test_an_issue_that_names_the_commit_asks_for_its_revert(title: str) -> None:
    wanted = requirements(title)
    found = verdict_of("R1", wanted, BACK)
    assert found.outcome is VerdictOutcome.SATISFIED, found.reason
    assert gate_of(wanted, BACK).conclusion is Conclusion.SUCCESS


def test_a_title_is_met_where_its_text_asks_for_the_revert() -> None:
    wanted = requirements("Keys are lost", "That came with #12.\n\nPlease revert #12.")
    assert gate_of(wanted, BACK).conclusion is Conclusion.SUCCESS
    wanted = requirements("Keys are lost", "It came with #12. Please revert it.")
    assert gate_of(wanted, BACK).conclusion is Conclusion.SUCCESS
    wanted = requirements("Keys are lost", "It came with #12. Please revert #11, it was no help.")
    assert gate_of(wanted, BACK).conclusion is Conclusion.ACTION_REQUIRED
    wanted = requirements("Keys are lost", "That came with #12. Did we revert #11 for this?")
    assert gate_of(wanted, BACK).conclusion is Conclusion.ACTION_REQUIRED


@pytest.mark.parametrize(
    "title",
    [
        "Keys in other case are reported as duplicates",
        'Since "Compare keys without case." we get duplicates',
        'Revert "Compare keys with care"',
        "Revert #123",
        "Do not revert #12",
        "Should we revert #12?",
        "Revert 1a601b07",
    ],
)
def test_any_other_words_leave_it_to_a_person(title: str) -> None:
    wanted = requirements(title)
    assert verdict_of("R1", wanted, BACK).outcome is not VerdictOutcome.SATISFIED
    given = gate_of(wanted, BACK)
    assert given.conclusion is Conclusion.ACTION_REQUIRED
    assert "revert" in {one.rule for one in given.reasons}


def test_the_author_alone_cannot_want_it_and_is_told_so_once() -> None:
    said = TaskSource("pull request #9", f'Revert "{TITLE}"', "It loses keys.", Trust.AUTHOR)
    wanted = comprehend(Task(said.title, (said,)), DEFAULTS, ())
    asks = Conclusion.ACTION_REQUIRED
    given = gate_of(wanted, BACK)
    (told,) = [one for one in given.reasons if one.conclusion is asks]
    assert "takes back commit `0a601b07892c` exactly, with what its tests expected" in told.text
    assert given.title.startswith("1 of 1 requirement")
    assert "the revert needs approval" in given.title


def test_what_the_author_says_beside_a_revert_is_not_shown_by_it() -> None:
    wanted = requirements("Revert #12", author="- [x] Totals are rounded up")
    found = verdict_of("R2", wanted, BACK)
    assert found.outcome is VerdictOutcome.UNVERIFIED
