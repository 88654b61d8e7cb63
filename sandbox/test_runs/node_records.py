"""Reads what the Node reporters wrote to the channel and says what it proves: records to a TestRun."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path, PurePosixPath

from sandbox.harness.readers import storable
from sandbox.test_runs.run_records import (
    NO_TESTS,
    ended_how,
    integer_of,
    read_records,
    seconds_of,
    telling_line,
    text_of,
    unique,
)
from sandbox.test_runs.script_source import LARGEST_SOURCE, WHOLE_FILE, ScriptSources
from sandbox.toolchains.node_version import satisfies
from sandbox.toolchains.tree import Tree
from sandbox.values import FAILING, Outcome, TestResult, TestRun

_OUTPUT_DEPTH = 2
_COMPILED_FROM = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",)}
# A file that names none of these may be a test by its exit code alone, as `node --test` has it.
_DECLARES_TESTS = re.compile(r"""['"](node:test|tape|tap|uvu)['"]""")


@dataclass(slots=True)
class _Part:
    """What one process told: the whole run, or one test file of it."""

    file: str = ""
    results: list[TestResult] = field(default_factory=list)
    running: dict[str, list[str]] = field(default_factory=dict)  # the titles of a test by its file
    has_begun: bool = False  # the reporter was loaded
    ended: bool = False  # the reporter came to its end
    lost: int = 0
    problem: str = ""
    fault: str = ""  # of our own watcher
    wait_status: int | None = None


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    runner: str = "test runner"
    parts: list[_Part] = field(default_factory=list)
    plain: str = ""  # what the runner prints without a reporter of ours
    node: str = ""  # a version of node, where the runner wants another one
    wanted_node: str = ""
    helpers: dict[str, bool] = field(default_factory=dict)  # {file: is it one of the runner's own}
    absent: bool = False
    forged: str = ""
    is_start_unknown: bool = False  # the runner did not tell how it starts a file
    has_version: bool = False  # `runner` names it

    @property
    def part(self) -> _Part:
        """The part that is being told."""
        if not self.parts:
            self.parts.append(_Part())
        return self.parts[-1]


def read_node_channel(
    channel: bytes, tree: Path, start: str, killed: str = "", said: str = ""
) -> TestRun:
    """Return what a finished or killed run proves.

    `tree` is the project's folder on the host, `start` the same inside; `killed` says which limit ended
    the run, if one did; `said` is what was printed. A run without any test is complete and says so as its
    problem.
    """
    reading = _Reading()
    place = _Place(Tree(tree), start, ScriptSources(Tree(tree)))
    broken = read_records(channel, lambda record: _take(record, reading, place))
    reading.forged = reading.forged or broken
    results = _told(reading, place)
    # The test that ran when a limit ended the run; none where it may have been one of several.
    running = [one for part in reading.parts for one in part.running.items()]
    if killed and len(running) == 1:
        results = (*results, *_cut_off(dict(running), place, killed))
    problem = _problem(reading, killed, said)
    # A test whose file is not in the repository: nobody could tell which side's it is.
    strangers = (one.path for one in results if one.path and not place.is_here(one.path))
    if not problem and (stranger := next(strangers, "")):
        problem = f"The tests run from {stranger}, which is not in the repository."
    problem = problem or _of_another_runner(reading, place)
    return TestRun(
        complete=not problem,
        results=unique(results),
        problem=problem or ("" if results else NO_TESTS),
        forged=bool(reading.forged),
        runner=reading.runner if reading.has_version else "",
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the tests stand: names from inside become names of the project's folder."""

    tree: Tree
    start: str
    sources: ScriptSources

    def path(self, file: str) -> str:
        """Return a path relative to the project's folder; one outside of it stays as it is.

        What was compiled is told by the name of its source.
        """
        pure = PurePosixPath(file.removeprefix("file://"))
        if pure.is_relative_to(self.start):
            pure = pure.relative_to(self.start)
        path = "" if pure.as_posix() == "." else pure.as_posix()
        if not path or self.is_here(path):
            return path
        # The folder of what is compiled may have one below it for each kind of module: lib/umd, dist/esm.
        suffixes = (pure.suffix, *_COMPILED_FROM.get(pure.suffix, ()))
        depths = range(1, min(len(pure.parts), _OUTPUT_DEPTH + 1))
        tops = (PurePosixPath(*pure.parts[:n], "package.json") for n in range(len(pure.parts)))
        # Also in a package of a workspace.
        places = [n for n, top in enumerate(tops) if not n or self.is_here(top.as_posix())]
        for at, above in product(places, depths):
            package, below = pure.parts[:at], PurePosixPath(*pure.parts[at + above :])
            for folder, suffix in product(("", "src", "source"), suffixes) if below.name else ():
                source = PurePosixPath(*package, folder, below.with_suffix(suffix)).as_posix()
                if self.tree.is_plain(source):
                    return source
        return path

    def is_here(self, path: str) -> bool:
        """Tell whether the repository has the file."""
        return self.tree.is_plain(path)


def _take(record: dict[str, object], reading: _Reading, place: _Place) -> None:
    kind = record["kind"]
    if kind == "runner":
        reading.runner = f"{text_of(record, 'name')} {text_of(record, 'version')}".strip()
        reading.has_version = bool(record["version"])
    elif kind == "absent":
        reading.absent = True
    elif kind == "begun":
        reading.parts.append(_Part(text_of(record, "file")))
    elif kind == "helper":
        reading.helpers[text_of(record, "file")] = bool(record["found"])
    elif kind == "unknown start":
        reading.is_start_unknown = True
    elif kind == "again":
        reading.parts.clear()
    elif kind == "plain":
        reading.plain = text_of(record, "said")
        reading.node, reading.wanted_node = text_of(record, "node"), text_of(record, "wanted")
    elif kind in ("forged", "cut"):
        reading.forged = reading.forged or str(record.get("why", "a record that was cut off"))
    elif kind == "ended":
        reading.part.wait_status = integer_of(record, "status")
    elif reading.part.ended:
        raise ValueError("a record after the end of the run")
    else:
        _take_told(record, reading.part, place)


def _take_told(record: dict[str, object], part: _Part, place: _Place) -> None:
    """Take what the reporter wrote."""
    kind = record["kind"]
    if kind == "ready":
        part.has_begun = True
    elif kind == "running":
        part.running[text_of(record, "file")] = _titles(record)
    elif kind == "rested":
        part.running.pop(text_of(record, "file"), None)
    elif kind == "fault":
        part.fault = text_of(record, "message")
    elif kind == "end":
        part.ended, part.lost = True, integer_of(record, "lost")
        part.problem = text_of(record, "problem") if "problem" in record else ""
    elif kind == "file":
        path = place.path(text_of(record, "file"))
        said = text_of(record, "message")
        part.results.append(TestResult(path, Outcome.ERROR, message=said, path=path))
    elif kind == "test":
        part.results += _results(record, place, part.file)
    elif kind != "hung":
        raise ValueError(f"unexpected {kind}")


_MAY_TEST = re.compile(
    r"\b(?:test|it|describe|suite|tap|tape|assert\w*|expect)\b\s{0,9}[.(]|\brequire\b\s{0,9}\((?!\s{0,9}['\"]\.)"
    r"|['\"](?:tap|tape|uvu|node:test|@tapjs/\w+|assert|node:assert)\b"
)
"""What a file has that runs tests; one without may measure something, and runners pass over it."""


def _told(reading: _Reading, place: _Place) -> tuple[TestResult, ...]:
    """Return the results of all parts, without those that stand for a helper as a whole.

    Where others ran the tests that it defines, these speak. Where nobody did, they have no result, unless the
    runner takes it for a file of tests, or a file that may have loaded it failed, too.
    """
    settled = [(part, _settled(part, place)) for part in reading.parts]
    told = {one.path for part, found in settled for one in found if one.id != one.path}
    has_failed = any(
        one.id == one.path
        for part, found in settled
        for one in found
        if part.file not in reading.helpers
    )
    results: list[TestResult] = []
    for part, found in settled:
        is_own = reading.helpers.get(part.file, True)
        is_mute = not (is_own or has_failed or part.wait_status)
        if part.file in reading.helpers and (is_mute or place.path(part.file) in told):
            continue
        results += found
    return tuple(results)


def _settled(part: _Part, place: _Place) -> list[TestResult]:
    """Return a part's results; a file's own process says with its end whether they are the whole truth."""
    if not part.file or part.wait_status is None:
        return part.results
    path, status = place.path(part.file), part.wait_status
    has_failed = any(result.outcome in FAILING for result in part.results)
    if not part.ended:
        text = "" if status else place.tree.read(path)
        is_no_test = text and not _MAY_TEST.search(text)
        if is_no_test or any(result.id == path for result in part.results):
            return part.results
        how, was_killed = ended_how(status), bool(os.WTERMSIG(status))
        cut_off = _cut_off(part.running, place, f"of its file {how}") if was_killed else []
        message = f"The test file {how} before its end."
        whole = TestResult(path, Outcome.ERROR, message=message, path=path)
        return [*part.results, *(cut_off or [whole])]
    if part.results and (has_failed or not status):
        return part.results
    if part.results:
        message = f"The test file {ended_how(status)} although no test in it failed. {part.problem}"
        return [*part.results, TestResult(path, Outcome.ERROR, message=message, path=path)]
    is_good = not status and not part.problem
    message = part.problem or ("" if is_good else f"It {ended_how(status)}.")
    record = {"seconds": 0.0, "message": message}
    outcome = Outcome.PASSED if is_good else Outcome.FAILED
    return [_whole_file(path, outcome, record, place)]


def _cut_off(running: dict[str, list[str]], place: _Place, how: str) -> list[TestResult]:
    """Return the tests, by their files, that ran when the run, or that of their file, was ended so."""
    record: dict[str, object] = {
        "line": 0, "outcome": Outcome.ERROR.value, "seconds": 0.0, "suite": False, "failure": "",
        "message": f"This test was running when the run {how}.",
    }  # fmt: skip
    both = (record | {"file": file, "title": titles} for file, titles in running.items())
    return [result for one in both for result in _results(one, place)]


def _results(record: dict[str, object], place: _Place, own_file: str = "") -> list[TestResult]:
    """Return the result of one test; none for a suite that has nothing of its own to say.

    Several files may run the tests that one defines: their names begin with the file that ran by itself.
    """
    outcome, titles = Outcome(text_of(record, "outcome")), _titles(record)
    file = text_of(record, "file")
    path = place.path(file)
    if record["suite"] and (
        outcome not in FAILING or text_of(record, "failure") == "subtestsFailed"
    ):
        return []
    named = place.path(titles[0])
    # A title that only ends with the file's name ("node ./test/a.js") is a test's own.
    is_its_name = PurePosixPath(place.start, titles[0]) == PurePosixPath(place.start, file)
    if len(titles) == 1 and (is_its_name or (not path and place.tree.is_plain(named))):
        return [_whole_file(named, outcome, record, place)]
    line, source = place.sources.of(path, titles, integer_of(record, "line"))
    test_id = f"{place.path(own_file) if own_file else path}::{' > '.join(titles)}"
    seconds, message = seconds_of(record), text_of(record, "message")
    table = place.sources.table_of(path, titles)
    is_unfinished = text_of(record, "failure") == "unfinished"
    given = outcome, seconds, message, path, line, source
    return [TestResult(test_id, *given, table=table, is_unfinished=is_unfinished)]


def _whole_file(
    path: str, outcome: Outcome, record: Mapping[str, object], place: _Place
) -> TestResult:
    """Return the result of a file that told no test.

    A plain script is one test. A file that declares tests and told none has not come to them,
    whatever it exited with.
    """
    seconds, message, text = seconds_of(record), text_of(record, "message"), place.tree.read(path)
    if not _DECLARES_TESTS.search(text):
        name = f"{path}::{WHOLE_FILE}"
        return TestResult(name, outcome, seconds, message, path, 1, text[:LARGEST_SOURCE])
    if outcome not in FAILING:
        message = "The file ended before it ran any of its tests."
    return TestResult(path, Outcome.ERROR, seconds, message, path)


def _titles(record: dict[str, object]) -> list[str]:
    titles = record["title"]
    if not isinstance(titles, list) or not titles:
        raise TypeError("title")
    return [storable(str(title)) for title in titles]


def _of_another_runner(reading: _Reading, place: _Place) -> str:
    """Say so where each test file ended well and told nothing, and is written for another runner."""
    own, others = reading.runner.partition(" ")[0], set[str]()
    for part in reading.parts:
        named = set(_DECLARES_TESTS.findall(place.tree.read(place.path(part.file))))
        if part.ended or part.results or part.wait_status or not named or own in named:
            return ""
        others |= named
    if not others:
        return ""
    return f"{own} ran no test: the test files are written for {', '.join(sorted(others))}."


def _problem(reading: _Reading, killed: str, said: str) -> str:
    """Say in one sentence what keeps the run from proving anything; empty when nothing does."""
    if reading.forged:
        return f"The results cannot be trusted: {reading.forged}."
    if killed:
        return f"The test run {killed}."
    if reading.absent:
        return f"{reading.runner} is not among the packages that were installed."
    if not reading.parts or any(part.wait_status is None for part in reading.parts):
        # No file was there to run, and none broke off.
        found_nothing = not reading.parts and reading.runner != "test runner"
        return "" if found_nothing else "The test run was killed from within."
    said = telling_line(said)
    faulty = [part for part in reading.parts if part.file and (part.fault or not part.has_begun)]
    if faulty:
        return _own_failure(reading, faulty[0], faulty[0].fault.partition("\n")[0] or said)
    return (
        _unasked(reading, said) if reading.part.file else _end_problem(reading, reading.part, said)
    )


def _unasked(reading: _Reading, said: str) -> str:
    """Say that files may fail for how they were started, where the runner did not tell how it does that."""
    has_failed = any(
        part.wait_status or any(one.outcome in FAILING for one in part.results)
        for part in reading.parts
    )
    if not (reading.is_start_unknown and has_failed):
        return ""
    return (
        f"Assay failed to ask {reading.runner} how it starts a test file, and some fail. "
        f"This says nothing about the change. The message was: {said}"
    )


def _end_problem(reading: _Reading, part: _Part, said: str) -> str:
    """Say what is wrong with a run whose processes have ended."""
    status = part.wait_status or 0
    if not part.ended:
        # Whose failure is it that the reporter did not come to its end?
        if part.has_begun or (status and said in reading.plain):
            when = "its end" if part.has_begun else "its first test"
            return f"{reading.runner} {ended_how(status)} before {when}. It said: {said}"
        return _own_failure(reading, part, said)
    if part.lost:
        why = f": {part.problem}" if part.problem else ""
        return f"{part.lost} collected tests have no result{why}."
    if part.problem:
        return f"Something failed outside of the tests: {part.problem}"
    has_failed = any(result.outcome in FAILING for result in part.results)
    if part.results and bool(status) is not has_failed:
        how = "a test failed" if has_failed else "no test failed"
        return f"{reading.runner} {ended_how(status)} although {how}. It said: {said}"
    return ""


def _own_failure(reading: _Reading, part: _Part, said: str) -> str:
    what = f"{reading.runner} on {part.file}" if part.file else reading.runner
    if reading.node and not satisfies(reading.node, reading.wanted_node):
        how = ended_how(part.wait_status or 0)
        return (
            f"{what} needs Node {reading.wanted_node}, and this is Node {reading.node.removeprefix('v')}: it "
            f"{how} before its first test. It said: {said}"
        )
    return (
        f"Assay failed to observe {what}: it {ended_how(part.wait_status or 0)} without loading Assay's "
        f"reporter. This says nothing about the change. The message was: {said}"
    )
