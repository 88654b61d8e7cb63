"""What judges read of tests: each by its id and what it gave on both sides, whatever runner it was."""

from __future__ import annotations

from bot.diff.unified import unified_within
from bot.judges.dossier import Dossier, evidence_text, shared_text
from bot.judges.seen_tests import quiet
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
    text = shared_text(Dossier(TASK, "+ x", (), tests=tests), MARK)
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
