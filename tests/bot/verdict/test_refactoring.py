"""A change that is called a refactoring, by what is known of damage to its lines."""

from __future__ import annotations

import pytest

from bot.task.categories import is_refactoring
from bot.values import DamageSeen, TestChange, Verdict, VerdictOutcome
from sandbox.damage.values import Damage, DamageTrial
from sandbox.values import ChangedFile, ChangeKind
from tests.bot.verdict.cases import (
    SHOP_CHANGED,
    SPLIT,
    comparison,
    observed,
    requirements,
    verdict_of,
)

SOURCE = "def test_total():\n    assert total([1, 2]) == 3\n"
HELD = comparison("test_total", TestChange.PASS_TO_PASS, SOURCE)
WANTED = requirements("Refactor `total` to be shorter", "")
(REFACTOR,) = (one.id for one in WANTED.items if one.text.startswith("Refactor"))
NOTICED = DamageTrial(
    Damage("src/shop.py", "constant", 3, "total", "a constant changed"), (HELD.id,)
)


LATE = Damage("src/shop.py", "negated", 4, "total", "a condition is the other way round")


def given(*untried: Damage, trials: tuple[DamageTrial, ...] = (NOTICED,)) -> Verdict:
    seen = DamageSeen(trials, evidence_id="D1", is_of_base=True, untried=untried)
    return verdict_of(REFACTOR, WANTED, observed(SPLIT, HELD, damage=seen, kinds=SHOP_CHANGED))


def test_tests_that_notice_all_damage_show_it():
    assert given().outcome is VerdictOutcome.SATISFIED
    late = Damage("src/shop.py", "emptied", 2, "total", "")
    assert given(late).outcome is VerdictOutcome.SATISFIED


def test_damage_that_there_was_no_time_for_might_go_unnoticed():
    verdict = given(LATE)

    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert "1 of 1 damage noticed, 1 not tried in time" in verdict.reason
    assert "limits.damage" in verdict.next_step


def test_damage_with_which_no_test_came_to_an_end_might_go_unnoticed():
    verdict = given(trials=(NOTICED, DamageTrial(LATE)))

    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert "1 of 1 damage noticed, 1 not tried in time" in verdict.reason
    unloaded = DamageTrial(LATE, unloaded=(HELD.id,))
    assert given(trials=(NOTICED, unloaded)).outcome is VerdictOutcome.SATISFIED


def test_time_is_not_asked_for_where_damage_goes_unnoticed():
    missed = DamageTrial(LATE, (), (HELD.id,))
    verdict = given(LATE, trials=(NOTICED, missed))

    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert "limits.damage" not in verdict.next_step


def test_comments_are_not_called_source_code():
    kinds = (ChangedFile("src/shop.py", ChangeKind.COMMENTS),)
    seen = observed(SPLIT, HELD, changed_paths=("src/shop.py",), kinds=kinds)
    verdict = verdict_of(REFACTOR, WANTED, seen)

    assert verdict.outcome is VerdictOutcome.SATISFIED
    assert "and comments and docstrings changed: `src/shop.py`" in verdict.reason


@pytest.mark.parametrize(
    ("title", "is_so"),
    [
        ("Refactor `total` to be shorter", True),
        ("refactor: make total shorter", True),
        ("chore: update the build", False),
        ("docs: explain total", False),
        ("Fix total of nothing", False),
    ],
)
def test_which_changes_are_called_a_refactoring(title: str, is_so: bool):
    assert is_refactoring(requirements(title, "")) is is_so
