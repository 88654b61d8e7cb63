"""What must stay: shown by tests that hold on both sides and notice damage, refuted by what broke."""

from __future__ import annotations

from bot.evidence.case import open_case
from bot.values import DamageSeen, Decider, TestChange, VerdictOutcome
from bot.verdict.keeping import proofs_of_each
from sandbox.damage.values import Damage, DamageTrial
from tests.bot.verdict.cases import (
    DEFAULTS,
    SHOP_CHANGED,
    SPLIT,
    comparison,
    observed,
    requirements,
    verdict_of,
)

SATISFIED, UNSATISFIED, UNVERIFIED = VerdictOutcome
BODY = (
    "## Requirements\n- `split` refuses zero people\n- The sign of `round_total` must stay\n"
    "- Include a test."
)
WANTED = requirements("split should refuse zero people", BODY)
(KEEP,) = (one.id for one in WANTED.items if "must stay" in one.text)
(TESTS,) = (one.id for one in WANTED.items if one.text == "Include a test.")
SOURCE = "def test_round_total_keeps_the_sign():\n    assert round_total(-105) == -100\n"
NAME = "test_round_total_keeps_the_sign"
HELD = comparison(NAME, TestChange.PASS_TO_PASS, SOURCE)
BROKEN = comparison(NAME, TestChange.PASS_TO_FAIL, SOURCE)
NEW = comparison(NAME, TestChange.NEVER_FAILED, SOURCE)


def damaged(test_id: str, *, noticed: bool) -> DamageSeen:
    damage = Damage("src/shop.py", "constant", 3, "round_total", "a constant changed")
    sides = ((test_id,), ()) if noticed else ((), (test_id,))
    return DamageSeen((DamageTrial(damage, *sides),), evidence_id="D1")


def seen(*tests, damage=None):
    return observed(SPLIT, *tests, damage=damage, kinds=SHOP_CHANGED)


def test_a_held_test_that_notices_damage_shows_that_it_stayed():
    given = verdict_of(KEEP, WANTED, seen(HELD, damage=damaged(HELD.id, noticed=True)))
    assert (given.outcome, given.decided_by, given.tests) == (
        SATISFIED,
        Decider.ORACLE,
        (HELD.id,),
    )
    assert "D1" in given.evidence_ids and given.damages_noticed == 1
    by_author = verdict_of(KEEP, WANTED, seen(NEW, damage=damaged(NEW.id, noticed=True)))
    assert (by_author.outcome, by_author.decided_by) == (SATISFIED, Decider.AUTHORS_TEST)


def test_a_held_test_that_sees_no_damage_shows_nothing():
    blind = verdict_of(KEEP, WANTED, seen(HELD, damage=damaged(HELD.id, noticed=False)))
    unmeasured = verdict_of(KEEP, WANTED, seen(HELD))
    assert (blind.outcome, unmeasured.outcome) == (UNVERIFIED, UNVERIFIED)
    assert "notices damage" in blind.reason and "Add a test of what must stay" in blind.next_step


def test_what_passed_on_base_and_fails_on_head_refutes_it():
    given = verdict_of(KEEP, WANTED, seen(BROKEN))
    assert (given.outcome, given.decided_by) == (UNSATISFIED, Decider.ORACLE)
    assert NAME in given.reason


def test_tests_of_what_must_stay_are_run_on_damaged_copies_too():
    groups = proofs_of_each(open_case(WANTED, seen(HELD), DEFAULTS))
    assert frozenset({HELD.id}) in [one.tests for one in groups] and len(groups) == 2


def test_include_a_test_is_judged_by_the_diff():
    assert verdict_of(TESTS, WANTED, seen()).outcome is SATISFIED
    assert verdict_of(TESTS, WANTED, observed(kinds=SHOP_CHANGED)).outcome is UNSATISFIED


def test_a_demand_to_test_leaves_the_only_behaviour_alone_with_its_proof():
    """The author's test shares no two words with it; nothing else could be what it fails without."""
    wanted = requirements("t", "## Requirements\n- nobody pays a share\n- Include a test.")
    odd = comparison(
        "test_x", TestChange.FAIL_TO_PASS, "def test_x():\n    assert share(0) is None\n"
    )
    (first,) = (one for one in wanted.items if "nobody" in one.text)
    assert verdict_of(first.id, wanted, observed(odd)).outcome is SATISFIED


def test_tests_that_call_what_a_sole_demand_names_speak_for_it_too():
    wanted = requirements("Restore the `code_point` export")
    exported = comparison(
        "test_code_point_is_an_export",
        TestChange.FAIL_TO_PASS,
        "def test_code_point_is_an_export():\n    assert callable(shop.code_point)\n",
    )
    called, other = (
        comparison(name, TestChange.FAIL_TO_PASS, f"def {name}():\n    assert {line}\n")
        for name, line in (("test_letters", "code_point('a') == 97"), ("test_sum", "total(1) == 1"))
    )
    (group,) = proofs_of_each(open_case(wanted, observed(exported, called, other), DEFAULTS))

    assert group.tests == {exported.id, called.id}
