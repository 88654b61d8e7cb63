"""A change that is called a refactoring, by what is known of damage to its lines."""

from __future__ import annotations

import pytest

from bot.task.categories import keeps_behavior
from bot.task.requirements import comprehend
from bot.values import DamageSeen, Task, TaskSource, TestChange, Trust, Verdict, VerdictOutcome
from sandbox.damage.values import Damage, DamageTrial
from sandbox.values import ChangedFile, ChangeKind
from tests.bot.verdict.cases import (
    DEFAULTS,
    SHOP_CHANGED,
    SPLIT,
    comparison,
    observed,
    requirements,
    verdict_of,
)

SATISFIED, UNVERIFIED = VerdictOutcome.SATISFIED, VerdictOutcome.UNVERIFIED
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


def test_no_test_is_asked_for_where_no_damage_could_be_noticed():
    emptied = Damage("src/shop.py", "emptied", 2, "total", "")
    verdict = given(trials=(DamageTrial(emptied, (HELD.id,)),))
    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert verdict.reason.endswith("of `src/shop.py` was tried that tests could notice.")
    assert "Add a test" not in verdict.next_step


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
        ("Sum could be a dataclass", True),
        ("Split `main` into one function per command", True),
        ("Split `text` into words, one function call each", False),
        ("Split `total` into net and tax", False),
        ("Make `total` fast for long lists", True),
        ("Turn `Sum` into a named tuple", True),
        ("Use reduce in total", True),
        ("Use `sum()` instead of a loop in `total`", True),
        ("Use the prices in euros", False),
        ("Use node:util stripVTControlCharacters instead of own code (#2486)", True),
        ("Replace our own `add` with `math.fsum`", True),
        ("Use cents instead of euros", False),
        ("Use ValueError instead of custom errors", False),
        ("Use your own currency instead of euros", False),
        ("perf: add up in one pass", True),
        ("`total` gets slower with each price", True),
        ("`total` is slow with many prices", True),
        ("`total` is super slow", True),
        ("Performance: `total` adds up twice", True),
        ("The sum was there twice, `total` too. No functional changes.", True),
        ("Preparation for #8: adding up gets its own module", True),
        ("Bumps [kit](https://example.com/kit) from 1.0.0 to 1.1.1.", True),
        ("CI fails as the runner is slow and takes longer", False),
        ("Fix quadratic complexity in `total`", True),
        ("Solve quadratic equations", False),
    ],
)
def test_which_changes_are_called_a_refactoring(title: str, is_so: bool):
    assert keeps_behavior(requirements(title, "")) is is_so


def spoken(title: str, trust: Trust, **seen: object) -> Verdict:
    """The verdict on a title that nobody shows by a test."""
    said = TaskSource("it", title, "", trust)
    wanted = comprehend(Task(title, (said,)), DEFAULTS, ())
    (one,) = wanted.beside_baseline
    return verdict_of(one.id, wanted, observed(HELD, **{"kinds": SHOP_CHANGED, **seen}))


def test_what_is_to_be_faster_does_what_it_did():
    damage = DamageSeen((NOTICED,), evidence_id="D1", is_of_base=True)
    verdict = spoken("perf: add up in one pass", Trust.AUTHOR, damage=damage)
    assert verdict.outcome is VerdictOutcome.SATISFIED
    assert "How fast it is was not measured." in verdict.reason
    asked = spoken("`total` gets slower with each price", Trust.ASKER, damage=damage)
    assert asked.outcome is VerdictOutcome.UNVERIFIED
    assert "But how fast it is was not measured." in asked.reason and "D1" in asked.evidence_ids
    assert "test" not in asked.next_step and "a person can then accept it" in asked.next_step
    unseen = DamageSeen((NOTICED, DamageTrial(LATE, (), (HELD.id,))), is_of_base=True)
    verdict = spoken("perf: add up in one pass", Trust.AUTHOR, damage=unseen)
    assert verdict.reason.endswith("How fast it is was not measured either.")
    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert f"None noticed that {LATE.what} ({LATE.path}:{LATE.line})." in verdict.reason


@pytest.mark.parametrize(
    "title", ["Removed support for Python 3.9", "Bump `pandas` from 1.5 to 2.0"]
)
def test_code_that_goes_with_a_release_or_a_dependency_does_what_it_did(title):
    damage = DamageSeen((NOTICED,), evidence_id="D1", is_of_base=True)
    assert spoken(title, Trust.AUTHOR, damage=damage).outcome is VerdictOutcome.SATISFIED
    unseen = DamageSeen((NOTICED, DamageTrial(LATE, (), (HELD.id,))), is_of_base=True)
    verdict = spoken(title, Trust.AUTHOR, damage=unseen)
    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert f"None noticed that {LATE.what} ({LATE.path}:{LATE.line})." in verdict.reason


@pytest.mark.parametrize(
    ("title", "path", "outcome"),
    [
        ("Reintroduce tox and test the project", ".github/workflows/ci.yml", SATISFIED),
        ("Fix the crash of `total`", ".github/workflows/ci.yml", UNVERIFIED),
        ("Reintroduce tox and test the project", "pyproject.toml", UNVERIFIED),
    ],
)
def test_what_runs_the_checks_needs_no_test(title, path, outcome):
    paths = ("src/shop.py", path)
    kinds = [
        ChangedFile(*one)
        for one in zip(paths, (ChangeKind.COMMENTS, ChangeKind.SETUP), strict=True)
    ]
    verdict = spoken(title, Trust.AUTHOR, kinds=(*kinds,), changed_paths=paths)
    assert verdict.outcome is outcome, verdict


@pytest.mark.parametrize(
    ("title", "kind", "outcome"),
    [
        ("TS2345: `total` takes no readonly array", ChangeKind.TYPES, VerdictOutcome.SATISFIED),
        ("`total` has no type hints", ChangeKind.TYPES, VerdictOutcome.SATISFIED),
        ("`total` takes no readonly array", ChangeKind.TYPES, VerdictOutcome.UNVERIFIED),
        ("`total` has no type hints", ChangeKind.CODE, VerdictOutcome.UNVERIFIED),
    ],
)
def test_a_demand_about_types_needs_no_test_where_only_types_changed(title, kind, outcome):
    verdict = spoken(title, Trust.ASKER, kinds=(ChangedFile("src/shop.py", kind),))
    assert verdict.outcome is outcome


def test_types_may_come_with_a_line_in_a_build_file():
    types = ChangedFile("src/shop.py", ChangeKind.TYPES)
    build = ChangedFile("pyproject.toml", ChangeKind.SETUP)
    verdict = spoken("Type hints?", Trust.ASKER, kinds=(types, build))
    assert verdict.outcome is VerdictOutcome.SATISFIED
    assert "Only types and build files" in verdict.reason
    verdict = spoken("Type hints?", Trust.ASKER, kinds=(build,))
    assert verdict.outcome is VerdictOutcome.UNVERIFIED


def test_what_only_tests_are_changed_for_is_not_told_to_add_one():
    kinds = (ChangedFile("tests/test_shop.py", ChangeKind.TESTS),)
    verdict = spoken("`test_total` fails every other day", Trust.ASKER, kinds=kinds)
    assert verdict.outcome is VerdictOutcome.UNVERIFIED
    assert "Only tests changed" in verdict.reason and "accept" in verdict.next_step


@pytest.mark.parametrize(
    ("title", "outcome"),
    [
        ("tests: no wall clock in test_total", VerdictOutcome.UNVERIFIED),
        ("tests: add a test of nothing", VerdictOutcome.UNSATISFIED),
    ],
)
def test_edited_tests_are_no_failure_where_nobody_says_that_some_are_new(title, outcome):
    kinds = (ChangedFile("tests/test_shop.py", ChangeKind.TESTS),)
    assert spoken(title, Trust.AUTHOR, kinds=kinds).outcome is outcome
