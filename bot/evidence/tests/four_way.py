"""Says of every test what four runs show: base's and head's tests on base's and head's code.

Pure. The rules stand in `four_rules`; here tests of both sides are brought together.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from difflib import SequenceMatcher

from bot.evidence.tests.four_rules import Four, judge
from bot.text.clipping import clip_line
from bot.values import FourWay, TestChange, TestComparison
from sandbox.test_runs.four_runs import (
    FourRuns,
    RunLookup,
    failed,
    is_below,
    is_whole_file,
    passed,
)
from sandbox.values import ChangeStatus, Diff, Outcome, TestResult, TestRun

_STACK = re.compile(r"at .*:\d{1,9}:\d{1,9}\)?$")  # a line of V8's stack


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
    comparisons = [_comparison(four, changed) for four in _Table(runs, diff).rows()]
    on_base = runs.head_on_base
    ended = on_base.problem if on_base is not None and not on_base.complete else ""
    return FourWay(
        tuple(sorted(comparisons, key=lambda item: item.id)), problem, ended_on_base=ended
    )


def why_it_failed(result: TestResult) -> str:
    """Return the exception of a test or of a file that was not loaded, and its path.

    Where the tool tells no exception, it is the tool's last word.
    """
    lines = [line.strip() for line in result.message.splitlines()]
    told = [line for line in lines if line and not _STACK.match(line)] or ["it gave no reason"]
    return f"{result.raised or told[-1][:300]} ({result.path})"


def _problem(runs: FourRuns) -> str:
    on_base = runs.head_on_base
    named: tuple[tuple[str, TestRun | None], ...] = (
        ("The tests of base on base's code", runs.base_on_base),
        ("The tests of head on head's code", runs.head_on_head),
        ("The tests of base on head's code", runs.base_on_head),
        ("The tests of head on base's code", on_base if on_base and on_base.forged else None),
    )
    told = [f"{name}: {run.problem}" for name, run in named if run and not run.complete]
    if told:
        return " ".join(told)
    # When no test could be loaded on either side, nothing regresses, vacuously.
    results = (*runs.base_on_base.results, *runs.head_on_head.results)
    if not results:
        return "No tests were collected on either side."
    if not all(is_whole_file(result) for result in results):
        return ""
    errors = [result for result in results if result.outcome is Outcome.ERROR] or list(results)
    more = len({result.path for result in results} - {errors[-1].path})
    others = f" and {more} more file{'s' if more > 1 else ''}" if more else ""
    return f"No test could be loaded on either side: {why_it_failed(errors[-1])}{others}."


class _Table:
    """Brings the tests of both sides together."""

    def __init__(self, runs: FourRuns, diff: Diff) -> None:
        self._head = runs.head_on_head.results
        on_head = {result.id for result in self._head}
        # A file that failed as a whole is a test of base only where nothing else stands for it.
        self._base = [
            test
            for test in runs.base_on_base.results
            if not is_whole_file(test) or test.id in on_head
        ]
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
        whole_file = self._own_head.find(test.id, test.path)
        if whole_file is not None and not is_whole_file(whole_file):
            whole_file = None
        return Four(
            base_on_base=test,
            base_on_head=self._on_head.find(test.id, test.path),
            head_on_base=self._on_base.find(now.id, now.path) if now else None,
            head_on_head=now or whole_file,
            replacements=replacements,
            repeat=self._repeats.get(test.id),
            head_repeat=self._head_repeats.get(now.id) if now else None,
            other_runner=self._other_runner.get(test.id),
        )


def _is_base_doctest(four: Four) -> bool:
    """Tell whether it is a doctest that stands on head as on base: code round it makes nobody its author."""
    before, after = four.base_on_base, four.head_on_head
    if before is None or after is None or not after.is_doctest:
        return False
    return bool(before.source) and before.source == after.source


_EDITED = (TestChange.EXPECTATION_CHANGED, TestChange.PASS_TO_FAIL)


def _comparison(four: Four, changed: set[str]) -> TestComparison:
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
    tops = ("" if shown.path == "." else shown.path,)  # a folder's tests may run as one program
    is_touched = any(is_below(one, tops) for one in changed)
    return TestComparison(
        id=shown.id,
        change=found.change,
        base_on_base=four.bb,
        base_on_head=four.bh,
        head_on_base=four.hb,
        head_on_head=four.hh,
        written_by_author=is_touched and not _is_base_doctest(four),
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
        flakes_on_base=four.flakes_on_base,
        runner_of_base=other.base if other else "",
        runner_of_head=other.head if other else "",
        table=shown.table,
    )


MOST_CHARS = 240

_PYTEST = re.compile(r"^E +(\S.*)$", re.MULTILINE)
_EXPECTED = re.compile(r"^[^\S\n]*(Expected[^:\n]*:\s*\S.*)$", re.MULTILINE)
_RECEIVED = re.compile(r"^[^\S\n]*(Received[^:\n]*:\s*\S.*)$", re.MULTILINE)
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


# --- finds a test of base again on head after files, classes or functions were renamed or moved ------


_DEFINITION = re.compile(r"^[^\S\n]*(async\s+)?def\s+\w+", re.M)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TITLE = re.compile(r"(?<!\\)(['\"`])(?:\\.|(?!\1)[^\\])*\1", re.S)
_SHORTEST_BODY = 25  # characters; below, equal bodies say nothing ("pass")
_SAME_SHARE = 0.6  # of the lines of two tests, from which on one was made from the other
_FEWEST_LINES = 3  # that two such tests have in common
_MOST_REPLACED, _MOST_LINES = 60, 100  # tests of one side, and lines of one, that are compared


def match(
    base: Iterable[TestResult], head: Iterable[TestResult], diff: Diff
) -> dict[str, TestResult]:
    """Return base id → the same test on head, by the first of these that finds exactly one.

    1. The same id, its file's rename taken into account. 2. The same class, function and
    parameters in another file. 3. The same function and parameters of the same file in another
    class. 4. The same code under another name.
    """
    moved = {
        change.old_path: change.path
        for change in diff.files
        if change.status is ChangeStatus.RENAMED and change.old_path
    }
    left = {result.id: result for result in base if not is_whole_file(result)}
    new = {result.id: result for result in head if not is_whole_file(result)}
    found: dict[str, TestResult] = {}
    keys: tuple[tuple[_Key, _Key], ...] = (
        (lambda r: _renamed(r, moved), lambda r: r.id),
        (_inside_file, _inside_file),
        (
            lambda r: _without_class(r, moved.get(r.path, r.path)),
            lambda r: _without_class(r, r.path),
        ),
        (_body, _body),
    )
    for base_key, head_key in keys:
        by_key: dict[Hashable, tuple[list[str], list[TestResult]]] = defaultdict(lambda: ([], []))
        for result in left.values():
            by_key[base_key(result)][0].append(result.id)
        for result in new.values():
            by_key[head_key(result)][1].append(result)
        for key, (bases, heads) in by_key.items():
            if key is not None and len(bases) == len(heads) == 1:
                found[bases[0]] = heads[0]
                del left[bases[0]], new[heads[0].id]
    return found


def in_place(
    base: Iterable[TestResult],
    head: Iterable[TestResult],
    matched: dict[str, TestResult],
    is_broken: Callable[[TestResult], bool],
) -> dict[str, TestResult]:
    """Return base id → the test that took its place under another name, with another expectation.

    Only where base's version breaks on head: for what is deleted and would still pass there is a rule of its
    own. Both stand in one file, and neither has more lines in common with any other test of it.
    """
    taken = {result.id for result in matched.values()}
    left = [one for one in base if one.id not in matched and _stands_alone(one)]
    paths = {one.path for one in left if is_broken(one)}
    left = [one for one in left if one.path in paths][:_MOST_REPLACED]
    new = [one for one in head if one.id not in taken and _stands_alone(one) and one.path in paths]
    new = new[:_MOST_REPLACED]
    near = [(a, b, share) for a in left for b in new if (share := _same_share(a, b))]
    found: dict[str, TestResult] = {}
    for one, other, share in near:
        rivals = [s for a, b, s in near if (a.id == one.id) != (b.id == other.id)]
        if share > max(rivals, default=0.0) and is_broken(one) and passed(other.outcome):
            found[one.id] = other
    return found


def _stands_alone(result: TestResult) -> bool:
    return not (result.table or "[" in result.id or is_whole_file(result) or result.is_doctest)


def _same_share(one: TestResult, other: TestResult) -> float:
    """Return the share of lines that two tests of a file have in common; 0 where it is too small."""
    if one.path != other.path:
        return 0.0
    matcher = SequenceMatcher(None, _lines(one), _lines(other), autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return matcher.ratio() if same >= _FEWEST_LINES and matcher.ratio() >= _SAME_SHARE else 0.0


def _lines(result: TestResult) -> list[str]:
    """Return the lines of a test's code that say something, without its name or title."""
    code = _body(result)
    lines = (line.strip() for line in code[0].splitlines()) if code else ()
    return [line for line in lines if re.search(r"\w", line)][:_MOST_LINES]


_Key = Callable[[TestResult], Hashable | None]


def function_of(result: TestResult) -> str:
    """Return the id without parameters or row: they come and go, the function stays."""
    return result.table or result.id.split("[", 1)[0]


def _renamed(result: TestResult, moved: dict[str, str]) -> str:
    path = result.path
    new_path = moved.get(path, path)
    if "::" not in result.id:  # unittest: dotted module names
        return result.id.replace(_dotted(path), _dotted(new_path), 1)
    return result.id.replace(path, new_path, 1) if result.id.startswith(path) else result.id


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _inside_file(result: TestResult) -> str | None:
    return result.id.split("::", 1)[1] if "::" in result.id else None


def _without_class(result: TestResult, path: str) -> tuple[str, str] | None:
    if "::" not in result.id:
        return None
    head, bracket, parameters = result.id.partition("[")
    return path, head.rsplit("::", 1)[-1] + bracket + parameters


def _body(result: TestResult) -> tuple[str, str] | None:
    """Return the code without the function's name or title, with the parameters of the id."""
    if _SCRIPT.search(result.path):
        # The source is a line of titles, then the call that begins with the last of them.
        code = _TITLE.sub("", result.source.partition("\n")[2], count=1).strip()
        return (code, "") if len(code) > _SHORTEST_BODY else None
    body = _DEFINITION.sub("def", result.source, count=1).strip()
    return (body, result.id.partition("[")[2]) if len(body) > _SHORTEST_BODY else None
