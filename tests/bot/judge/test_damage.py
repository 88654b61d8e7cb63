"""What a test's answer to damage shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.judge.damage import is_blind, noticed_by
from bot.models import DamageSeen, TestChange, TestComparison
from sandbox.damage.values import Damage, DamageTrial


def damage(kind: str, symbol: str = "double", *, is_telling: bool = True) -> Damage:
    return Damage("shop.py", kind, 1, symbol, "it does nothing", is_telling)


def trial(
    kind: str, seen: bool | None, symbol: str = "double", *, telling: bool = True
) -> DamageTrial:
    ran = ("t",) if seen is not None else ()
    one = damage(kind, symbol, is_telling=telling)
    return DamageTrial(one, ran if seen else (), () if seen else ran)


TEST = TestComparison(
    "t", TestChange.FAIL_TO_PASS, source="def test():\n    assert double(4) == 8\n"
)
NAME_ONLY = trial("reverted", True, telling=False)
CALLED_ONLY = trial("raises", True, telling=False)


@pytest.mark.parametrize(
    ("trials", "blind", "counted"),
    [
        ((), False, None),
        ((trial("emptied", True),), False, "1 of 1 damage noticed"),
        ((trial("emptied", False),), True, "0 of 1 damage noticed"),
        ((trial("emptied", False), NAME_ONLY, CALLED_ONLY), True, "0 of 1 damage noticed"),
        ((trial("emptied", False), trial("negated", True)), False, "1 of 2 damages noticed"),
        ((trial("emptied", None), NAME_ONLY), False, None),
        ((trial("emptied", None), trial("raises", False, telling=False)), True, None),
        (
            (trial("emptied", True, "patch"), trial("emptied", False)),
            True,
            "1 of 2 damages noticed",
        ),
        (
            (trial("emptied", True, "helper"), trial("emptied", False, "other")),
            False,
            "1 of 2 damages noticed",
        ),
    ],
)
def test_what_a_test_shows(
    trials: tuple[DamageTrial, ...], blind: bool, counted: str | None
) -> None:
    seen = DamageSeen(trials)
    assert is_blind(TEST, seen) is blind
    told = noticed_by([TEST], seen)
    assert (str(told) if told else None) == counted


def test_what_was_not_measured_counts_for_nothing() -> None:
    trials = (trial("emptied", False),)
    assert not is_blind(TEST, DamageSeen(trials, problem="The tests run an installed copy."))
    assert not is_blind(TEST, None)


def test_damage_in_files_that_a_test_is_not_about_counts_for_nothing() -> None:
    elsewhere = replace(damage("emptied"), path="other.py")
    unnoticed = DamageTrial(elsewhere, (), ("t",))
    assert not is_blind(TEST, DamageSeen((unnoticed, NAME_ONLY)))
    assert is_blind(TEST, DamageSeen((unnoticed,)))
