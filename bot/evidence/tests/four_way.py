"""Says of every test what four runs show: base's and head's tests on base's and head's code.

Pure. The rules stand in `four_rules`; here tests of both sides are brought together.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from bot.evidence.tests.four_rules import Four, judge
from bot.evidence.tests.matching import function_of, in_place, match, without_lines
from bot.text.clipping import clip_line
from bot.values import FourWay, TestChange, TestComparison
from sandbox.test_runs.four_runs import (
    FourRuns,
    RunLookup,
    failed,
    files_of,
    is_below,
    is_whole_file,
    passed,
)
from sandbox.values import Diff, Outcome, TestResult, TestRun

_STACK = re.compile(r"(?:at .*(?::\d{1,9}:\d{1,9}\)?|\(<anonymous>\))|Require stack:|- /.*)$")
"""What Node says below an error."""


def compare(runs: FourRuns, diff: Diff) -> FourWay:
    """Return every test of base and head four ways; `problem` when a run proves nothing.

    Without two complete full runs there is nothing to compare. Head's tests may hang with base's
    code, when head mends just that: the one that hung failed there, the others stay unknown.
    """
    problem = _problem(runs)
    if not (runs.base_on_base.complete and runs.head_on_head.complete):
        return FourWay((), problem)
    changed = {path for change in diff.files for path in (change.path, change.old_path) if path}
    if diff.truncated:  # of the tests, the trees tell which ones the author touched
        on_head = {result.path for result in runs.head_on_head.results}
        changed |= {path for path in on_head if is_below(path, runs.head_paths)}
    comparisons: list[TestComparison] = []
    for four in _Table(runs, diff, changed).rows():
        one, shown = _comparison(four), four.head_on_head
        is_shown = one.change in (TestChange.FAIL_TO_PASS, TestChange.NEVER_FAILED)
        # That a linter is content with a file now shows nothing of what code does.
        if not (is_shown and shown is not None and shown.is_lint):
            comparisons.append(one)
    on_base = runs.head_on_base
    ended = on_base.problem if on_base is not None and not on_base.complete else ""
    return FourWay(
        tuple(sorted(comparisons, key=lambda item: item.id)), problem, ended_on_base=ended
    )


def why_it_failed(result: TestResult) -> str:
    """Return the exception of a test or of a file that was not loaded, and its path."""
    return f"{_exception(result)} ({result.path})"


def _exception(result: TestResult) -> str:
    """Return the exception, or where the tool tells none, the tool's last word."""
    lines = [line.strip() for line in result.message.splitlines()]
    told = [line for line in lines if line and not _STACK.match(line)] or ["it gave no reason"]
    return result.raised or told[-1][:300]


def _problem(runs: FourRuns) -> str:
    on_base = runs.head_on_base
    named: tuple[tuple[str, TestRun | None], ...] = (
        ("tests of base on base's code", runs.base_on_base),
        ("tests of head on head's code", runs.head_on_head),
        ("tests of base on head's code", runs.base_on_head),
        ("tests of head on base's code", on_base if on_base and on_base.forged else None),
    )
    ended: dict[str, list[str]] = {}
    for name, run in named:
        if run and not run.complete:
            ended.setdefault(run.problem.removesuffix("."), []).append(name)
    if ended:
        return " ".join(f"The {' and the '.join(of)}: {said}." for said, of in ended.items())
    # When no test could be loaded on either side, nothing regresses, vacuously.
    results = (*runs.base_on_base.results, *runs.head_on_head.results)
    if not results:
        return "No tests were collected on either side."
    if not all(is_whole_file(result) for result in results):
        return ""
    errors = [result for result in results if result.outcome is Outcome.ERROR] or list(results)
    times = Counter(map(_exception, errors))
    commonest = max(reversed(errors), key=lambda one: times[_exception(one)])
    more = len({result.path for result in results} - {commonest.path})
    others = f" and {more} more file{'s' if more > 1 else ''}" if more else ""
    return f"No test could be loaded on either side: {why_it_failed(commonest)}{others}."


class _Table:
    """Brings the tests of both sides together."""

    def __init__(self, runs: FourRuns, diff: Diff, changed: set[str]) -> None:
        self._changed = changed
        self._head = runs.head_on_head.results
        on_head = {result.id for result in self._head}
        # A file that failed as a whole is a test of base only where nothing else stands for it.
        self._base = [
            test
            for test in runs.base_on_base.results
            if not is_whole_file(test) or test.id in on_head
        ]
        of_files = (one for one in runs.base_on_base.results if is_whole_file(one))
        self._unloaded = {one.path for one in of_files if failed(one.outcome)}
        self._matched = match(self._base, self._head, diff)
        self._own_head = RunLookup(runs.head_on_head)
        self._on_head = runs.base_test_on_head()
        self._replaced = in_place(self._base, self._head, self._matched, self._is_broken)
        self._on_base = runs.head_test_on_base()
        self._other_runner = dict.fromkeys(runs.held_by_packages, runs.other_runner)
        self._repeats = {repeat.id: repeat for repeat in runs.repeats}
        self._head_repeats = {repeat.id: repeat for repeat in runs.head_repeats}

    def _is_broken(self, test: TestResult) -> bool:
        on_head = self._on_head.find(test.id, test.path)
        return passed(test.outcome) and on_head is not None and failed(on_head.outcome)

    def rows(self) -> list[Four]:
        """Return one row for each test of base, and one for each that only head has."""
        matched = {result.id for result in self._matched.values()}
        new = [
            Four(
                base_on_base=None,
                base_on_head=None,
                head_on_base=self._on_base.find(result.id, result.path),
                head_on_head=result,
                head_repeat=self._head_repeats.get(result.id),
                is_touched=_is_touched(result, self._changed),
                is_unloaded_on_base=result.path in self._unloaded,
            )
            for result in self._head
            if result.id not in matched
        ]
        replacements: dict[str, list[Four]] = defaultdict(list)
        for four in new:
            one = four.head_on_head
            if one is not None and (one.table or "[" in one.id):
                replacements[function_of(one)].append(four)
        renamed = {four.head_on_head.id: four for four in new if four.head_on_head}
        for base_id, one in self._replaced.items():
            replacements[base_id].append(renamed[one.id])
        old = [
            self._old(test, tuple(replacements.get(function_of(test), ()))) for test in self._base
        ]
        # A file's error on head may already be shown by the tests that base has in it.
        shown = [four.head_on_head for four in old]
        for four in new:
            whole = four.head_on_head
            if whole is None or not is_whole_file(whole) or whole not in shown:
                old.append(four)
        return old

    def _old(self, test: TestResult, replacements: tuple[Four, ...]) -> Four:
        now = self._matched.get(test.id)
        is_same = now is not None and without_lines(test.id) == without_lines(now.id)
        # A test that is named after lines of the code has the name of the code that it ran on.
        of_base, of_head = [test], [now] if now else []
        if is_same:
            of_base, of_head = of_base + of_head, of_head + of_base
        whole_file = self._own_head.find(test.id, test.path)
        if whole_file is not None and not is_whole_file(whole_file):
            whole_file = None
        return Four(
            base_on_base=test,
            base_on_head=_first(self._on_head, of_base),
            head_on_base=_first(self._on_base, of_head),
            head_on_head=now or whole_file,
            replacements=replacements,
            repeat=self._repeats.get(test.id),
            head_repeat=self._head_repeats.get(now.id) if now else None,
            other_runner=self._other_runner.get(test.id),
            is_touched=_is_touched(now or test, self._changed),
        )


def _first(run: RunLookup, named: Iterable[TestResult]) -> TestResult | None:
    """Return the result of the first of a test's names that ran."""
    return next((found for one in named if (found := run.find(one.id, one.path))), None)


def _is_touched(test: TestResult, changed: set[str]) -> bool:
    """Tell whether a change touches a test's files, or the folder whose tests run as one program."""
    tops = ("",) if test.path == "." else files_of(test.id, test.path)
    return any(is_below(one, tops) for one in changed)


_EDITED = (TestChange.EXPECTATION_CHANGED, TestChange.PASS_TO_FAIL)


def _comparison(four: Four) -> TestComparison:
    found = judge(four)
    shown = four.head_on_head or four.base_on_base
    if shown is None or (is_whole_file(shown) and four.base_on_base is not None):
        shown = four.base_on_base
    assert shown is not None  # noqa: S101 - a test exists on one side at least
    failure = found.failure.message if found.failure else ""
    again = four.head_repeat or four.repeat
    other = four.other_runner if found.change is TestChange.UNKNOWN else None
    source, before = shown.source, ""
    if found.change in _EDITED and four.base_on_base is not None:
        before = four.base_on_base.source
        new = next((one.head_on_head for one in four.replacements if one.head_on_head), None)
        source = new.source if new is not None and four.head_on_head is None else source
    # Code round a doctest that stands on head as on base makes nobody its author.
    on_head = four.head_on_head
    is_base_doctest = on_head is not None and on_head.is_doctest and four.has_same_code
    # A file that the change leaves alone may read tables and fixtures that it does not.
    reads_other = four.bb is None or four.hb not in (None, four.bb)
    return TestComparison(
        id=shown.id,
        change=found.change,
        base_on_base=four.bb,
        base_on_head=four.bh,
        head_on_base=four.hb,
        head_on_head=four.hh,
        written_by_author=(four.is_touched or reads_other) and not is_base_doctest,
        message="\n".join(part for part in (found.remark, failure) if part),
        not_loaded=why_it_failed(found.failure)
        if found.failure and is_whole_file(found.failure) and failed(found.failure.outcome)
        else "",
        path=shown.path,
        line=shown.line,
        source=source,
        source_before=before,
        passes=again.head_passes if again else 0,
        runs=again.head_runs if again else 0,
        assertion=assertion_line(failure),
        is_unfinished=found.failure is not None and found.failure.is_unfinished,
        flakes_on_base=four.flakes_on_base,
        needs_others=four.needs_others,
        runner_of_base=other.base if other else "",
        runner_of_head=other.head if other else "",
        table=shown.table,
    )


MOST_CHARS = 240

_PYTEST = re.compile(r"^E +(\S.*)$", re.MULTILINE)
_EXPECTED = re.compile(r"^[^\S\n]*(Expected[^:\n]*:\s*\S.*)$", re.MULTILINE)
_RECEIVED = re.compile(r"^[^\S\n]*(Received[^:\n]*:\s*\S.*)$", re.MULTILINE)
_BOTH_VALUES = (
    re.compile(  # uvu
        r"^\+\+(?P<expected>.{0,400})\(Expected\)\n--(?P<received>.{0,400})\(Actual\)$",
        re.MULTILINE,
    ),
    re.compile(
        r"^Actual:\n--(?P<received>.*)\n(?:--.*\n){0,200}Expected:\n\+\+(?P<expected>.*)$",
        re.MULTILINE,
    ),
    re.compile(  # ava
        r"^Difference[^\n:]*:\s*(?:  .*\n){0,200}- (?P<received>.*)\n(?:- .*\n){0,200}\+ (?P<expected>.*)$",
        re.MULTILINE,
    ),
    re.compile(  # tap
        r"^--- expected *\n\+\+\+ actual *\n@@.*\n(?: .*\n){0,200}-(?P<expected>.*)\n(?:-.*\n){0,200}"
        r"\+(?P<received>.*)$",
        re.MULTILINE,
    ),
)
"""The first difference, where a runner shows one."""
_OF_TYPE = re.compile(r"\s{1,80}\[\w{1,20}\]\Z")  # what uvu writes behind a value
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^[A-Za-z_][\w.]*(?:: .*)?$")
_TELLING = re.compile(
    r"\b(?:assert\w*|\w*error|\w*exception|expected|panicked|failed|failure|got|want)\b",
    re.IGNORECASE,
)
_HEADINGS = ("---", "===", "at ", "FAIL")


def assertion_line(message: str) -> str:
    """Return what was expected and what was there instead, as one line; empty without a message."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return ""
    of_pytest, expected, received = (
        pattern.search(message) for pattern in (_PYTEST, _EXPECTED, _RECEIVED)
    )
    if of_pytest:
        said = of_pytest[1]
    elif expected and received:
        said = f"{expected[1]}, {received[1]}"
    elif both := next(filter(None, (one.search(message) for one in _BOTH_VALUES)), None):
        values = (both[one].replace("·", "").strip() for one in ("expected", "received"))
        wanted, seen = (_OF_TYPE.sub("", one) for one in values)
        said = f"Expected: {wanted}, Received: {seen}"
    else:
        said = _of_others(lines)
    return clip_line(said, MOST_CHARS)


def _of_others(lines: list[str]) -> str:
    """A traceback ends with what was raised; elsewhere the first telling line says it."""
    if any(_TRACEBACK in line for line in lines):
        raised = [line for line in lines if _RAISED.match(line)]
        return raised[-1] if raised else lines[-1]
    for at, line in enumerate(lines):
        if _TELLING.search(line) and not line.startswith(_HEADINGS):
            goes_on = line.endswith(":") and at + 1 < len(lines)
            return f"{line} {lines[at + 1]}" if goes_on else line
    return lines[0]
