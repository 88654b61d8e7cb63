"""Reads the four-way test result for what each test can bear witness to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from bot.evidence.tests.matching import function_of
from bot.text.clipping import listed
from bot.values import FourWay, Observed, TestChange, TestComparison
from sandbox.test_runs.four_runs import passed
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import FAILING, Outcome

_TROUBLE = re.compile(
    r"\b(?:ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:module|package)|ModuleNotFoundError|"
    r"ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES|EPERM|Connection\w*Error|gaierror|FileNotFoundError|PermissionError|"
    r"OperationalError|Executable doesn't exist|command not found)\b[^\n]{0,300}"
)
"""What a test says that lacks something of the machine that it runs on, and not what it asks for."""
_CLOCK = (
    r"(?:performance\.now|Date\.now|process\.hrtime(?:\.bigint)?"
    r"|(?:time\.)?(?:perf_counter|monotonic|process_time|time)(?:_ns)?)\(\)"
)
_MEASURED = re.compile(rf"\b(\w+)[ \t]*=[^=\n;]{{0,40}}{_CLOCK}[ \t]*-")
"""A name for the time that went by: what the clock says, less what it said before."""
_BOUND = re.compile(r"<|\b(?:toBeLessThan|assertLess|isBelow|isAtMost|below|lessThan|most)\w*\(\w*")
_NAME = re.compile(r"\w+")
_MOST_LINE, _MOST_FILES = 100, 3
_HAVE_WHAT_TESTS_NEED = (
    "Let base's own tests pass where Assay runs (`setup:` in `.github/assay.yml` says how to install and "
    "test), then comment `/judge`; or let somebody who ran them accept this."
)
_MEASURE_AGAIN = (
    "Comment `/judge` to measure again. If it fails again, let the test count what is done and not the time "
    "that it takes, or let somebody who ran it accept this."
)
_FOR_THIS_TOOLCHAIN = (
    "Let the configuration or CI name a version of the toolchain that all packages run on, then comment "
    "`/judge`; or let somebody who ran the tests accept this."
)
_FRAME = re.compile(r"\bat (?:[^\n(]{0,200}\()?(/[^\n:]{1,300}):\d")
_LACKS_PRIVATE = re.compile(
    r"^[ \t]*(?:E[ ]+)?(?:ModuleNotFoundError: No module named '(?:[\w.]+\.)?(_\w*)"
    r"|ImportError: cannot import name '(?:(_\w*)|\w+' from '(?:[\w.]+\.)?(_\w*))"
    r"|AttributeError: .{0,200} has no attribute '(_\w*)"
    r"|TypeError: .{0,200}\.(_\w{1,99}) is not a function)",
    re.MULTILINE,
)
_ASKED_BY_A_PACKAGE = re.compile(r" imported from \S{0,200}/(?:node_modules|site-packages)/\S+")


@dataclass(frozen=True, slots=True)
class TestGroups:
    """The tests by what they show; a test stands in at most one of `proofs`, `failures`, `hollow`.

    `proofs` fail on base's code and pass on head's; `failures` are new on head and fail there;
    `hollow` are new and cannot fail on base's code; `regressions` passed on base and fail on head;
    `loosened` are those that the pull request edited until they pass with any code, and `withdrawn`
    parameters that it took out of a test that stays; both are regressions until something speaks
    for them. `unsteady` change their mind on one side, so they show nothing. `undecided` passed on
    base and nobody knows about head; `skipped` passed on base and are not asked to pass on head; `kept`
    pass on both; `unrun` are new and pass on head, and their run on base's code was ended by something else;
    `idle` are new and skipped on head.
    """

    proofs: tuple[TestComparison, ...]
    failures: tuple[TestComparison, ...]
    hollow: tuple[TestComparison, ...]
    regressions: tuple[TestComparison, ...]
    loosened: tuple[TestComparison, ...]
    withdrawn: tuple[TestComparison, ...]
    undecided: tuple[TestComparison, ...]
    skipped: tuple[TestComparison, ...]
    kept: tuple[TestComparison, ...]
    still_failing: tuple[TestComparison, ...]
    expectations: tuple[TestComparison, ...]
    unsteady: tuple[TestComparison, ...]
    unrun: tuple[TestComparison, ...]
    idle: tuple[TestComparison, ...]

    @property
    def held(self) -> tuple[TestComparison, ...]:
        """Return what passes on both sides' code, new tests too: it shows what stays as it is."""
        return (*self.kept, *self.hollow)


def group_tests(tests: FourWay) -> TestGroups:
    """Sort the comparisons by what they can show; nothing is called from a result that proves nothing."""
    comparisons = () if tests.problem else tests.comparisons
    comparisons = tuple(c for c in comparisons if c.id not in tests.taken_back)
    passing = {function_of(c) for c in comparisons if c.head_on_head is Outcome.PASSED}
    broken = _of(comparisons, TestChange.PASS_TO_FAIL)
    loosened = tuple(
        c for c in broken if c.head_on_head is Outcome.PASSED and c.head_on_base is Outcome.PASSED
    )
    withdrawn = tuple(c for c in broken if c.head_on_head is None and function_of(c) in passing)
    not_on_base = [c for c in comparisons if c.base_on_base is None and c.head_on_base is None]
    return TestGroups(
        proofs=tuple(
            c
            for c in comparisons
            if c.change is TestChange.FAIL_TO_PASS
            or (
                c.change is TestChange.EXPECTATION_CHANGED
                and c.head_on_base in FAILING
                and c.head_on_head is Outcome.PASSED
            )
        ),
        failures=_of(comparisons, TestChange.NEW_FAILING),
        hollow=_of(comparisons, TestChange.NEVER_FAILED),
        regressions=tuple(c for c in broken if c not in loosened and c not in withdrawn),
        loosened=loosened,
        withdrawn=withdrawn,
        undecided=tuple(c for c in comparisons if _is_undecided(c)),
        skipped=tuple(c for c in comparisons if _is_silenced(c)),
        kept=tuple(c for c in comparisons if _is_kept(c)),
        still_failing=_of(comparisons, TestChange.STILL_FAILING),
        expectations=_of(comparisons, TestChange.EXPECTATION_CHANGED),
        unsteady=_of(comparisons, TestChange.FLAKY),
        unrun=tuple(
            c for c in not_on_base if tests.ended_on_base and c.head_on_head is Outcome.PASSED
        ),
        idle=tuple(
            c
            for c in comparisons
            if c.base_on_base is None and c.head_on_head is Outcome.SKIPPED and c.written_by_author
        ),
    )


def blamed_on_the_machine(
    failing: Collection[TestComparison], of_base: Iterable[TestComparison]
) -> tuple[str, str] | None:
    """Return why new tests may fail for the machine that they run on, and what to do.

    They lack what tests of base lack, too, are cut off where these are, load a package that is written for
    another version, or hold a time that they measured to a limit. None where one of them may fail for a
    reason of its own.
    """
    # One that the author touched is one of base's where base's own version fails on both sides' code.
    known = [
        _lacking(test)
        for test in of_base
        if not test.written_by_author or {test.base_on_base, test.base_on_head} <= {*FAILING}
    ]
    lacking = {_lacking(test) for test in failing}
    if len(lacking) == 1 and "" not in lacking and (trouble := next(iter(lacking))) in known:
        count = known.count(trouble)
        tests = "1 test of base fails" if count == 1 else f"{count} tests of base fail"
        return f"{tests} on base, too, for want of the same: `{trouble}`.", _HAVE_WHAT_TESTS_NEED
    # What ends the run of a file there ends it here, too: nobody can tell what its new tests would give.
    ended = {c.path for c in of_base if c.is_unfinished and c.base_on_base is Outcome.ERROR}
    if failing and all(test.is_unfinished and test.path in ended for test in failing):
        files = ", ".join(
            f"`{path}`" for path in sorted({test.path for test in failing})[:_MOST_FILES]
        )
        return (
            f"Tests of base in {files} do not come to their end on base, either.",
            _HAVE_WHAT_TESTS_NEED,
        )
    if failing and all(map(_loads_what_cannot_be_read, failing)):
        return (
            "What fails is a package that they load: the version of the toolchain that is used here cannot "
            "read it.",
            _FOR_THIS_TOOLCHAIN,
        )
    limits = [_time_limit(test) for test in failing]
    if not limits or "" in limits:
        return None
    return (
        f"What fails is a limit on time (`{limits[0]}`), and the machine that Assay runs on may be slower.",
        _MEASURE_AGAIN,
    )


def _loads_what_cannot_be_read(test: TestComparison) -> bool:
    """Whether a test that Node could read loads a package in which it finds an error of syntax."""
    _, is_syntax, stack = test.message.partition("SyntaxError: ")
    frames = _FRAME.findall(stack)
    is_read = any(frame.endswith(f"/{test.path}") for frame in frames)
    return bool(is_syntax and is_read) and "/node_modules/" in frames[0]


def _time_limit(test: TestComparison) -> str:
    """The line at which a test failed, where that holds a time which the test measured to a limit."""
    frame = re.search(rf"{re.escape(test.path)}:(\d+)", test.message)
    lines = _body(test).splitlines()
    at = int(frame[1]) - test.line if frame else -1
    line = lines[at].strip() if 0 <= at < len(lines) else ""
    bound = _BOUND.search(line)
    measured = set(_MEASURED.findall("\n".join(lines[:at])))
    names = set(_NAME.findall(line[: bound.end()])) if bound else set()
    return line[:_MOST_LINE].replace("`", "'") if names & measured else ""


def _lacking(test: TestComparison) -> str:
    """The error of a test that lacks something; where a package asks for files in turn, only what asks."""
    raised = "\n".join(line for line in test.message.splitlines() if line.startswith("E "))
    # what pytest says, not its source
    found = _TROUBLE.search(raised) or _TROUBLE.search(test.message)
    said = " ".join(found[0].replace("`", "'").split())[:200] if found else ""
    asking = _ASKED_BY_A_PACKAGE.search(said)
    return f"Cannot find module{asking[0]}" if asking else said


def lacks_private(test: TestComparison) -> str:
    """Return the private name, of a module or in one, that is not there where a test fails; or ""."""
    found = _LACKS_PRIVATE.search(test.message)
    return next(filter(None, found.groups())) if found else ""


def pass_rate(test: TestComparison) -> str:
    """How often a repeated test passed on head, as words for a sentence; empty when it was not repeated."""
    if not test.runs:
        return ""
    if test.passes < test.runs:
        return f"passed {test.passes} of {test.runs} re-runs"
    return "passed again on a re-run" if test.runs == 1 else f"passed again in {test.runs} re-runs"


def test_ids(tests: Iterable[TestComparison], most: int = 3) -> str:
    """A few test ids for a sentence, and how many more there are."""
    return listed((test.shown for test in tests), most)


def told_of(tests: Sequence[TestComparison], one: str, several: str) -> str:
    """Begin a sentence with a few test ids: `one` goes on about a single test, `several` about more."""
    return f"{test_ids(tests)} {one if len(tests) == 1 else several}"


def _body(test: TestComparison) -> str:
    """The code of a test: in JavaScript the titles around it stand before it in its source."""
    title, _, body = test.source.partition("\n")
    return body if title and test.id.endswith(title) else test.source


_COMMENT = re.compile(r"^[ \t]*(?://|#|/?\*)[^\n]*$", re.MULTILINE)


def code_of(tests: Iterable[TestComparison]) -> str:
    """The code of some tests with the values of their rows: titles and comments use nothing."""
    found: list[str] = []
    for test in tests:
        # The part of an id that is of one row: `[…]`, or the title that a row of `test.each` gives.
        row = test.id.rpartition(" > ")[2] if test.table else ""
        if test.id.endswith("]"):
            row = test.id[test.id.find("[") :]
        found.append(f"{row}\n{_COMMENT.sub('', _body(test))}")
    return "\n".join(found)


def _of(comparisons: tuple[TestComparison, ...], change: TestChange) -> tuple[TestComparison, ...]:
    return tuple(c for c in comparisons if c.change is change)


def _is_undecided(c: TestComparison) -> bool:
    """Passed on base, and on head it was not seen to; one that flakes on base too shows nothing."""
    if not passed(c.base_on_base) or c.flakes_on_base:
        return False
    if c.change is TestChange.FAIL_TO_PASS:
        return c.base_on_head in (Outcome.SKIPPED, Outcome.XFAILED)
    is_torn = c.change is TestChange.FLAKY and c.base_on_head in FAILING
    return is_torn or c.change is TestChange.UNKNOWN


def _is_silenced(c: TestComparison) -> bool:
    """Passed on base; on head it is skipped, may fail, or head's code keeps it from being collected."""
    is_uncollected = c.change is TestChange.REMOVED and c.base_on_head is None
    return passed(c.base_on_base) and (is_uncollected or c.change is TestChange.SKIPPED)


def _is_kept(c: TestComparison) -> bool:
    """An edited test whose base version still passes is kept too, whatever the new one proves."""
    held = c.base_on_base is Outcome.PASSED and c.base_on_head is Outcome.PASSED
    return c.change is TestChange.PASS_TO_PASS or (c.change is TestChange.FAIL_TO_PASS and held)


def never_run(observed: Observed) -> tuple[str, ...]:
    """Return the changed files of tests of which no test was collected: another runner's, for example.

    None, where what ran is not known by the files of its tests.
    """
    ran = {one.path for one in observed.tests.comparisons}
    if not ran or any(classify(one) is not PathKind.TEST for one in ran):
        return ()
    changed = (one for one in observed.changed_paths if one not in ran)
    return tuple(one for one in changed if classify(one) is PathKind.TEST)
