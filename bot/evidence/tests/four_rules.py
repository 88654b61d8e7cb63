"""The rules that give one test its name from four outcomes."""

from __future__ import annotations

from dataclasses import dataclass

from bot.values import TestChange
from sandbox.test_runs.four_runs import OtherRunner, Repeat, failed, is_whole_file, passed
from sandbox.values import Outcome, TestResult


@dataclass(frozen=True, slots=True)
class Four:
    """The results of one test; None where it does not exist or was not collected.

    `replacements` are the head tests that stand where a vanished base test stood: the same
    function with other parameters, or nearly the same code under another name.
    """

    base_on_base: TestResult | None
    base_on_head: TestResult | None
    head_on_base: TestResult | None
    head_on_head: TestResult | None
    replacements: tuple[Four, ...] = ()
    repeat: Repeat | None = None
    head_repeat: Repeat | None = None  # of head's version, on head's code
    # with base's packages, base's version passes on head's code
    other_runner: OtherRunner | None = None
    is_touched: bool = True  # the change edits the file that the test stands in
    is_unloaded_on_base: bool = False  # base's version of its file fails there as a whole

    @property
    def bb(self) -> Outcome | None:
        """What base's version did on base."""
        return self.base_on_base.outcome if self.base_on_base else None

    @property
    def needs_others(self) -> bool:
        """Whether base's version fails on base with its file alone, and passes among all others."""
        return self.repeat is not None and self.repeat.needs_others

    @property
    def bh(self) -> Outcome | None:
        """What base's version did on head; of one that needs the tests before it, with all of them."""
        again = self.repeat
        if again and self.needs_others and 0 < again.head_runs == again.head_passes:
            return Outcome.PASSED
        return self.base_on_head.outcome if self.base_on_head else None

    @property
    def hb(self) -> Outcome | None:
        """What head's version did on base; of the same one that needs tests before it, what base's did."""
        if self.needs_others and self.has_same_code and passed(self.bb):
            return self.bb
        return self.head_on_base.outcome if self.head_on_base else None

    @property
    def hh(self) -> Outcome | None:
        """What head's version did on head."""
        return self.head_on_head.outcome if self.head_on_head else None

    @property
    def flakes_on_base(self) -> bool:
        """Whether base's version passed on base at first, and failed there when it was repeated."""
        repeat = self.repeat
        return passed(self.bb) and repeat is not None and repeat.base_passes < repeat.base_runs

    @property
    def has_same_code(self) -> bool:
        """Whether the test itself stands on head as on base; what is round it may differ."""
        before, after = self.base_on_base, self.head_on_head
        if before is None or after is None:
            return False
        return bool(before.source) and before.source == after.source


@dataclass(frozen=True, slots=True)
class ExplainedChange:
    """A change, the remark that explains it, and the result whose failure matters."""

    change: TestChange
    remark: str = ""
    failure: TestResult | None = None


_TELLING = (TestChange.FAIL_TO_PASS, TestChange.NEW_FAILING, TestChange.EXPECTATION_CHANGED)


def judge(four: Four) -> ExplainedChange:
    """Return the name of what happened to one test; what is not steady on head shows nothing."""
    if four.bb is None:
        found = _new(four)
    elif passed(four.bb):
        found = _flake(four) or _broken(four) if failed(four.bh) else _kept(four)
    else:
        found = _failing(four) if failed(four.bb) else _idle(four)
    repeat = four.head_repeat
    if found.change not in _TELLING or repeat is None:
        return found
    steady = repeat.head_runs if passed(four.hh) else 0
    if repeat.head_passes == steady:
        return found
    remark = (
        f"This test changes its mind on head: it {'passed' if passed(four.hh) else 'failed'} first, "
        f"and then passed {repeat.head_passes} of {repeat.head_runs} times."
    )
    return ExplainedChange(TestChange.FLAKY, remark, four.head_on_head)


# --- base's version passes on base ------------------------------------------------------------


def _kept(four: Four) -> ExplainedChange:
    """Base's version does not fail on head."""
    if failed(four.hh):
        change = TestChange.NEW_FAILING
        how = "was not run with head's code" if four.bh is None else "passes on head"
        remark = f"Base's version of this test {how}; the edited version fails."
        if not four.is_touched:
            change = TestChange.UNKNOWN
            remark = (
                "On head's code this test passes beside base's tests and configuration, and fails beside "
                "head's. Its file is as on base."
            )
        return ExplainedChange(change, remark, four.head_on_head)
    if four.hh is None:
        change, remark = TestChange.REMOVED, "This test is gone; base's version passes on head."
        if four.bh is None:
            remark = "This test is no longer collected with head's code."
        elif not passed(four.bh):
            change = TestChange.SKIPPED
            remark = "This test is gone; base's version is skipped on head."
        return ExplainedChange(change, remark)
    if not passed(four.hh):
        remark = "This test passed on base and is no longer asked to pass on head."
        return ExplainedChange(TestChange.SKIPPED, remark, four.head_on_head)
    # In compiled languages one new test keeps its whole package from building with base's code.
    crossed = four.head_on_base
    is_kept_from_loading = crossed is not None and is_whole_file(crossed) and four.has_same_code
    if failed(four.hb) and not is_kept_from_loading:
        return ExplainedChange(TestChange.FAIL_TO_PASS, _why_on_base(four), four.head_on_base)
    if not passed(four.bh):
        how = "was not run" if four.bh is None else "is skipped or may fail"
        return ExplainedChange(
            TestChange.UNKNOWN, f"Base's version of this test {how} with head's code."
        )
    return ExplainedChange(TestChange.PASS_TO_PASS)


def _flake(four: Four) -> ExplainedChange | None:
    repeat = four.repeat
    if repeat is None:
        return None
    if four.flakes_on_base:
        failures = repeat.base_runs - repeat.base_passes
        remark = f"This test failed in {failures} of {repeat.base_runs} more runs on base too."
        return ExplainedChange(TestChange.FLAKY, remark, four.base_on_head)
    if repeat.head_runs and repeat.head_passes == repeat.head_runs:
        remark = f"This test failed once on head and then passed {repeat.head_runs} times."
        return ExplainedChange(TestChange.FLAKY, remark, four.base_on_head)
    return None


def _broken(four: Four) -> ExplainedChange:
    """Base's version fails on head, and that is no flake."""
    change, failure = TestChange.PASS_TO_FAIL, four.base_on_head
    news, repeat, runner = four.replacements, four.repeat, four.other_runner
    if passed(four.hh) and runner:
        # The code still does what base's version asks for; whether its packages do, nobody has seen.
        change = TestChange.UNKNOWN
        remark = (
            f"Base's version of this test fails on head's code with {runner.head}, which the change brings, "
            f"and passes with base's packages and {runner.base}. The edited version passes."
        )
    elif passed(four.hh):
        # Another expectation fails with the old code; a loosened test passes with any.
        remark = "Base's version of this test fails on head; the edited version passes"
        if passed(four.hb):
            remark += " with the old code too."
        else:
            change, remark = TestChange.EXPECTATION_CHANGED, f"{remark}."
    elif failed(four.hh):
        failure, remark = four.head_on_head, ""
        if repeat is not None and repeat.head_passes:
            remark = (
                f"Run again, it passed {repeat.head_passes} of {repeat.head_runs} times on head and "
                f"{repeat.base_passes} of {repeat.base_runs} on base."
            )
    elif four.hh is not None:
        remark = "Base's version of this test fails on head, where it is skipped or may fail."
    elif news and all(passed(new.hh) for new in news) and any(failed(new.hb) for new in news):
        change = TestChange.EXPECTATION_CHANGED
        by = [f"`{new.head_on_head.id}`" for new in news[:3] if new.head_on_head]
        remark = f"Base's version of this test fails on head; what takes its place passes: {', '.join(by)}."
    else:
        remark = "The pull request removes this test; it fails on head."
    return ExplainedChange(change, remark, failure)


# --- base's version does not pass on base -----------------------------------------------------


def _failing(four: Four) -> ExplainedChange:
    """Base's version fails on base."""
    if passed(four.hh) and passed(four.hb) and not passed(four.bh):
        remark = "This test failed on base; the edited version passes with the old code too."
        return ExplainedChange(TestChange.NEVER_FAILED, remark, four.base_on_head)
    if passed(four.hh) and four.repeat and four.repeat.base_passes:
        remark = f"Run again, it passed on base {four.repeat.base_passes} times."
        return ExplainedChange(TestChange.FLAKY, remark, four.base_on_base)
    if passed(four.hh):
        return ExplainedChange(TestChange.FAIL_TO_PASS, "", four.base_on_base)
    if failed(four.hh):
        is_steady = not (passed(four.bh) and passed(four.hb) and four.has_same_code)
        change = TestChange.STILL_FAILING if is_steady else TestChange.FLAKY
        remark = "" if is_steady else "This test passes once and fails once on both sides."
        return ExplainedChange(change, remark, four.head_on_head)
    if four.hh is None:
        change = TestChange.REMOVED if passed(four.bh) else TestChange.STILL_FAILING
        remark = "This test failed on base and is gone on head."
        return ExplainedChange(change, remark, four.base_on_head or four.base_on_base)
    return ExplainedChange(
        TestChange.SKIPPED, "This test failed on base; on head it is not asked to pass."
    )


def _idle(four: Four) -> ExplainedChange:
    """Base's version is skipped or expected to fail on base."""
    was_broken = four.bb is Outcome.XFAILED
    if failed(four.hh):
        return ExplainedChange(TestChange.NEW_FAILING, "Base skips this test.", four.head_on_head)
    if not passed(four.hh):
        return ExplainedChange(TestChange.SKIPPED)
    if failed(four.hb) or (was_broken and four.hb is not Outcome.PASSED):
        remark = "Base expects this test to fail." if was_broken else ""
        return ExplainedChange(
            TestChange.FAIL_TO_PASS, remark, four.head_on_base or four.base_on_base
        )
    change = TestChange.NEVER_FAILED if passed(four.hb) else TestChange.SKIPPED
    return ExplainedChange(change, "Base does not ask this test to pass.")


# --- a test that only head has ----------------------------------------------------------------


def _new(four: Four) -> ExplainedChange:
    if failed(four.hh) and failed(four.hb) and four.is_unloaded_on_base:
        remark = "Base's version of its file cannot be loaded, and it fails with base's code, too."
        return ExplainedChange(TestChange.STILL_FAILING, remark, four.head_on_head)
    if failed(four.hh):
        return ExplainedChange(TestChange.NEW_FAILING, "", four.head_on_head)
    if not passed(four.hh):
        return ExplainedChange(TestChange.SKIPPED, "", four.head_on_head)
    if failed(four.hb) or four.hb is Outcome.XFAILED:
        return ExplainedChange(TestChange.FAIL_TO_PASS, _why_on_base(four), four.head_on_base)
    if passed(four.hb):
        return ExplainedChange(
            TestChange.NEVER_FAILED, "This new test already passes with base's code."
        )
    remark = "This new test was not run with base's code, so it proves nothing."
    return ExplainedChange(TestChange.UNKNOWN, remark)


def _why_on_base(four: Four) -> str:
    """Say when a test fails on base only because its file cannot be loaded there."""
    result = four.head_on_base
    if result is None or not is_whole_file(result):
        return ""
    if "ModuleNotFoundError" in result.message:
        return "With base's code its file cannot be loaded: a module is missing there."
    return "With base's code its file cannot be loaded."
