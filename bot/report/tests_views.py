"""The tests four ways as a report shows them: how to repeat each, and which changed symbols it reaches."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import islice

from bot.report.slim import SHOWN_CHANGES, TESTS_PER_GROUP
from bot.text.clipping import clip_middle
from bot.values import CodePlace, FourWay, Impact, NotRun, TestChange, TestComparison, TestedFolder
from sandbox.elsewhere.values import BothSides, TestedInput, Unmeasured, calls_near
from sandbox.values import FAILING

MESSAGE_CHARACTERS = 4_000
FAILING_CHANGES = (TestChange.PASS_TO_FAIL, TestChange.NEW_FAILING)


@dataclass(frozen=True, slots=True)
class TestView:
    """One test four ways, with the lines that repeat it alone (empty when there are none).

    `reaches` are the changed symbols that it uses, also through others, as the names in the code say.
    """

    __test__ = False
    comparison: TestComparison
    command: str
    reaches: tuple[CodePlace, ...] = ()

    @property
    def fails(self) -> bool:
        """Whether it speaks against the change."""
        return self.comparison.change in FAILING_CHANGES


@dataclass(frozen=True, slots=True)
class TestGroup:
    """The tests of one change; `count` is the whole number, `tests` the ones worth showing."""

    __test__ = False
    change: TestChange
    tests: tuple[TestView, ...]
    count: int


@dataclass(frozen=True, slots=True)
class TestsView:
    """The four-way result: `shown` can matter for the verdict, `ids` is every test by its change.

    `folders` are those whose tests were run, `not_run` those that the change can break beside them.
    """

    __test__ = False
    problem: str
    shown: tuple[TestGroup, ...]
    ids: tuple[tuple[TestChange, tuple[str, ...]], ...]
    total: int
    folders: tuple[TestedFolder, ...] = ()
    not_run: tuple[NotRun, ...] = ()


def tests_view(tests: FourWay, shown: ShownTests) -> TestsView:
    """The tests by their changes, the worst first."""
    groups = {
        change: tuple(one for one in tests.comparisons if one.change is change)
        for change in TestChange
    }
    return TestsView(
        problem=tests.problem,
        shown=tuple(
            TestGroup(
                change,
                tuple(shown.of(one) for one in groups[change][:TESTS_PER_GROUP]),
                len(groups[change]),
            )
            for change in SHOWN_CHANGES
            if groups[change]
        ),
        ids=tuple(
            (change, tuple(t.id for t in group)) for change, group in groups.items() if group
        ),
        total=len(tests.comparisons),
        folders=tests.folders,
        not_run=tests.not_run,
    )


@dataclass(frozen=True, slots=True)
class ShownTests:
    """Shows single tests: how to repeat each, and what it reaches.

    `head_sha` is empty for a work tree: no clone holds its commit.
    """

    base_sha: str
    head_sha: str
    reached: Reached

    def of(self, comparison: TestComparison) -> TestView:
        """One test, its message capped."""
        message = clip_middle(comparison.message, MESSAGE_CHARACTERS)
        capped = replace(comparison, message=message)
        command = repeat(comparison, self.base_sha, self.head_sha)
        return TestView(capped, command, self.reached.of(comparison))


_NAME = re.compile(r"(?<!\w)(\w+)(?:\[.*)?$", re.DOTALL)
"""The bare name at the end of a runner's id, without the parameters."""


class Reached:
    """Finds the changed symbols of a test by its file and its name, or by its line."""

    def __init__(self, impact: Impact | None, tests: Iterable[TestComparison]) -> None:
        self._symbols: dict[tuple[str, str | int], dict[CodePlace, None]] = defaultdict(dict)
        starts: dict[str, list[int]] = defaultdict(list)
        for test in tests:
            starts[test.path].append(test.line)
        for symbol in impact.symbols if impact else ():
            for place in symbol.tests:
                # A line outside of all definitions stands in the test that begins last before it.
                before = (line for line in starts[place.path] if line <= place.line)
                self._symbols[place.path, place.name or max(before, default=0)][symbol.place] = None

    def of(self, test: TestComparison) -> tuple[CodePlace, ...]:
        """Return them in the order of the diff."""
        name = _NAME.search(test.id)
        by_name = self._symbols.get((test.path, name[1]), {}) if name else {}
        by_line = self._symbols.get((test.path, test.line), {}) if test.line > 0 else {}
        return tuple({**by_name, **by_line})


_BASES = (TestChange.PASS_TO_FAIL, TestChange.EXPECTATION_CHANGED, TestChange.REMOVED)


def run_alone(test_id: str) -> str:
    """The line that runs one test alone; "" where its id names none to a runner."""
    file, is_of_pytest, _ = test_id.partition("::")
    is_named = is_of_pytest and file.endswith(".py")
    return f"python -m pytest {shlex.quote(test_id)}" if is_named else ""


def repeat(test: TestComparison, base_sha: str, head_sha: str) -> str:
    """Shell lines for a clean clone that holds both commits; only pytest's node ids name one test.

    Where the pull request edited the test, head's own version need not show what base's shows. Without
    head's commit it is the line for the tree as it stands, if that shows it.
    """
    run = run_alone(test.id)
    if not run:
        return ""
    is_bases = test.change in _BASES and test.head_on_head not in FAILING
    if not (test.path and base_sha and head_sha):
        return "" if is_bases else run
    base, head, path = base_sha[:12], head_sha[:12], shlex.quote(test.path)
    on_base, on_head = f"git checkout -q {base}", f"git checkout -q {head}"
    if test.change is TestChange.FAIL_TO_PASS and test.head_on_base in FAILING:
        there, back = _with_tests_of(head, path), _with_tests_of(base, path)
        return f"{on_base} && {there} && {run}; {back}\n{on_head} && {run}"
    if is_bases:
        there, back = _with_tests_of(base, path), _with_tests_of(head, path)
        return f"{on_head} && {there} && {run}; {back}"
    return f"{on_head} && {run}" if test.head_on_head is not None else run


def _with_tests_of(sha: str, path: str) -> str:
    """Put a file as it is in a commit (also where it is not there) into the tree."""
    return f"git restore -s {sha} -SW -- {path}"


# --- calls near those of the tests that give something else on head, too: each should be meant -----


_MOST_SHOWN = 3
_MOST_READ = 200


@dataclass(frozen=True, slots=True)
class AlsoChanged:
    """How many of the calls near the tested ones differ between the sides, and the most telling of them."""

    differing: int
    near: int
    calls: tuple[BothSides, ...]


def also_changed(inputs: Iterable[TestedInput]) -> AlsoChanged | None:
    """Return what differs near tested inputs; None for nothing.

    First come results that are unlike those which the tests show, by their signs other than letters and
    digits, then by their letters too; last the call that is least like a tested one.
    """
    inputs = [one for one in inputs if not one.problem]
    near = calls_near(inputs)
    differing = [both for both in near if both.differs]
    if not differing:
        return None
    shown: list[BothSides] = []
    for ignored in (r"\w", r"\d"):
        known = {_results(one.tested, ignored) for one in inputs}
        known.update(_results(one, ignored) for one in shown)
        for both in islice(differing, _MOST_READ):
            kind = _results(both, ignored)
            if kind not in known and len(shown) < _MOST_SHOWN - 1:
                known.add(kind)
                shown.append(both)
    tested = [one.tested.call for one in inputs]
    rest = sorted(
        (both for both in differing[:_MOST_READ] if both not in shown),
        key=lambda both: max(SequenceMatcher(None, both.call, one).ratio() for one in tested),
    )
    return AlsoChanged(len(differing), len(near), tuple((*shown, *rest)[:_MOST_SHOWN]))


def untried(inputs: Iterable[TestedInput]) -> Unmeasured | None:
    """Return why nothing but the tests' own inputs was tried; None where something was."""
    problems = [one.problem for one in inputs] or [Unmeasured.NO_CALLS]
    return problems[0] if all(problems) else None


def _results(both: BothSides, ignored: str) -> tuple[str, ...]:
    """What both sides give, without some signs; an error is known by its name."""
    return tuple(
        one if one.startswith("raised ") else re.sub(ignored, "", one)
        for one in (both.on_base, both.on_head)
    )
