"""What judges read of tests: each by its id and what it gave on both sides, whatever runner it was."""

from __future__ import annotations

from dataclasses import replace

from bot.diff.unified import unified_within
from bot.judges.material import Material, evidence_text, shared_text
from bot.judges.seen_tests import quiet
from bot.task.requirements import NOTHING_REGRESSES
from bot.text import Delimiter
from bot.values import ActionKind, Evidence, FourWay, Step, TestChange, Transition
from sandbox.values import (
    ChangeStatus,
    Diff,
    FileChange,
    Hunk,
    Observation,
    Outcome,
    Side,
    TestResult,
    TestRun,
)
from tests.bot.judges.cases import TASK
from tests.bot.verdict.cases import KEPT, SPLIT, comparison

PASSED, FAILED, ERROR = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR
MARK = Delimiter("c0ffee")


def side(which: Side, code: int, **results: tuple[Outcome, str]) -> Observation:
    """What unittest's harness gives: results, and nothing printed."""
    run = TestRun(
        True,
        tuple(
            TestResult(f"tests.test_shop.TestShop.{name}", outcome, message=message)
            for name, (outcome, message) in results.items()
        ),
    )
    return Observation(which, "python -m unittest", code, "", 0.1, tests=run)


def seen(base: Observation, head: Observation, moved: Transition) -> Evidence:
    step = Step("A-R1-1", "Try it.", "", ("R1",), ActionKind.DYNAMIC_EXECUTION)
    return Evidence(step.id, step, base, head, moved)


def test_of_unittest_each_test_is_told_with_its_message_on_both_sides() -> None:
    base = side(Side.BASE, 1, test_a=(PASSED, ""), test_b=(FAILED, "AssertionError: 1 != 2"),
                test_c=(PASSED, ""), test_d=(ERROR, "ZeroDivisionError"))  # fmt: skip
    head = side(Side.HEAD, 1, test_a=(FAILED, "AssertionError: 3 != 4"), test_b=(PASSED, ""),
                test_c=(PASSED, ""), test_d=(ERROR, "ZeroDivisionError"))  # fmt: skip
    text = evidence_text((seen(base, head, Transition.STILL_FAILING),), MARK)
    assert (
        "passed on base, fails on head: 1 · fails on both sides: 1 · fixed: 1 · passes on both sides: 1"
        in text
    )
    assert "- tests.test_shop.TestShop.test_a: passed on base, fails on head" in text
    assert "on head: AssertionError: 3 != 4" in text and "on base: AssertionError: 1 != 2" in text
    # Both sides end with 1: what the exit code alone calls "still failing" is a regression.
    assert text.startswith("Evidence A-R1-1: dynamic_execution, regressed")


def test_the_rows_of_a_table_are_told_once() -> None:
    rows = {f"test_a[{n}]": (FAILED, f"assert {n} == 0") for n in range(40)}
    base = side(Side.BASE, 0, **dict.fromkeys(rows, (PASSED, "")))
    text = evidence_text((seen(base, side(Side.HEAD, 1, **rows), Transition.REGRESSED),), MARK)
    assert "test_a[0] and 39 more of its cases: passed on base, fails on head" in text
    assert text.count("assert ") == 1


def test_neither_dots_nor_benchmarks_nor_the_same_output_twice() -> None:
    noisy = (
        "tests/test_a.py ....F...   [ 40%]\n....... [ 80%]\n"
        "--------- benchmark: 2 tests ---------\nName (time in us)   Min   Max\n"
        "test_fast   1.0 (1.0)   2.0 (1.0)\n--------------------------------------\n\n"
        "Legend:\n  Outliers: 1 Standard Deviation\n  OPS: Operations Per Second\n"
        "the total is 12\n"
    )
    assert quiet(noisy) == "the total is 12"
    step = Step("E3", "Call it.", "", ("R1",), ActionKind.BASH)
    base, head = (Observation(one, "./shop", 0, noisy, 0.1) for one in Side)
    text = evidence_text((Evidence("E3", step, base, head, Transition.HELD),), MARK)
    assert text.count("the total is 12") == 1 and "(the same output as on head)" in text


def test_what_all_tests_did_four_ways_reaches_every_judge() -> None:
    broken = comparison("test_old", TestChange.PASS_TO_FAIL, assertion="assert 1 == 2")
    tests = FourWay((*KEPT, SPLIT, broken))
    text = shared_text(Material(TASK, "+ x", (), tests=tests), MARK)
    assert "passed on base's code, fails on head's: 1\n- tests/test_shop.py::test_old" in text
    assert "assert 1 == 2" in text and "passes on both: 2" in text
    assert "test_split_refuses_zero_people, written or edited by the change's author" in text


def test_the_changed_lines_are_never_what_is_cut() -> None:
    def change(path: str, lines: int) -> FileChange:
        told = [f" context {n} {'x' * 60}" for n in range(lines)]
        told.insert(lines // 2, f"+changed of {path}")
        hunk = Hunk(1, lines, 1, lines + 1, tuple(told))
        return FileChange(path, ChangeStatus.MODIFIED, hunks=(hunk,))

    diff = Diff(
        (change("docs/guide.md", 60), change("tests/test_shop.py", 60), change("src/shop.py", 60))
    )
    text = unified_within(diff, 1_000)
    assert all(f"+changed of {one.path}" in text for one in diff.files) and "context" not in text
    tight = unified_within(diff, 100)
    assert "+changed of src/shop.py" in tight
    assert "[1 changed lines of docs/guide.md are not shown: read the file]" in tight
    assert unified_within(diff, 100_000).count("context") == 180


def test_a_failure_that_head_mended_is_told_by_what_it_came_to() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "a.py", line 3, in b\n    c()\nValueError: no\n'
    )
    base, head = side(Side.BASE, 1, test_a=(ERROR, trace)), side(Side.HEAD, 0, test_a=(PASSED, ""))
    text = evidence_text((seen(base, head, Transition.FIXED),), MARK)
    assert "on base: ValueError: no" in text and "Traceback" not in text
    still = side(Side.HEAD, 1, test_a=(ERROR, trace))
    assert "Traceback" in evidence_text((seen(base, still, Transition.STILL_FAILING),), MARK)


def test_what_only_one_run_of_a_crossed_pair_ran_is_no_news() -> None:
    """Of base's tests on head's code only those that differ are run: the others are missing nowhere."""
    base = side(Side.BASE, 0, **{f"test_{n}": (PASSED, "") for n in range(40)})
    head = side(Side.HEAD, 0, test_0=(PASSED, ""))
    step = Step("E1b", "Cross.", "", (NOTHING_REGRESSES,), ActionKind.UNIT_TESTS)
    text = evidence_text((Evidence("E1b", step, base, head, Transition.HELD),), MARK)
    assert "only on base" not in text and "Cross.\npasses on both sides: 1" in text
    whole = replace(step, id="E1", requirement_ids=(NOTHING_REGRESSES, "R1"))
    assert "only on base, where it passed: 39" in evidence_text(
        (Evidence("E1", whole, base, head, Transition.HELD),), MARK
    )


def test_what_our_own_code_tells_has_no_exit_code_and_a_linter_only_what_is_new() -> None:
    told = Observation(Side.HEAD, "", None, "20 calls compared.", 0.1)
    step = Step("D2", "Look again.", "", (), ActionKind.SECOND_LOOK)
    text = evidence_text((Evidence("D2", step, None, told, Transition.UNKNOWN),), MARK)
    assert "20 calls compared." in text and "exit code" not in text and "not run" not in text
    lint = Step("E2", "Lint.", "", (), ActionKind.STATIC_LINTER)
    before = Observation(Side.BASE, "ruff", 0, "a.py:1: I001 old", 0.1)
    after = Observation(Side.HEAD, "ruff", 0, "New on head:\n  a.py:2: F841 new", 0.1)
    text = evidence_text((Evidence("E2", lint, before, after, Transition.HELD),), MARK)
    assert "F841" in text and "I001" not in text


def test_a_planned_step_is_told_from_others() -> None:
    step = Step("E4", "Call it.", "", ("R1",), ActionKind.BASH, ("f",), is_proposed=True)
    base, head = (Observation(one, "f", 0, "", 0.1) for one in Side)
    text = evidence_text((Evidence("E4", step, base, head, Transition.HELD),), MARK)
    assert text.startswith("Evidence E4: bash, held, planned for R1\n")
