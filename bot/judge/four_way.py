"""Says of every test what four runs show: base's and head's tests on base's and head's code.

Pure. The rules are DESIGN 3.3 and 3.8, and the names those of `TestChange`.
"""

from __future__ import annotations

from dataclasses import dataclass

from bot.judge import successors
from bot.models import FourWay, TestChange, TestComparison
from sandbox.models import Diff, Outcome, TestResult, TestRun
from sandbox.tools.four_runs import FourRuns, Lookup, Repeat, failed, is_whole_file, passed


@dataclass(frozen=True, slots=True)
class _Four:
    """The results of one test; None where it does not exist or was not collected.

    `replacements` are the head tests that stand where a vanished base test stood: the same
    function with other parameters.
    """

    base_on_base: TestResult | None
    base_on_head: TestResult | None
    head_on_base: TestResult | None
    head_on_head: TestResult | None
    replacements: tuple[_Four, ...] = ()
    repeat: Repeat | None = None

    def bb(self) -> Outcome | None:
        return self.base_on_base.outcome if self.base_on_base else None

    def bh(self) -> Outcome | None:
        return self.base_on_head.outcome if self.base_on_head else None

    def hb(self) -> Outcome | None:
        return self.head_on_base.outcome if self.head_on_base else None

    def hh(self) -> Outcome | None:
        return self.head_on_head.outcome if self.head_on_head else None


@dataclass(frozen=True, slots=True)
class _Found:
    """A change, the remark that explains it, and the result whose failure matters."""

    change: TestChange
    remark: str = ""
    failure: TestResult | None = None


def compare(runs: FourRuns, diff: Diff) -> FourWay:
    """Return every test of base and head four ways; `problem` when a full run proves nothing."""
    problem = _problem(runs)
    if problem and not (runs.base_on_base.complete and runs.head_on_head.complete):
        return FourWay((), problem)
    changed = {change.path for change in diff.files}
    comparisons = [_comparison(four, changed) for four in _fours(runs, diff)]
    return FourWay(tuple(sorted(comparisons, key=lambda item: item.id)), problem)


def _problem(runs: FourRuns) -> str:
    named: tuple[tuple[str, TestRun | None], ...] = (
        ("The tests of base on base's code", runs.base_on_base),
        ("The tests of head on head's code", runs.head_on_head),
        ("The tests of base on head's code", runs.base_on_head),
        ("The tests of head on base's code", runs.head_on_base),
    )
    told = [f"{name}: {run.problem}" for name, run in named if run and not run.complete]
    return " ".join(told)


def _fours(runs: FourRuns, diff: Diff) -> list[_Four]:
    base, head = _tests(runs.base_on_base, runs.head_on_head), _tests(runs.head_on_head, None)
    matched = successors.match(base, head, diff)
    on_head, on_base = runs.base_test_on_head(), runs.head_test_on_base()
    own_head = Lookup(runs.head_on_head)
    old_ids = {result.id for result in matched.values()}
    new = [_new_test(r, on_base) for r in head if r.id not in old_ids]
    repeats = {repeat.id: repeat for repeat in runs.repeats}
    by_function: dict[str, list[_Four]] = {}
    for four in new:
        if four.head_on_head is not None and "[" in four.head_on_head.id:
            by_function.setdefault(successors.function_of(four.head_on_head), []).append(four)
    fours = []
    for test in base:
        now = matched.get(test.id)
        fours.append(
            _Four(
                base_on_base=test,
                base_on_head=on_head.find(test.id, test.path),
                head_on_base=on_base.find(now.id, now.path) if now else None,
                head_on_head=now or _whole_file(own_head.find(test.id, test.path)),
                replacements=tuple(by_function.get(successors.function_of(test), ())),
                repeat=repeats.get(test.id),
            )
        )
    return fours + [four for four in new if not _covers_old_tests(four, fours)]


def _tests(run: TestRun, other: TestRun | None) -> list[TestResult]:
    """Return the tests of a run; a file that failed as a whole only if the other run has it too."""
    if other is None:
        return list(run.results)
    ids = {result.id for result in other.results}
    return [r for r in run.results if not is_whole_file(r) or r.id in ids]


def _whole_file(result: TestResult | None) -> TestResult | None:
    return result if result is not None and is_whole_file(result) else None


def _new_test(result: TestResult, on_base: Lookup) -> _Four:
    return _Four(None, None, on_base.find(result.id, result.path), result)


def _covers_old_tests(four: _Four, fours: list[_Four]) -> bool:
    """Tell whether a file's error on head is already shown by the tests that base has in it."""
    whole = four.head_on_head
    if whole is None or not is_whole_file(whole):
        return False
    return any(old.head_on_head is not None and old.head_on_head.id == whole.id for old in fours)


def _comparison(four: _Four, changed: set[str]) -> TestComparison:
    found = _judge_old(four) if four.base_on_base else _judge_new(four)
    shown = four.head_on_head or four.base_on_base
    if shown is not None and is_whole_file(shown) and four.base_on_base is not None:
        shown = four.base_on_base
    assert shown is not None  # noqa: S101 - a test exists on one side at least
    failure = found.failure.message if found.failure else ""
    return TestComparison(
        id=shown.id,
        change=found.change,
        base_on_base=four.bb(),
        base_on_head=four.bh(),
        head_on_base=four.hb(),
        head_on_head=four.hh(),
        written_by_author=shown.path in changed,
        message="\n".join(part for part in (found.remark, failure) if part),
        path=shown.path,
        line=shown.line,
        source=shown.source,
        passes=four.repeat.head_passes if four.repeat else 0,
        runs=four.repeat.head_runs if four.repeat else 0,
    )


# --- a test that base has ---------------------------------------------------------------------


def _judge_old(four: _Four) -> _Found:
    if passed(four.bb()):
        return _judge_passing(four)
    if failed(four.bb()):
        return _judge_failing(four)
    return _judge_idle(four)


def _judge_passing(four: _Four) -> _Found:
    if failed(four.bh()):
        return _flake(four) or _judge_broken(four)
    if failed(four.hh()):
        remark = "Base's version of this test passes on head; the edited version fails."
        return _Found(TestChange.NEW_FAILING, remark, four.head_on_head)
    if four.hh() is None:
        return _gone(four)
    if not passed(four.hh()):
        remark = "This test passed on base and is no longer asked to pass on head."
        return _Found(TestChange.SKIPPED, remark, four.head_on_head)
    if failed(four.hb()):
        return _Found(TestChange.FAIL_TO_PASS, _why_on_base(four), four.head_on_base)
    return _Found(TestChange.PASS_TO_PASS)


def _flake(four: _Four) -> _Found | None:
    repeat = four.repeat
    if repeat is None:
        return None
    if repeat.base_passes < repeat.base_runs:
        failures = repeat.base_runs - repeat.base_passes
        remark = f"This test failed in {failures} of {repeat.base_runs} more runs on base too."
        return _Found(TestChange.FLAKY, remark, four.base_on_head)
    if repeat.head_runs and repeat.head_passes == repeat.head_runs:
        remark = f"This test failed once on head and then passed {repeat.head_runs} times."
        return _Found(TestChange.FLAKY, remark, four.base_on_head)
    return None


def _judge_broken(four: _Four) -> _Found:
    """Base's version of the test passes on base and fails on head."""
    regressed, failure = TestChange.PASS_TO_FAIL, four.base_on_head
    if passed(four.hh()):
        if not passed(four.hb()):
            remark = "Base's version of this test fails on head; the edited version passes."
            return _Found(TestChange.EXPECTATION_CHANGED, remark, failure)
        remark = (
            "Base's version of this test fails on head; the edited version passes with the old "
            "code too, so it was loosened."
        )
        return _Found(regressed, remark, failure)
    if failed(four.hh()):
        return _Found(regressed, _unsteady(four), four.head_on_head)
    if four.hh() is not None:
        remark = (
            "Base's version of this test fails on head, where it is skipped or allowed to fail."
        )
        return _Found(regressed, remark, failure)
    news = four.replacements
    if news and all(passed(new.hh()) for new in news) and any(failed(new.hb()) for new in news):
        remark = "Base's version of this test fails on head; its new parameters pass."
        return _Found(TestChange.EXPECTATION_CHANGED, remark, failure)
    return _Found(regressed, "The pull request removes this test; it fails on head.", failure)


def _unsteady(four: _Four) -> str:
    repeat = four.repeat
    if repeat is None or not repeat.head_passes:
        return ""
    return (
        f"Run again, it passed {repeat.head_passes} of {repeat.head_runs} times on head and "
        f"{repeat.base_passes} of {repeat.base_runs} on base."
    )


def _gone(four: _Four) -> _Found:
    if passed(four.bh()):
        return _Found(TestChange.REMOVED, "This test is gone; base's version passes on head.")
    if four.bh() is None:
        return _Found(TestChange.REMOVED, "This test is no longer collected with head's code.")
    return _Found(TestChange.SKIPPED, "This test is gone; base's version is skipped on head.")


def _judge_failing(four: _Four) -> _Found:
    """Base's version fails on base."""
    if passed(four.hh()):
        if passed(four.hb()) and not passed(four.bh()):
            remark = "This test failed on base; the edited version passes with the old code too."
            return _Found(TestChange.NEVER_FAILED, remark, four.base_on_head)
        if four.repeat and four.repeat.base_passes:
            remark = f"Run again, it passed on base {four.repeat.base_passes} times."
            return _Found(TestChange.FLAKY, remark, four.base_on_base)
        return _Found(TestChange.FAIL_TO_PASS, "", four.base_on_base)
    if failed(four.hh()):
        return _Found(TestChange.STILL_FAILING, "", four.head_on_head)
    if four.hh() is None:
        remark = "This test failed on base and is gone on head."
        change = TestChange.REMOVED if passed(four.bh()) else TestChange.STILL_FAILING
        return _Found(change, remark, four.base_on_head or four.base_on_base)
    return _Found(TestChange.SKIPPED, "This test failed on base; on head it is not asked to pass.")


def _judge_idle(four: _Four) -> _Found:
    """Base's version is skipped or expected to fail on base."""
    was_broken = four.bb() is Outcome.XFAILED
    if passed(four.hh()):
        if failed(four.hb()) or (was_broken and four.hb() is not Outcome.PASSED):
            remark = "Base expects this test to fail." if was_broken else ""
            return _Found(TestChange.FAIL_TO_PASS, remark, four.head_on_base or four.base_on_base)
        change = TestChange.NEVER_FAILED if passed(four.hb()) else TestChange.SKIPPED
        return _Found(change, "Base does not ask this test to pass.")
    if failed(four.hh()):
        return _Found(TestChange.NEW_FAILING, "Base skips this test.", four.head_on_head)
    return _Found(TestChange.SKIPPED)


# --- a test that only head has ----------------------------------------------------------------


def _judge_new(four: _Four) -> _Found:
    if failed(four.hh()):
        return _Found(TestChange.NEW_FAILING, "", four.head_on_head)
    if not passed(four.hh()):
        return _Found(TestChange.SKIPPED, "", four.head_on_head)
    if failed(four.hb()) or four.hb() is Outcome.XFAILED:
        return _Found(TestChange.FAIL_TO_PASS, _why_on_base(four), four.head_on_base)
    if passed(four.hb()):
        return _Found(TestChange.NEVER_FAILED, "This new test already passes with base's code.")
    remark = "This new test was not run with base's code, so it proves nothing."
    return _Found(TestChange.UNKNOWN, remark)


def _why_on_base(four: _Four) -> str:
    """Say when a test fails on base only because its file cannot be loaded there."""
    result = four.head_on_base
    if result is None or not is_whole_file(result):
        return ""
    if "ModuleNotFoundError" in result.message:
        return "With base's code its file cannot be loaded: a module is missing there."
    return "With base's code its file cannot be loaded."
