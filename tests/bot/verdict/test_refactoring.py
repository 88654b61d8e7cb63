"""A change that is called a refactoring, by what is known of damage to its lines."""

from __future__ import annotations

from bot.values import DamageSeen, TestChange, VerdictOutcome
from sandbox.damage.values import Damage, DamageTrial
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


def given(*untried: Damage) -> VerdictOutcome:
    seen = DamageSeen((NOTICED,), evidence_id="D1", is_of_base=True, untried=untried)
    return verdict_of(
        REFACTOR, WANTED, observed(SPLIT, HELD, damage=seen, kinds=SHOP_CHANGED)
    ).outcome


def test_tests_that_notice_all_damage_show_it():
    assert given() is VerdictOutcome.SATISFIED
    assert given(Damage("src/shop.py", "emptied", 2, "total", "")) is VerdictOutcome.SATISFIED


def test_damage_that_there_was_no_time_for_might_go_unnoticed():
    late = Damage("src/shop.py", "negated", 4, "total", "a condition is the other way round")
    assert given(late) is VerdictOutcome.UNVERIFIED
