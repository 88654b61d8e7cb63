"""The diff decides what kind of change it is: no title lowers the bar, and none raises it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.diff.kinds import kinds_of_change
from bot.values import Conclusion, FourWay, TestChange, Trust
from sandbox.values import ChangedFile, ChangeKind, Diff
from tests.bot.integrity.test_integrity import changed
from tests.bot.verdict.cases import comparison, gate_of, observed, requirements, verdict_of

ACTION = Conclusion.ACTION_REQUIRED

KIND = ChangeKind


def test_what_was_not_seen_to_be_harmless_is_judged_by_its_place():
    paths = (
        "src/a.py", "src/b.py", "docs/a.md", "docs/read.md", "tests/test_a.py", "src/new.js", "Makefile",
        "tests/run", "pnpm-lock.yaml", "eslint.config.mjs", ".eslintrc.yml", ".prettierrc", "app.config.mjs",
        "tsconfig.json", "a/tsconfig.build.json", "rollup.config.mjs", "src/settings.json",
    )  # fmt: skip
    diff = Diff(tuple(changed(path, "x", "y") for path in paths))
    harmless = {"src/a.py": KIND.COMMENTS, "docs/a.md": KIND.DOCUMENTATION}
    found = [one.kind for one in kinds_of_change(diff, harmless)]
    assert found == [
        KIND.COMMENTS, KIND.CODE, KIND.DOCUMENTATION, KIND.CODE, KIND.TESTS, KIND.CODE, KIND.SETUP,
        KIND.TESTS, KIND.SETUP, KIND.SETUP, KIND.SETUP, KIND.SETUP, KIND.CODE,
        KIND.SETUP, KIND.SETUP, KIND.SETUP, KIND.CODE,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "kind"),
    [("Makefile", KIND.SETUP), ("setup.py", KIND.SETUP), ("run", KIND.CODE), ("notes", KIND.CODE)],
)
def test_a_program_that_only_builds_is_no_code_of_the_project(path, kind):
    one = replace(changed(path, "x", "y"), old_mode="100755", new_mode="100755")
    assert [found.kind for found in kinds_of_change(Diff((one,)), {})] == [kind]


def of(**kinds: str) -> tuple[ChangedFile, ...]:
    return tuple(ChangedFile(f"{name}.py", ChangeKind(kind)) for name, kind in kinds.items())


WORDS = of(a="documentation", b="comments", c="formatting", d="types")

PROOF = comparison("test_total", TestChange.FAIL_TO_PASS)


@pytest.mark.parametrize(
    "title", ["refactor: one total", "docs: tell of total", "chore: tidy", "Fix crash in total"]
)
@pytest.mark.parametrize(
    ("tests", "kinds", "conclusion"),
    [
        ((), of(shop="code"), "action_required"),
        ((PROOF,), of(shop="code"), "success"),
        ((), WORDS, "success"),
        ((), (*WORDS, *of(shop="code")), "action_required"),
    ],
)
def test_the_diff_decides_and_no_title_does(title, tests, kinds, conclusion):
    seen = observed(*tests, changed_paths=("src/shop.py",), kinds=kinds)
    wanted = requirements(title, trust=Trust.AUTHOR)
    assert gate_of(wanted, seen).conclusion.value == conclusion


@pytest.mark.parametrize(
    ("title", "kinds", "conclusion"),
    [
        ("Fix crash in total", WORDS, "action_required"),  # a bug is not mended by words
        ("docs: tell of total", WORDS, "success"),
        ("docs: tell of total", of(shop="code"), "action_required"),
        ("docs: tell of total", of(shop="comments"), "success"),
        ("refactor: one total", of(shop="code"), "action_required"),  # nobody saw that it stays
        ("Add type hints to total", of(shop="types"), "success"),
    ],
)
def test_what_somebody_asks_is_held_against_the_diff(title, kinds, conclusion):
    paths = ("docs/total.md",) if kinds == WORDS else ("shop.py",)
    seen = observed(changed_paths=paths, kinds=kinds)
    assert gate_of(requirements(title), seen).conclusion.value == conclusion


def test_tests_alone():
    new = comparison("test_total", TestChange.NEVER_FAILED)
    seen = observed(new, changed_paths=("tests/test_shop.py",), kinds=of(test="tests"))
    wanted = requirements("Look at total from all sides", trust=Trust.AUTHOR)
    assert gate_of(wanted, seen).conclusion.value == "success"
    edited = observed(changed_paths=("tests/test_shop.py",), kinds=of(test="tests"))
    assert gate_of(wanted, edited).conclusion.value == "action_required"


def test_upkeep_of_an_author_beside_what_was_asked():
    wanted = requirements(author="- [x] update the docs\n")
    proof = comparison("test_split_refuses_zero_people", TestChange.FAIL_TO_PASS)
    kinds = (*of(shop="code"), ChangedFile("docs/a.md", KIND.DOCUMENTATION))
    seen = observed(proof, changed_paths=("src/shop.py", "docs/a.md"), kinds=kinds)
    assert gate_of(wanted, seen).conclusion.value == "success"


def test_a_base_without_any_test():
    none = FourWay((), "There are no tests that Assay can run.")
    fields = {"tests": none, "changed_paths": ("README.md",), "base_is_untested": True}
    wanted = requirements("Fix typos", trust=Trust.AUTHOR)
    assert gate_of(wanted, observed(kinds=WORDS, **fields)).conclusion.value == "success"
    found = verdict_of("B2", wanted, observed(kinds=WORDS, **fields))
    assert found.reason == "Not applicable: base has no tests."
    assert gate_of(wanted, observed(kinds=of(shop="code"), **fields)).conclusion is ACTION
    odd = observed(kinds=WORDS, **(fields | {"base_is_untested": False}))
    assert gate_of(wanted, odd).conclusion is ACTION


def test_tests_that_fail_on_both_sides_stand_in_the_baseline():
    failing = comparison("test_old", TestChange.STILL_FAILING)
    found = verdict_of("B2", requirements(), observed(failing))
    assert "1 test fails on both sides: `tests/test_shop.py::test_old`." in found.reason
