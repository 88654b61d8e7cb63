"""What four runs say of one test, by the rules of the design."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from bot.evidence.tests.four_way import compare, why_it_failed
from bot.values import FourWay, TestChange, TestComparison
from sandbox.test_runs.four_runs import FourRuns, OtherRunner, Repeat
from sandbox.values import ChangeStatus, Diff, FileChange, Outcome, TestResult, TestRun

FILE = "tests/test_app.py"
TEST = f"{FILE}::test_it"
NOTHING_CHANGED = Diff(())
CODE_CHANGED = Diff((FileChange("app.py", ChangeStatus.MODIFIED),))
TEST_CHANGED = Diff((*CODE_CHANGED.files, FileChange(FILE, ChangeStatus.MODIFIED)))

P, F, E, S = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED
XF, XP = Outcome.XFAILED, Outcome.XPASSED


def result(test_id: str, outcome: Outcome, source: str = "") -> TestResult:
    path = test_id.split("::", maxsplit=1)[0]
    return TestResult(test_id, outcome, message=f"{test_id} {outcome}", path=path, source=source)


def run(outcomes: dict[str, Outcome], **sources: str) -> TestRun:
    results = [result(name, outcome) for name, outcome in outcomes.items()]
    named = [replace(r, source=sources.get(r.id.rsplit("::", maxsplit=1)[-1], "")) for r in results]
    return TestRun(True, tuple(named))


def one(*outcomes: Outcome | None, repeat: Repeat | None = None) -> TestComparison:
    """Compare one test of a changed file: base on base, base on head, head on base, head on head."""
    runs = [run({TEST: outcome} if outcome else {}) for outcome in outcomes]
    base_on_base, base_on_head, head_on_base, head_on_head = runs
    repeats = (repeat,) if repeat else ()
    four = FourRuns(
        base_on_base, head_on_head, base_on_head, head_on_base, (FILE,), (FILE,), repeats
    )
    found = compare(four, TEST_CHANGED)
    assert found.problem == ""
    (comparison,) = found.comparisons
    return comparison


def changes(found: FourWay) -> dict[str, str]:
    return {item.id: item.change.value for item in found.comparisons}


@pytest.mark.parametrize(
    ("outcomes", "change"),
    [
        ((P, P, P, P), TestChange.PASS_TO_PASS),
        ((F, P, F, P), TestChange.FAIL_TO_PASS),
        ((P, F, F, F), TestChange.PASS_TO_FAIL),
        ((F, F, F, F), TestChange.STILL_FAILING),
        # The edited test: stricter, changed in what it expects, loosened, silenced.
        ((P, P, F, P), TestChange.FAIL_TO_PASS),
        ((P, F, F, P), TestChange.EXPECTATION_CHANGED),
        ((P, F, E, P), TestChange.EXPECTATION_CHANGED),
        ((P, F, P, P), TestChange.PASS_TO_FAIL),
        ((P, F, S, S), TestChange.PASS_TO_FAIL),
        ((P, F, XF, XF), TestChange.PASS_TO_FAIL),
        ((P, F, None, None), TestChange.PASS_TO_FAIL),
        ((P, P, S, S), TestChange.SKIPPED),
        ((P, S, P, P), TestChange.UNKNOWN),
        ((P, P, P, F), TestChange.NEW_FAILING),
        ((P, P, None, None), TestChange.REMOVED),
        ((F, F, P, P), TestChange.NEVER_FAILED),
        ((F, F, F, P), TestChange.FAIL_TO_PASS),
        ((F, P, None, None), TestChange.REMOVED),
        # Known bugs.
        ((XF, XP, F, P), TestChange.FAIL_TO_PASS),
        ((XF, F, F, P), TestChange.FAIL_TO_PASS),
        ((XF, XP, XF, XP), TestChange.FAIL_TO_PASS),
        ((XF, XF, P, P), TestChange.NEVER_FAILED),
        ((XF, XF, XF, XF), TestChange.SKIPPED),
        ((S, S, S, S), TestChange.SKIPPED),
        ((S, S, F, P), TestChange.FAIL_TO_PASS),
        ((S, F, F, F), TestChange.NEW_FAILING),
        # New tests.
        ((None, None, F, P), TestChange.FAIL_TO_PASS),
        ((None, None, E, P), TestChange.FAIL_TO_PASS),
        ((None, None, P, P), TestChange.NEVER_FAILED),
        ((None, None, F, F), TestChange.NEW_FAILING),
        ((None, None, None, P), TestChange.UNKNOWN),
        ((None, None, S, P), TestChange.UNKNOWN),
        ((None, None, S, S), TestChange.SKIPPED),
        # Not collected with head's code although head has it.
        ((P, None, P, P), TestChange.UNKNOWN),
    ],
)
def test_every_combination_has_its_name(
    outcomes: tuple[Outcome | None, ...], change: TestChange
) -> None:
    assert one(*outcomes).change is change


@pytest.mark.parametrize(
    ("outcomes", "change"),
    [
        ((F, P, F, P), None),
        ((F, F, P, P), None),
        ((P, P, P, P), TestChange.PASS_TO_PASS),
        ((P, F, F, F), TestChange.PASS_TO_FAIL),
    ],
)
def test_a_linter_shows_nothing_of_a_change_and_may_regress(
    outcomes: tuple[Outcome, ...], change: TestChange | None
) -> None:
    name = f"{FILE}::ruff::format"
    runs = [TestRun(True, (replace(result(name, one), is_lint=True),)) for one in outcomes]
    four = FourRuns(runs[0], runs[3], runs[1], runs[2], (FILE,), (FILE,))
    found = compare(four, TEST_CHANGED).comparisons

    assert [one.change for one in found] == ([change] if change else [])


@given(st.lists(st.sampled_from([*Outcome, None]), min_size=4, max_size=4))
def test_what_fails_on_head_never_looks_good(outcomes: list[Outcome | None]) -> None:
    base_on_base, base_on_head, _, head_on_head = outcomes
    if base_on_base is None and head_on_head is None:
        return
    change = one(*outcomes).change
    good = (TestChange.FAIL_TO_PASS, TestChange.PASS_TO_PASS)
    if change in good:
        assert head_on_head in (P, XP)
    if base_on_base in (P, XP) and base_on_head in (F, E):
        assert change in (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED)


@pytest.mark.parametrize(
    ("outcomes", "sources", "change"),
    [
        ((F, P, P, F), ("assert f()", "assert f()"), TestChange.FLAKY),
        ((F, P, P, F), ("assert f()", "assert not f()"), TestChange.STILL_FAILING),
        ((F, F, P, F), ("assert f()", "assert f()"), TestChange.STILL_FAILING),
        ((F, P, F, F), ("assert f()", "assert f()"), TestChange.STILL_FAILING),
    ],
)
def test_what_passes_once_and_fails_once_on_both_sides_is_flaky(
    outcomes: tuple[Outcome, ...], sources: tuple[str, str], change: TestChange
) -> None:
    """Only a test that nobody edited: what head's version does on base says nothing of base's."""
    of_base, of_head = sources
    told = [
        run({TEST: outcome}, test_it=source)
        for outcome, source in zip(outcomes, (of_base, of_base, of_head, of_head), strict=True)
    ]
    bb, bh, hb, hh = told
    (found,) = compare(FourRuns(bb, hh, bh, hb, (FILE,), (FILE,)), TEST_CHANGED).comparisons
    assert found.change is change


def test_the_reason_is_no_line_of_a_stack() -> None:
    said = "Error: Debug Failure.\n    at load (/a.js:1:2)\n    at Array.map (<anonymous>)"
    assert (
        why_it_failed(TestResult(TEST, E, message=said, path=FILE))
        == f"Error: Debug Failure. ({FILE})"
    )


def test_runs_that_end_alike_are_told_of_once() -> None:
    ended = TestRun(False, (), problem="mocha ended before its first test. It said: no files")
    other = replace(ended, problem="It took too long.")
    told = "The tests of base on base's code and the tests of head on head's code: "
    assert compare(FourRuns(ended, ended), CODE_CHANGED).problem == f"{told}{ended.problem}."

    both = compare(FourRuns(ended, other), CODE_CHANGED).problem
    assert both.startswith("The tests of base on base's code: mocha")
    assert both.endswith("no files. The tests of head on head's code: It took too long.")


def test_the_message_is_the_failure_that_matters() -> None:
    assert "tests/test_app.py::test_it failed" in one(P, F, F, F).message
    assert one(P, F, P, P).message.startswith("Base's version of this test fails on head; the")
    assert one(P, P, P, P).message == ""


def test_what_was_not_run_on_head_is_not_said_to_pass_there() -> None:
    assert one(P, P, None, F).message.startswith("Base's version of this test passes on head;")
    assert one(P, None, None, F).message.startswith("Base's version of this test was not run with")


def test_a_test_that_only_the_runner_of_the_change_breaks_is_undecided() -> None:
    runs = FourRuns(
        base_on_base=run({TEST: P}),
        head_on_head=run({TEST: P}),
        base_on_head=run({TEST: F}),
        head_on_base=run({TEST: P}),
        base_paths=(FILE,),
        head_paths=(FILE,),
    )
    (loosened,) = compare(runs, TEST_CHANGED).comparisons
    assert loosened.change is TestChange.PASS_TO_FAIL
    other = OtherRunner("jest 29.7.0", "jest 30.4.2")
    held = replace(runs, other_runner=other, held_by_packages=frozenset({TEST}))
    (found,) = compare(held, TEST_CHANGED).comparisons
    assert found.change is TestChange.UNKNOWN
    assert (found.runner_of_base, found.runner_of_head) == (other.base, other.head)
    failing = replace(held, head_on_head=run({TEST: F}))
    (found,) = compare(failing, TEST_CHANGED).comparisons
    assert found.change is TestChange.PASS_TO_FAIL


@pytest.mark.parametrize(
    ("diff", "change"),
    [(CODE_CHANGED, TestChange.UNKNOWN), (TEST_CHANGED, TestChange.NEW_FAILING)],
)
def test_what_fails_beside_heads_configuration_only_is_undecided(
    diff: Diff, change: TestChange
) -> None:
    runs = [run({TEST: outcome}) for outcome in (P, F, P, P)]
    found = compare(FourRuns(*runs, ("",), ("",)), diff)

    assert changes(found) == {TEST: change.value}


def test_an_unchanged_file_needs_no_crosswise_run() -> None:
    runs = FourRuns(run({TEST: F, "tests/b.py::t": P}), run({TEST: P, "tests/b.py::t": F}))
    found = compare(runs, CODE_CHANGED)
    assert changes(found) == {TEST: "fail_to_pass", "tests/b.py::t": "pass_to_fail"}
    assert not any(item.written_by_author for item in found.comparisons)


def test_a_new_test_file_that_base_cannot_import() -> None:
    runs = FourRuns(
        run({}), run({TEST: P}), None,
        run({FILE: E}), (), (FILE,),
    )  # fmt: skip
    (item,) = compare(runs, TEST_CHANGED).comparisons
    assert (item.change, item.head_on_base) == (TestChange.FAIL_TO_PASS, E)
    assert "its file cannot be loaded" in item.message
    assert item.written_by_author


def test_a_conftest_that_base_cannot_import_fails_every_test_below_it() -> None:
    runs = FourRuns(run({}), run({TEST: P}), None, run({"tests/conftest.py": E}), (), ("tests",))
    (item,) = compare(runs, TEST_CHANGED).comparisons
    assert item.change is TestChange.FAIL_TO_PASS


def test_a_file_that_head_cannot_import_fails_each_of_its_tests() -> None:
    runs = FourRuns(run({TEST: P, f"{FILE}::test_b": P}), run({FILE: E}))
    found = compare(runs, CODE_CHANGED)
    assert changes(found) == {TEST: "pass_to_fail", f"{FILE}::test_b": "pass_to_fail"}


def test_a_new_file_that_head_cannot_import_is_shown() -> None:
    found = compare(FourRuns(run({}), run({FILE: E})), TEST_CHANGED)
    assert changes(found) == {FILE: "new_failing"}


def test_a_file_that_base_cannot_import_and_head_can() -> None:
    found = compare(FourRuns(run({FILE: E}), run({TEST: P})), CODE_CHANGED)
    assert changes(found) == {TEST: "fail_to_pass"}


def test_a_file_broken_on_both_sides_stays_one_row() -> None:
    found = compare(FourRuns(run({FILE: E}), run({FILE: E})), CODE_CHANGED)
    assert changes(found) == {FILE: "still_failing"}


def test_a_renamed_file_keeps_its_tests() -> None:
    old, new = "tests/test_old.py", "tests/test_new.py"
    diff = Diff((FileChange(new, ChangeStatus.RENAMED, old_path=old),))
    runs = FourRuns(
        run({f"{old}::test_it": P}), run({f"{new}::test_it": P}),
        run({f"{old}::test_it": P}), run({f"{new}::test_it": P}), (old,), (new,),
    )  # fmt: skip
    found = compare(runs, diff)
    assert changes(found) == {f"{new}::test_it": "pass_to_pass"}


def test_a_test_moved_to_another_file_keeps_its_history() -> None:
    old, new = "tests/test_a.py", "tests/test_b.py"
    runs = FourRuns(
        run({f"{old}::T::test_it": P}), run({f"{new}::T::test_it": P}),
        run({f"{old}::T::test_it": P}), run({f"{new}::T::test_it": P}), (old,), (new,),
    )  # fmt: skip
    found = compare(runs, TEST_CHANGED)
    assert changes(found) == {f"{new}::T::test_it": "pass_to_pass"}


def test_a_renamed_class_and_a_renamed_function_keep_their_history() -> None:
    body = "    value = compute(3)\n    assert value == 9\n"
    base = {f"{FILE}::TestOld::test_it": P, f"{FILE}::test_first_name": P}
    head = {f"{FILE}::TestNew::test_it": P, f"{FILE}::test_second_name": P}
    sources = {
        "test_first_name": f"def test_first_name():\n{body}",
        "test_second_name": f"def test_second_name():\n{body}",
    }
    runs = FourRuns(
        run(base, **sources), run(head, **sources), run(base), run(head), (FILE,), (FILE,)
    )
    assert set(changes(compare(runs, TEST_CHANGED)).values()) == {"pass_to_pass"}


def test_a_title_that_was_reworded_keeps_its_history() -> None:
    file, body = "test/a.test.js", "async t => {\n  t.is(await compute(3), 9);\n})"
    base, head = f"{file}::computes [3]", f"{file}::suite > computes three"
    runs = FourRuns(
        TestRun(True, (TestResult(base, P, path=file, source=f"x\ntest('computes [3]', {body}"),)),
        TestRun(True, (TestResult(head, P, path=file, source=f"y\ntest('it\\'s', {body}"),)),
        run({base: P}), run({head: P}), (file,), (file,),
    )  # fmt: skip
    assert changes(compare(runs, TEST_CHANGED)) == {head: "pass_to_pass"}


REPLY = (
    "async t => {{\n  const sent = send('{mark}');\n  const got = await sent.reply();\n"
    "  t.is(got, {want});\n}})"
)


def replaced(on_base: Outcome, *, want: str = "'plain'", more: str = "") -> dict[str, str]:
    """Compare a test with one that stands in its place under another title."""
    file = "test/a.test.js"
    old, new = f"{file}::sends *", f"{file}::plain for *"
    before = REPLY.format(mark="*", want="'gzip'")
    after = more or REPLY.format(mark="*", want=want)
    runs = FourRuns(
        TestRun(True, (TestResult(old, P, path=file, source=f"x\ntest('sends *', {before}"),)),
        TestRun(True, (TestResult(new, P, path=file, source=f"y\ntest('plain for *', {after}"),)),
        run({old: F}), run({new: on_base}), (file,), (file,),
    )  # fmt: skip
    found = changes(compare(runs, TEST_CHANGED))
    return {test.partition("::")[2]: change for test, change in found.items()}


def test_another_title_for_another_expectation_is_an_edited_test() -> None:
    assert replaced(F) == {"sends *": "expectation_changed", "plain for *": "fail_to_pass"}


def test_another_title_for_less_excuses_nothing() -> None:
    assert replaced(P) == {"sends *": "pass_to_fail", "plain for *": "never_failed"}


def test_a_test_that_has_little_in_common_replaces_none() -> None:
    other = "async t => {\n  const all = list();\n  t.is(all.length, 3);\n  t.ok(all);\n})"
    assert replaced(F, more=other) == {"sends *": "pass_to_fail", "plain for *": "fail_to_pass"}


@pytest.mark.parametrize(
    ("keeps", "outcome", "change"),
    [
        ("== 1", P, "expectation_changed"),
        ("== 2", P, "pass_to_fail"),  # what it asserted is gone
        ("== 1", F, "pass_to_fail"),
    ],
)
def test_a_test_of_a_default_becomes_one_of_the_new_one_and_one_with_the_value(
    keeps: str, outcome: Outcome, change: str
) -> None:
    old, new, given = (f"{FILE}::test_{name}" for name in ("zero", "default", "given"))

    def test(name: str, call: str, score: int, end: str) -> TestResult:
        source = f"def test():\n    late = {call}\n    score = of({score})\n    assert late.of(score) {end}\n"
        return replace(result(name, P), path=FILE, source=source)

    with_value = replace(test(given, "Late(grace=0)", 5, keeps), outcome=outcome)
    runs = FourRuns(
        TestRun(True, (test(old, "Late()", 5, "== 1"),)),
        TestRun(True, (test(new, "Late()", 9, "== 0"), with_value)),
        run({old: F}), run({new: F, given: P}), (FILE,), (FILE,),
    )  # fmt: skip
    assert changes(compare(runs, TEST_CHANGED))[old] == change


LONG = "  const got = send('text/plain; charset=utf-8', {level: 9});\n  t.is(got, "


@pytest.mark.parametrize(
    ("want", "on_base", "change"),
    [("'plain'", F, "expectation_changed"), ("''", P, "pass_to_fail")],
)
def test_the_same_call_with_another_result_under_another_title_is_an_edited_test(
    want: str, on_base: Outcome, change: str
) -> None:
    file, wants = "test/a.test.js", {"old": "'gzip'", "new": want}
    old, new = (
        TestResult(
            f"{file}::{name}", P, path=file, source=f"x\ntest('{name}', t => {{\n{LONG}{one});\n}})"
        )
        for name, one in wants.items()
    )
    runs = FourRuns(
        TestRun(True, (old,)), TestRun(True, (new,)),
        run({old.id: F}), run({new.id: on_base}), (file,), (file,),
    )  # fmt: skip
    assert changes(compare(runs, TEST_CHANGED))[old.id] == change


@pytest.mark.parametrize(
    ("is_loaded", "on_base", "change"),
    [(False, F, "still_failing"), (False, P, "new_failing"), (True, F, "new_failing")],
)
def test_what_fails_with_either_code_beside_a_file_that_base_cannot_load_is_no_news(
    is_loaded: bool, on_base: Outcome, change: str
) -> None:
    path = TEST.partition("::")[0]
    base = TestResult("test_old" if is_loaded else path, P if is_loaded else F, path=path)
    runs = FourRuns(
        TestRun(True, (base,)), run({TEST: F}), run({}), run({TEST: on_base}), (path,), (path,)
    )
    assert changes(compare(runs, TEST_CHANGED))[TEST] == change


def test_new_parameters_with_new_expectations() -> None:
    old, new = f"{TEST}[2-4]", f"{TEST}[2-8]"
    runs = FourRuns(run({old: P}), run({new: P}), run({old: F}), run({new: F}), (FILE,), (FILE,))
    found = compare(runs, TEST_CHANGED)
    assert changes(found) == {old: "expectation_changed", new: "fail_to_pass"}


def test_a_renamed_row_of_a_table_with_a_new_expectation() -> None:
    file = "test/a.test.js"
    old, new, other = (f"{file}::rules > {title}" for title in ("globs", "overlapping", "apart"))

    def rows(table: str, **outcomes: Outcome) -> TestRun:
        named = {"old": old, "new": new}
        return TestRun(
            True,
            tuple(TestResult(named[k], o, path=file, table=table) for k, o in outcomes.items()),
        )

    def changed(table: str) -> dict[str, str]:
        runs = FourRuns(
            rows("rules > $name", old=P), rows(table, new=P), rows("rules > $name", old=F),
            rows(table, new=F), (file,), (file,),
        )  # fmt: skip
        return changes(compare(runs, TEST_CHANGED))

    assert changed("rules > $name") == {old: "expectation_changed", new: "fail_to_pass"}
    assert changed(other) == {old: "pass_to_fail", new: "fail_to_pass"}


def test_a_dropped_parameter_that_fails_on_head_is_a_regression() -> None:
    kept, dropped = f"{TEST}[1]", f"{TEST}[2]"
    runs = FourRuns(
        run({kept: P, dropped: P}), run({kept: P}),
        run({kept: P, dropped: F}), run({kept: P}), (FILE,), (FILE,),
    )  # fmt: skip
    found = compare(runs, TEST_CHANGED)
    assert changes(found) == {kept: "pass_to_pass", dropped: "pass_to_fail"}


@pytest.mark.parametrize(
    ("repeat", "change"),
    [
        (Repeat(TEST, base_passes=3, base_runs=3, head_passes=0, head_runs=3), "pass_to_fail"),
        (Repeat(TEST, base_passes=2, base_runs=3, head_passes=0, head_runs=3), "flaky"),
        (Repeat(TEST, base_passes=3, base_runs=3, head_passes=3, head_runs=3), "flaky"),
        (Repeat(TEST, base_passes=3, base_runs=3, head_passes=1, head_runs=3), "pass_to_fail"),
        (Repeat(TEST, base_passes=0, base_runs=0, head_passes=0, head_runs=0), "pass_to_fail"),
    ],
)
def test_repeats_tell_a_flake_from_a_regression(repeat: Repeat, change: str) -> None:
    found = one(P, F, F, F, repeat=repeat)
    assert found.change == change
    assert (found.passes, found.runs) == (repeat.head_passes, repeat.head_runs)
    assert found.flakes_on_base is (repeat.base_passes < repeat.base_runs)


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [("a", "a", "pass_to_pass"), ("a", "b", "fail_to_pass"), ("", "", "fail_to_pass")],
)
def test_what_needs_the_tests_before_it_fails_without_them_for_no_reason_of_bases_code(
    before: str, after: str, change: str
) -> None:
    repeat = Repeat(TEST, 2, 2, 2, 2, needs_others=True)
    seen = run({TEST: P}, test_it=before), run({TEST: P}, test_it=after)
    alone = run({TEST: F}, test_it=before), run({TEST: F}, test_it=after)
    runs = FourRuns(*seen, *alone, (FILE,), (FILE,), repeats=(repeat,))
    assert changes(compare(runs, TEST_CHANGED)) == {TEST: change}


def test_a_test_that_failed_on_base_by_chance_is_no_fix() -> None:
    repeat = Repeat(TEST, base_passes=1, base_runs=2, head_passes=2, head_runs=2)
    assert one(F, P, F, P, repeat=repeat).change is TestChange.FLAKY


def test_an_incomplete_full_run_proves_nothing() -> None:
    broken = TestRun(False, (result(TEST, P),), "The test run timed out after 600 s in x.")
    found = compare(FourRuns(run({TEST: P}), broken), CODE_CHANGED)
    assert found.comparisons == ()
    assert found.problem == (
        "The tests of head on head's code: The test run timed out after 600 s in x."
    )


def test_an_incomplete_crosswise_run_of_bases_tests_is_a_problem() -> None:
    broken = TestRun(False, (), "The test process exited with 0 in x, before its end.")
    runs = FourRuns(run({TEST: P}), run({TEST: P}), broken, None, (FILE,), ())
    found = compare(runs, TEST_CHANGED)
    assert changes(found) == {TEST: "unknown"}
    assert found.problem.startswith("The tests of base on head's code: The test process exited")


def test_a_new_test_that_hangs_with_bases_code_fails_there() -> None:
    other = f"{FILE}::test_later"
    hung = TestRun(False, (result(TEST, E),), "The test run timed out after 60 s in x.")
    runs = FourRuns(run({}), run({TEST: P, other: P}), None, hung, (), (FILE,))
    found = compare(runs, TEST_CHANGED)
    assert found.problem == ""
    assert changes(found) == {TEST: "fail_to_pass", other: "unknown"}
    forged = replace(hung, forged=True)
    assert compare(replace(runs, head_on_base=forged), TEST_CHANGED).problem != ""


def test_values_survive_json() -> None:
    runs = FourRuns(run({TEST: P}), run({TEST: F}), repeats=(Repeat(TEST, 1, 2, 3, 4),))
    runs_adapter = TypeAdapter(FourRuns)
    assert runs_adapter.validate_json(runs_adapter.dump_json(runs)) == runs
    found_adapter = TypeAdapter(FourWay)
    found = compare(runs, NOTHING_CHANGED)
    assert found_adapter.validate_json(found_adapter.dump_json(found)) == found


def test_when_nothing_can_be_loaded_on_either_side_nothing_is_proved() -> None:
    said = replace(result(FILE, E), message="Traceback:\n  x\nE   ValueError: no")
    more = TestRun(True, (replace(result("b.py", E), path="b.py"), said))
    assert compare(FourRuns(run({}), more), CODE_CHANGED).problem == (
        f"No test could be loaded on either side: E   ValueError: no ({FILE}) and 1 more file."
    )
    often = tuple(replace(said, id=path, path=path) for path in ("a.py", "c.py"))
    rare = replace(said, raised="ImportError: no name x")
    assert "ValueError: no (c.py) and 2 more files." in (
        compare(FourRuns(run({}), TestRun(True, (*often, rare))), CODE_CHANGED).problem
    )
    exact = replace(said, raised="ImportError: no name x")
    found = compare(FourRuns(run({FILE: E}), TestRun(True, (exact,))), CODE_CHANGED)
    assert found.problem == (
        f"No test could be loaded on either side: ImportError: no name x ({FILE})."
    )
    assert changes(found) == {FILE: "still_failing"}


def test_an_unchanged_test_is_no_proof_because_its_neighbour_does_not_compile_on_base() -> None:
    """In Go a new test of a new function keeps the whole package from building with base's code."""
    old, new = "a/a_test.go::TestOld", "a/a_test.go::TestNew"
    package = replace(result("a", E), path="a")
    runs = FourRuns(
        base_on_base=run({old: P}, TestOld="func TestOld() {}"),
        head_on_head=run(
            {old: P, new: P}, TestOld="func TestOld() {}", TestNew="func TestNew() {}"
        ),
        base_on_head=run({old: P}, TestOld="func TestOld() {}"),
        head_on_base=TestRun(True, (package,)),
        base_paths=("a/a_test.go",),
        head_paths=("a/a_test.go",),
    )
    assert changes(compare(runs, TEST_CHANGED)) == {old: "pass_to_pass", new: "fail_to_pass"}


@pytest.mark.parametrize(
    ("path", "is_touched"), (("tests", True), (".", True), ("test", False), ("tests/b", False))
)
def test_tests_of_one_program_are_the_authors_when_any_of_their_files_is(
    path: str, is_touched: bool
) -> None:
    test = TestResult("make test", P, path=path)
    runs = FourRuns(TestRun(True, (test,)), TestRun(True, (test,)))
    (comparison,) = compare(runs, TEST_CHANGED).comparisons
    assert comparison.written_by_author is is_touched


@pytest.mark.parametrize(
    ("outcomes", "passes", "runs", "change"),
    [
        ((None, None, F, P), 1, 1, "fail_to_pass"),
        ((None, None, F, P), 2, 5, "flaky"),
        ((None, None, F, P), 0, 5, "flaky"),
        ((None, None, F, F), 0, 1, "new_failing"),
        ((None, None, F, F), 3, 5, "flaky"),
        ((P, F, F, P), 4, 5, "flaky"),
        ((P, P, P, P), 4, 5, "pass_to_pass"),
    ],
)
def test_a_test_that_changes_its_mind_on_head_shows_nothing(outcomes, passes, runs, change):
    sides = [run({TEST: outcome} if outcome else {}) for outcome in outcomes]
    base_on_base, base_on_head, head_on_base, head_on_head = sides
    again = (Repeat(TEST, 0, 0, passes, runs),)
    four = FourRuns(
        base_on_base,
        head_on_head,
        base_on_head,
        head_on_base,
        (FILE,),
        (FILE,),
        head_repeats=again,
    )
    (comparison,) = compare(four, TEST_CHANGED).comparisons
    assert comparison.change == change
    assert (comparison.passes, comparison.runs) == (passes, runs)
    if change == "flaky":
        assert f"passed {passes} of {runs} times" in comparison.message


def of_lines(**lines: Outcome) -> TestRun:
    """A run of examples in sources, named after their lines: `at_1_5` stands in lines 1 to 5 of app.py."""
    named = {name.removeprefix("at_").replace("_", "-"): found for name, found in lines.items()}
    return run({f"tests/test_docs.py::test_doc[app.py:{at}]": out for at, out in named.items()})


def test_a_test_that_is_named_after_lines_follows_them() -> None:
    runs = FourRuns(of_lines(at_1_5=P, at_9_12=P), of_lines(at_3_7=P, at_11_14=F), None, None)
    found = compare(runs, CODE_CHANGED)

    assert changes(found) == {
        "tests/test_docs.py::test_doc[app.py:3-7]": "pass_to_pass",
        "tests/test_docs.py::test_doc[app.py:11-14]": "pass_to_fail",
    }


def test_no_line_is_followed_where_there_are_fewer() -> None:
    runs = FourRuns(of_lines(at_1_5=P, at_9_12=P), of_lines(at_11_14=P), None, None)

    assert "pass_to_pass" not in changes(compare(runs, CODE_CHANGED)).values()
