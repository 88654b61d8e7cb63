"""The four test runs as values: what ran, what was left out because it is the same run, repeats."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import PurePosixPath

from sandbox.test_runs.script_source import WHOLE_FILE
from sandbox.values import FAILING, Outcome, TestResult, TestRun

PASSES = (Outcome.PASSED, Outcome.XPASSED)
_WORTH_S, _MANY = 0.25, 30


@dataclass(frozen=True, slots=True)
class Repeat:
    """How often one test of base passed when it was run again, with base's and with head's code.

    `needs_others`: with its own file alone it fails on base, too, so these rounds ran everything.
    """

    id: str
    base_passes: int
    base_runs: int
    head_passes: int
    head_runs: int
    needs_others: bool = False


@dataclass(frozen=True, slots=True)
class OtherRunner:
    """The runners of base and of head ("jest 29.7.0"), where the change brings another major version.

    Or a package that the tests alone import, and that keeps them from being loaded with the other side's.
    """

    base: str
    head: str


_SERIES = re.compile(r"(?P<name>[^ ]+) (?P<series>0\.\d{1,9}|\d{1,9})\.")


def other_series(base: str, head: str) -> OtherRunner | None:
    """Return both names with their versions where the major one is another; below 1.0 the minor counts."""
    before, after = _SERIES.match(base), _SERIES.match(head)
    if before is None or after is None or before["name"] != after["name"]:
        return None
    return OtherRunner(base, head) if before.group() != after.group() else None


@dataclass(frozen=True, slots=True)
class FourRuns:
    """Whose tests on whose code. The crosswise runs hold only what differs between the sides.

    `base_paths` and `head_paths` are the files and folders that were run crosswise ("" is the
    whole tree); a test outside them is the same on both sides, so its crosswise outcome is the
    other side's own. None: nothing was run crosswise. `held_by_packages` are tests of base that fail on
    head's code with head's packages, and pass there with base's; only where there is an `other_runner`.
    """

    base_on_base: TestRun
    head_on_head: TestRun
    base_on_head: TestRun | None = None
    head_on_base: TestRun | None = None
    base_paths: tuple[str, ...] = ()
    head_paths: tuple[str, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    head_repeats: tuple[Repeat, ...] = ()  # of head's tests, with head's code only
    other_runner: OtherRunner | None = None
    held_by_packages: frozenset[str] = frozenset()

    def is_crossed(self, test: TestResult) -> bool:
        """Tell whether a test of base was run crosswise with head's code."""
        is_run = any(is_below(one, self.base_paths) for one in files_of(test.id, test.path))
        return self.base_on_head is not None and is_run

    def base_test_on_head(self) -> RunLookup:
        """Return where the outcome of base's tests on head's code is found."""
        return RunLookup(self.head_on_head, self.base_on_head, self.base_paths)

    def head_test_on_base(self) -> RunLookup:
        """Return where the outcome of head's tests on base's code is found."""
        return RunLookup(self.base_on_base, self.head_on_base, self.head_paths)


class RunLookup:
    """Finds a test's result: in the crosswise run when its file was part of it, else in the full."""

    def __init__(
        self, full: TestRun, crosswise: TestRun | None = None, paths: tuple[str, ...] = ()
    ) -> None:
        self._full = _RunIndex(full)
        self._crosswise = _RunIndex(crosswise) if crosswise is not None else None
        self._paths = paths

    def find(self, test_id: str, path: str) -> TestResult | None:
        """Return the result of a test, or of what keeps its file from being collected."""
        is_run = any(is_below(one, self._paths) for one in files_of(test_id, path))
        if self._crosswise is not None and is_run:
            return self._crosswise.find(test_id, path)
        return self._full.find(test_id, path)


class _RunIndex:
    def __init__(self, run: TestRun) -> None:
        self._by_id = {result.id: result for result in run.results}
        # Also a file that declares no test itself, and that failed.
        whole = [
            one
            for one in run.results
            if is_whole_file(one) or (failed(one.outcome) and one.id == f"{one.path}::{WHOLE_FILE}")
        ]
        alone = {r.id for r in whole}
        told = {files_of(r.id, r.path)[1] for r in run.results if r.id not in alone}
        self._whole_files = {r.path: r for r in whole if is_whole_file(r) or r.path not in told}

    def find(self, test_id: str, path: str) -> TestResult | None:
        if found := self._by_id.get(test_id):
            return found
        for file in files_of(test_id, path):
            if file in self._whole_files:
                return self._whole_files[file]
        for folder in PurePosixPath(path).parents:
            for name in (str(folder / "conftest.py"), str(folder), str(folder / "__init__.py")):
                error = self._whole_files.get(name)
                if error is not None and error.outcome is Outcome.ERROR:
                    return error
        return None


def files_of(test_id: str, path: str) -> tuple[str, str]:
    """Return the file that defines a test, and the one that runs it: mostly the same."""
    return path, test_id.partition("::")[0]


def is_whole_file(result: TestResult) -> bool:
    """Tell whether a result stands for a file (or folder) that could not be collected, or skipped."""
    return result.id == result.path


def is_below(path: str, paths: tuple[str, ...]) -> bool:
    """Tell whether a path is one of `paths` or below one; "" holds everything."""
    return any(top in ("", path) or path.startswith(top + "/") for top in paths)


def failed(outcome: Outcome | None) -> bool:
    """Tell whether a test ran and did not do what it asks for."""
    return outcome in FAILING


def passed(outcome: Outcome | None) -> bool:
    """Tell whether a test ran and did what it asks for."""
    return outcome in PASSES


RECENT_DAYS = 35
"""How old a kept run of base can be, and some."""

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{8,16}\b")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)
_DATE = re.compile(r"\b(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)-(\d\d)-(\d{4}))(?:\b|(?=T\d\d:))")
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?")


def worth_alone(tests: Mapping[str, str], run: TestRun) -> tuple[str, ...]:
    """Return the names of tests ({id: path}, parameters left out) where running them alone saves time.

    () where the other tests of their files are quick and few: then the files run whole.
    """
    names = {unparametrized(one) for one in tests}
    paths = set(tests.values())
    others = [
        one.seconds
        for one in run.results
        if one.path in paths and unparametrized(one.id) not in names
    ]
    is_worth_it = sum(others) > _WORTH_S or len(others) > _MANY
    return tuple(sorted(names)) if is_worth_it else ()


def unparametrized(test_id: str) -> str:
    """Return the id of a test without its parameters, as every one of them has it."""
    return test_id.partition("[")[0].partition("#")[0]


def aligned(run: TestRun, *references: TestRun) -> TestRun:
    """Return `run` with its volatile ids as the first of `references` that has the test spells them."""
    own = {result.id for result in run.results}
    known = {result.id for reference in references for result in reference.results}
    spare: dict[str, deque[str]] = defaultdict(deque)
    for test_id in dict.fromkeys(r.id for reference in references for r in reference.results):
        if test_id not in own and (form := steady_form(test_id)) != test_id:
            spare[form].append(test_id)
    if not spare:
        return run
    results = []
    for result in run.results:
        same = spare.get(steady_form(result.id)) if result.id not in known else None
        results.append(replace(result, id=same.popleft()) if same else result)
    return replace(run, results=tuple(results))


def steady_form(test_id: str) -> str:
    """Return the id with every volatile part of its parameters, or titles, set aside."""
    # What has no parameters may have titles, behind its file.
    function, bracket, parameters = test_id.partition("[" if "[" in test_id else "::")
    if not bracket:
        return test_id
    steady = _UUID.sub("<uuid>", _ADDRESS.sub("<address>", parameters))
    dated = _DATE.sub(_without_recent_date, steady)
    if dated != steady:
        dated = _TIME.sub("<time>", dated)
    return f"{function}{bracket}{dated}"


def _without_recent_date(found: re.Match[str]) -> str:
    year, month, day, first, second, last = found.groups()
    spellings = ((year, month, day),) if year else ((last, first, second), (last, second, first))
    for one in spellings:
        with suppress(ValueError):  # a date that there is not
            if abs(date.today() - date(*map(int, one))) <= timedelta(days=RECENT_DAYS):
                return "<date>"
    return found.group()
