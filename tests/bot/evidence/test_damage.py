"""What a test's answer to damage shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.evidence.damage import (
    Why,
    blindness,
    called_in,
    in_lines,
    is_beside,
    noticed_by,
    shown_on_base,
    told_unnoticed,
)
from bot.values import Beside, DamageSeen, TestChange, TestComparison
from sandbox.damage.values import RESULTS, Damage, DamageTrial
from sandbox.values import ChangeStatus, Diff, FileChange, Hunk, Outcome


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


@pytest.mark.parametrize(
    ("source", "called"),
    [
        ("it('sells', function (done) {\n  price(4);\n  done();\n})", {"it", "price"}),
        ("it('sells', done => {\n  price(4);\n  done();\n})", {"it", "price"}),
        ("it('sells', async (t, done) => {\n  price(4);\n  done();\n})", {"it", "async", "price"}),
        (
            "def test_it(client, price):\n    assert client(price(4)) == double(2)\n",
            {"test_it", "double"},
        ),
    ],
)
def test_what_a_test_is_given_is_no_function_that_it_calls(source: str, called: set[str]) -> None:
    found = called_in(TestComparison("t", TestChange.FAIL_TO_PASS, source=source))
    assert found - {"function"} == called


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
        ((trial("emptied", None), NAME_ONLY), True, None),
        (
            (trial("emptied", True), trial("same", True, "", telling=False)),
            True,
            "1 of 1 damage noticed",
        ),
        (
            (trial("emptied", True), trial("same", False, "", telling=False)),
            False,
            "1 of 1 damage noticed",
        ),
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
    assert (blindness(TEST, seen) is not None) is blind
    told = noticed_by([TEST], seen)
    assert (str(told) if told else None) == counted


def test_of_a_line_that_tests_see_what_is_as_on_base_need_not_be_noticed() -> None:
    missed = trial("operator", False)
    kept = replace(missed, damage=replace(missed.damage, is_changed=False))
    there, apart = trial("negated", True), replace(kept, damage=replace(kept.damage, line=2))

    def told(*trials: DamageTrial) -> str:
        return str(noticed_by([TEST], in_lines(DamageSeen(trials))))

    assert told(there, kept) == "1 of 1 damage noticed"
    assert told(there, missed) == told(there, apart) == "1 of 2 damages noticed"


def test_what_was_not_measured_counts_for_nothing() -> None:
    trials = (trial("emptied", False),)
    assert not blindness(TEST, DamageSeen(trials, problem="The tests run an installed copy."))
    assert not blindness(TEST, None)


def test_what_the_change_keeps_from_being_measured_shows_nothing() -> None:
    found = blindness(TEST, DamageSeen((), problem="no copy could be loaded", is_open=True))
    assert found is not None
    assert found.why is Why.OPEN
    assert not blindness(TEST, DamageSeen((), problem="of base", is_open=True, is_of_base=True))


def test_a_test_of_the_authors_runs_what_its_demand_names() -> None:
    own = replace(TEST, written_by_author=True)
    seen = DamageSeen(beside=(Beside(("price",), ("t",)),))
    assert is_beside(own, frozenset({"price", "cents"}), seen) == "`price`"
    assert not is_beside(own, frozenset({"total"}), seen)
    assert not is_beside(replace(own, id="other"), frozenset({"price"}), seen)
    assert not is_beside(TEST, frozenset({"price"}), seen)


def test_damage_in_files_that_a_test_is_not_about_counts_for_nothing() -> None:
    elsewhere = replace(damage("emptied"), path="other.py")
    unnoticed = DamageTrial(elsewhere, (), ("t",))
    assert not blindness(TEST, DamageSeen((unnoticed, NAME_ONLY)))
    assert blindness(TEST, DamageSeen((unnoticed,)))


MISSED = {
    "only-that-nothing-comes-back": ("emptied+ result- result- nothing+", True),
    "one-of-two-results": ("emptied+ result- result+ nothing+", False),
    "what-it-does": ("emptied+ result- result- nothing-", False),
    "an-operator-too": ("emptied+ result- nothing+ operator+", False),
    "taken-back": ("emptied+ result- nothing+ reverted+", False),
    "results-were-not-measured": ("emptied+ nothing+", False),
    "all-emptied-together": ("together+ emptied+ result- nothing+", True),
    "another-function": ("emptied+ result- nothing+ helper+", True),
}


@pytest.mark.parametrize("name", MISSED)
def test_a_test_that_misses_only_a_result_shows_nothing(name: str) -> None:
    text, blind = MISSED[name]
    kinds = {"together": ("emptied", ""), "helper": ("operator", "helper")}
    trials = []
    for word in text.split():
        kind, symbol = kinds.get(word[:-1], (word[:-1], "double"))
        trials.append(trial(kind, word[-1] == "+", symbol, telling=kind not in RESULTS))
    found = blindness(TEST, DamageSeen(tuple(trials)))
    assert (found is not None) is blind
    assert found is None or (found.why, found.function) == (Why.RESULT, "double")


STAND_INS = {
    "with mock.patch('shop.double', return_value=8):": True,
    "with mock.patch.object(shop, 'double', return_value=8):": True,
    "monkeypatch.setattr(shop, 'double', lambda cents: 8)": True,
    "mocker.patch('shop.double')": True,
    "vi.spyOn(shop, 'double').mockReturnValue(8);": True,
    "mock.method(shop, 'double', () => 8);": True,
    "shop.double = lambda cents: 8": True,
    "vi.spyOn(shop, 'double');": False,
    "mock.method(shop, 'double');": False,
    "assert shop.double == 8": False,
    "mock.patch('shop.doubled')": False,
}


@pytest.mark.parametrize("line", STAND_INS)
def test_a_stand_in_of_what_the_change_adds_shows_nothing(line: str) -> None:
    test = replace(TEST, source=f"def test():\n    {line}\n    assert price(4) == 8\n")
    new = replace(damage("emptied"), is_new=True)
    price = trial("emptied", True, "price")
    seen = DamageSeen((price, DamageTrial(new, (), ("t",))))
    assert (blindness(test, seen) is not None) is STAND_INS[line]
    others = DamageSeen((price, DamageTrial(new, ("u",), ("t",))))
    assert blindness(test, others) is None, "another test looks at it"
    changed = DamageSeen((price, DamageTrial(damage("emptied"), (), ("t",))))
    assert blindness(test, changed) is None, "base's tests may look at it"


def test_what_nobody_noticed_is_told_by_line():
    blind = DamageTrial(Damage("shop.py", "constant", 7, "price", "`90` becomes `91`"), (), ("t",))
    crash = DamageTrial(Damage("shop.py", "emptied", 3, "price", "`price` does nothing"), ("t",))
    not_run = DamageTrial(Damage("shop.py", "bound", 9, "price", "`<` becomes `<=`"))
    seen = DamageSeen((crash, blind, not_run))
    assert told_unnoticed(seen) == "shop.py:7: `90` becomes `91`"
    assert told_unnoticed(None) == told_unnoticed(DamageSeen(problem="No.")) == ""


HUNK = Hunk(1, 1, 1, 1, ("-a", "+b"))
SOURCE = FileChange("shop.py", ChangeStatus.MODIFIED, hunks=(HUNK,))
NEW_TEST = FileChange("tests/test_shop.py", ChangeStatus.ADDED, hunks=(HUNK,))
ON_BASE = replace(TEST, head_on_base=Outcome.FAILED, head_on_head=Outcome.PASSED)


def test_what_the_only_hunk_is_needed_for_is_known_from_base() -> None:
    hunks = [damage("reverted")]
    held = replace(ON_BASE, id="held", head_on_base=Outcome.PASSED)
    known = shown_on_base(Diff((SOURCE, NEW_TEST)), [ON_BASE, held], hunks)
    assert known == (DamageTrial(hunks[0], ("t",), ("held",)),)


@pytest.mark.parametrize(
    ("files", "test"),
    [
        ((replace(SOURCE, hunks=(HUNK, HUNK)),), ON_BASE),
        ((replace(SOURCE, status=ChangeStatus.RENAMED),), ON_BASE),
        ((replace(SOURCE, old_mode="100644", new_mode="100755"),), ON_BASE),
        ((SOURCE, replace(NEW_TEST, path="CHANGELOG.md")), ON_BASE),
        ((SOURCE, replace(NEW_TEST, path="pyproject.toml")), ON_BASE),
        ((SOURCE,), replace(ON_BASE, change=TestChange.FLAKY)),
        ((SOURCE,), replace(ON_BASE, not_loaded="ImportError")),
        ((SOURCE,), replace(ON_BASE, head_on_base=None)),
    ],
)
def test_of_any_other_change_nothing_is_known(
    files: tuple[FileChange, ...], test: TestComparison
) -> None:
    assert shown_on_base(Diff(files), [test], [damage("reverted")]) == ()


@pytest.mark.parametrize(
    ("of_hunks", "is_blind"),
    [
        ((trial("reverted", True), trial("reverted", False)), False),
        (
            (trial("reverted", True),),
            True,
        ),  # of the only one nothing more is known than of the whole
        ((trial("reverted", True, telling=False), trial("reverted", False)), True),
        ((), True),
    ],
)
def test_who_needs_one_of_several_hunks_sees_something(
    of_hunks: tuple[DamageTrial, ...], is_blind: bool
) -> None:
    seen = DamageSeen((trial("negated", False, "total"),), of_hunks=of_hunks)
    assert (blindness(TEST, seen) is not None) is is_blind
